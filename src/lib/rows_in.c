// SPDX-License-Identifier: GPL-3.0-or-later
#include "rows_in.h"
#include "cli.h"
#include "lines.h"

#include <errno.h>
#include <string.h>

#define FIELDS_MAX 64
#define ROW_BYTES 16384 /* longest row with its line end: FIELDS_MAX numbers take a tenth of that */

/* Splits `line` at its tabs. False without a line end: the last number of a truncated row would look complete. */
static bool split_tabs(char *line, char **field, size_t *n)
{
	char *end = strchr(line, '\n');

	if (!end)
		return false;
	*end = '\0';
	for (*n = 0; line && *n < FIELDS_MAX; ++*n)
		field[*n] = strsep(&line, "\t");
	return !line;
}

struct rows_in_layout {
	const char *schema, *const *columns;
	size_t needed, fields;
	int schema_at, at[ROWS_IN_COLUMNS];
	rows_in_row *row;
	void *context;
};

static int read_header(struct rows_in_layout *t, char *const *field, size_t n)
{
	t->fields = n;
	t->schema_at = fields_find_name(field, n, "schema");
	for (size_t c = 0; t->columns[c] && c < ROWS_IN_COLUMNS; c++) {
		t->at[c] = fields_find_name(field, n, t->columns[c]);
		if (t->at[c] < 0 && c < t->needed)
			return -EPROTO;
	}
	return t->schema_at < 0 ? -EPROTO : 0;
}

static int read_data_row(const struct rows_in_layout *t, char *const *field, size_t n)
{
	char *cell[ROWS_IN_COLUMNS];

	if (n != t->fields || strcmp(field[t->schema_at], t->schema) != 0)
		return -EPROTO;
	for (size_t c = 0; t->columns[c] && c < ROWS_IN_COLUMNS; c++)
		cell[c] = t->at[c] < 0 ? NULL : field[t->at[c]];
	return t->row(t->context, cell);
}

int rows_in_read(FILE *in, const char *schema, const char *const *columns, size_t needed, rows_in_row *row, void *context,
		 unsigned long *line)
{
	struct rows_in_layout t = { .schema = schema, .columns = columns, .needed = needed, .row = row, .context = context };
	char text[ROW_BYTES], *field[FIELDS_MAX];
	size_t n;
	int err = 0;

	*line = 0;
	/* not getline(), which would read a file without line ends into memory */
	while (!err && fgets(text, sizeof(text), in)) {
		++*line;
		if (!split_tabs(text, field, &n))
			err = -EPROTO;
		else
			err = *line == 1 ? read_header(&t, field, n) : read_data_row(&t, field, n);
	}
	if (!err && ferror(in))
		err = -EIO;
	if (!err && !*line)
		err = -EPROTO; /* not even a header */
	return err;
}

bool rows_in_int(const char *cell, int64_t *out)
{
	*out = ROWS_IN_NONE;
	return !cell || !*cell || !cli_parse_int(cell, out);
}

bool rows_in_count(const char *cell, int64_t *out)
{
	return rows_in_int(cell, out) && (*out == ROWS_IN_NONE ? !cell || !*cell : *out >= 0 && *out < INT64_MAX / 4);
}
