/* SPDX-License-Identifier: GPL-3.0-or-later */
/* whole - a table of rows that takes its name when it is whole: temporary file beside it, fsync, rename. (rows_open() alone writes
 * in place.) */
#ifndef THINPROBE_SUMMARIZE_WHOLE_H
#define THINPROBE_SUMMARIZE_WHOLE_H

#include "rec.h"

#include <stddef.h>

struct whole {
	char *path, *temporary;	/* owned until whole_close() */
	struct rows *rows;	/* what to write to */
};

/* 0 or -errno; then nothing is left to close. */
int whole_open(struct whole *w, const char *folder, const char *name, const char *schema, const char *const *columns);
/* 0 or -errno, and then the old file stays. */
int whole_close(struct whole *w);
void whole_drop(struct whole *w);	/* not written after all; the old file stays */

/* Tables that take their names together, once all of them are written. */
struct whole_table {
	struct whole *whole;
	const char *name, *schema, *const *columns;
};
/* 0, or -errno with "FOLDER/NAME: what is wrong" in `why`; then none is left to close. */
int whole_open_all(const struct whole_table *t, size_t n, const char *folder, char *why, size_t size);
/* `err` is what came of writing them: 0, or else all are dropped and it is returned. 0, or -errno with a line in `why`,
 * and then those that have not got their names yet are dropped. */
int whole_close_all(const struct whole_table *t, size_t n, int err, char *why, size_t size);

/* A cell with so many decimals, empty for what is not finite. */
void whole_number(struct rows *t, double v, int decimals);

#endif
