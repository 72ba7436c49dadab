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

#define INPUTS_REPEATS_MAX 1000
/* run.json with the two settings that every experiment has, as far as it tells them: *repeats, from 1 to
 * INPUTS_REPEATS_MAX, and *seed (NULL: of no interest). NULL: it cannot be read, or its repeats are none of these.
 * Owned by the caller until json_free(). */
struct json *inputs_run(const char *folder, int64_t *repeats, int64_t *seed, char *why, size_t size);

/* What cell.json tells of every repeat of a cell. */
struct inputs_cell {
	struct json *json;	/* NULL: none, the repeat was interrupted; owned by the caller until json_free() */
	bool complete, marked;
};
/* 0, or -EPROTO: it is there and cannot be read. */
int inputs_cell(const char *folder, struct inputs_cell *out, char *why, size_t size);

/* The experiment of the run, by its run.json; "" when it tells none. */
void inputs_experiment(const char *folder, char *name, size_t size);

/* The number or the text at PREFIX.KEY; NAN, NULL: there is none. */
double inputs_number(const struct json *j, const char *prefix, const char *key);
const char *inputs_text(const struct json *j, const char *prefix, const char *key);
/* Copies that text. False: there is none, or it does not fit. */
bool inputs_word(const struct json *j, const char *prefix, const char *key, char *into, size_t size);
/* Whether a word may become part of a path: nothing that leads elsewhere. */
bool inputs_is_name(const char *word);

/* What came of a run folder. */
struct inputs_counts {
	size_t complete, failed, marked;	/* cells, or repeats of them, or trains */
	size_t rows;				/* of summary.tsv */
};

#endif
