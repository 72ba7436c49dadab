/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows_in - reads tables that were written by rows_open_new() (rec.h). Columns are found by name; further columns are
 * ignored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ROWS_IN_COLUMNS 32 /* most columns that can be requested */

/* Callback for one row: cell[i] belongs to columns[i], NULL if the file has no such column; valid during the call. 0, or an error
 * that ends the reading. */
typedef int rows_in_row(void *context, char *const *cell);

/* Calls `row` for each row. The first `needed` of `columns` (NULL-terminated) must exist in the file. 0, or the error of `row`, or
 * -EPROTO for another schema, a missing column, a row of the wrong length or over 16 KB, with its line number in *line; -EIO. */
int rows_in_read(FILE *in, const char *schema, const char *const *columns, size_t needed, rows_in_row *row, void *context,
		 unsigned long *line);

#define ROWS_IN_NONE INT64_MIN /* an empty cell, or an absent one */

/* Reads a whole number, or an empty cell as ROWS_IN_NONE. False for anything else. */
bool rows_in_int(const char *cell, int64_t *out);
/* The same for times in ns and counts: from 0 to INT64_MAX / 4, so that sums and differences of a few cannot overflow. */
bool rows_in_count(const char *cell, int64_t *out);
