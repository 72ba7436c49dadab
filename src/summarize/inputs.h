/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inputs - files of a run folder: read, or said in one line "FILE: what is wrong with it" in `why`. */
#ifndef THINPROBE_SUMMARIZE_INPUTS_H
#define THINPROBE_SUMMARIZE_INPUTS_H

#include "json_in.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reads a whole table. 0 or -errno; -EPROTO with the row's number in *line. */
typedef int inputs_table(FILE *in, void *into, unsigned long *line);

/* 0, or -errno. A table that is not there is an error only where it is needed. */
int inputs_rows(const char *folder, const char *name, bool needed, inputs_table *read, void *into, char *why, size_t size);
/* NULL: it cannot be read. Owned by the caller until json_free(). */
struct json *inputs_json(const char *folder, const char *name, char *why, size_t size);
bool inputs_there(const char *folder, const char *name);

/* What cell.json tells of every repeat of a cell. */
struct inputs_cell {
	struct json *json;	/* NULL: none, the repeat was interrupted; owned by the caller until json_free() */
	bool complete, marked;
};
/* 0, or -EPROTO: it is there and cannot be read. */
int inputs_cell(const char *folder, struct inputs_cell *out, char *why, size_t size);

/* The number or the text at PREFIX.KEY; NAN, NULL: there is none. */
double inputs_number(const struct json *j, const char *prefix, const char *key);
const char *inputs_text(const struct json *j, const char *prefix, const char *key);
/* Whether a word may become part of a path: nothing that leads elsewhere. */
bool inputs_is_name(const char *word);

#endif
