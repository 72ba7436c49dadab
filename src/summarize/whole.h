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

/* A cell with so many decimals, empty for what is not finite. */
void whole_number(struct rows *t, double v, int decimals);

#endif
