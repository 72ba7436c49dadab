/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fields - splits one line of a table into cells, in place: separated by tabs, or by commas and the like with quotes (RFC 4180, but
 * no line ends within cells). */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Splits `line` at `separator` and removes its line end. Returns the number of cells; 0: more than `most`. */
size_t fields_split(char *line, char separator, char **cell, size_t most);

/* The index of the cell with the text `name`; -1: none. */
int fields_find_name(char *const *cell, size_t n, const char *name);
/* Whether a later cell has the same text as cell[at] (at < 0: false); `why` then names it. */
bool fields_is_repeated(char *const *cell, size_t n, int at, struct why *why);
/* How many samples the row of a transaction in JMeter's results holds; 0: no transaction. */
unsigned long fields_count_held(char *const *cell, size_t n);

/* The time unit in ns of a column whose name ends in _ns, _us, _ms or _s (1 to 10^9); 0: another ending. */
int64_t fields_time_unit(const char *name);
