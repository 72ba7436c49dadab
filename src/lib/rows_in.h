/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows_in - reads back tables that rows_open() (rec.h) wrote. Columns are found by name, so a file
 * with more of them is read too. */
#ifndef THINPROBE_ROWS_IN_H
#define THINPROBE_ROWS_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ROWS_IN_COLUMNS 32	/* that can be asked for */

/* One row: cell[i] is that of columns[i], NULL if the file has no such column. Valid until it
 * returns. 0, or what ends the reading. */
typedef int rows_in_row(void *context, char *const *cell);

/* Calls `row` for each. The first `needed` of `columns` (NULL-terminated) must be there. 0, or what `row` returned, or -EPROTO
 * for another schema, a missing column or a row of the wrong length, or over
 * 16 KB long, with its number in *line; -EIO. */
int rows_in_read(FILE *in, const char *schema, const char *const *columns, size_t needed, rows_in_row *row, void *context,
		 unsigned long *line);

#define ROWS_IN_NONE INT64_MIN	/* an empty cell, or an absent one */

/* A whole number or an empty cell. False for anything else. */
bool rows_in_int(const char *cell, int64_t *out);
/* A time in ns, a count, or an empty cell: none is negative, and all are below INT64_MAX / 4: sums
 * and differences of a few cannot overflow. */
bool rows_in_count(const char *cell, int64_t *out);

#endif
