/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fields - cells of one line of a table, in place: tabs between, or commas with quotes (RFC 4180, without line ends in cells). */
#ifndef THINPROBE_FIELDS_H
#define THINPROBE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cuts `line`, whose end it takes off. Returns how many cells there are; 0 for more than `most`. */
size_t fields_cut(char *line, bool commas, char **cell, size_t most);

/* The place of the cell that says this; -1: none. */
int fields_find(char *const *cell, size_t n, const char *name);

/* The unit of times in a column whose name ends in _ns, _us, _ms or _s, in ns; 0: in none of these. */
int64_t fields_unit_ns(const char *name);

#endif
