// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory.h"
#include "rec.h"
#include "text.h"

#include <errno.h>
#include <sys/stat.h>

struct row_file {
	FILE *out;
	char *schema;
	int columns, cells, err;
};

/* Whether a file ends in the middle of a line, as one on a full disk may. */
static bool ends_in_line(const char *path)
{
	struct stat st;
	FILE *f = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	int last = f && !fseeko(f, -1, SEEK_END) ? fgetc(f) : EOF;

	if (f)
		fclose(f);
	return last != EOF && last != '\n';
}

static struct row_file *rows_open(const char *path, const char *schema, const char *const *columns, bool append)
{
	bool standard = !strcmp(path, "-"), cut = append && !standard && ends_in_line(path);
	FILE *out = standard ? stdout : fopen(path, append ? "ae" : "we");
	struct row_file *t;

	if (!out)
		return NULL;
	t = memory_new(1, sizeof(*t));
	*t = (struct row_file){ .out = out, .schema = must_alloc(strdup(schema)) };
	while (columns[t->columns])
		t->columns++;
	if (append && (standard || (!fseeko(t->out, 0, SEEK_END) && ftello(t->out) > 0))) {
		if (cut)
			fputc('\n', t->out);
		return t;
	}
	fputs("schema", t->out);
	for (int i = 0; i < t->columns; i++)
		fprintf(t->out, "\t%s", columns[i]);
	fputc('\n', t->out);
	return t;
}

struct row_file *rows_open_new(const char *path, const char *schema, const char *const *columns)
{
	return rows_open(path, schema, columns, false);
}

struct row_file *rows_append(const char *path, const char *schema, const char *const *columns)
{
	return rows_open(path, schema, columns, true);
}

struct row_file *rows_must_open(const char *path, const char *schema, const char *const *columns)
{
	struct row_file *t = path ? rows_open_new(path, schema, columns) : NULL;

	if (path && !t)
		die(EXIT_RUN, "cannot write %s: %m", path);
	return t;
}

static FILE *rows_begin_cell(struct row_file *t)
{
	if (!t->cells)
		fputs(t->schema, t->out);
	fputc('\t', t->out);
	t->cells++;
	return t->out;
}

void rows_write_int(struct row_file *t, int64_t value)
{
	fprintf(rows_begin_cell(t), "%lld", (long long)value);
}

void rows_write_count(struct row_file *t, int64_t value)
{
	if (value < 0)
		rows_write_empty(t);
	else
		rows_write_int(t, value);
}

void rows_write_time(struct row_file *t, int64_t ns)
{
	if (ns)
		rows_write_int(t, ns);
	else
		rows_write_empty(t);
}

void rows_write_cells(struct row_file *t, void write(struct row_file *t, int64_t value), const int64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		write(t, value[i]);
}

void rows_write_empty(struct row_file *t)
{
	rows_begin_cell(t);
}

void rows_write_str(struct row_file *t, const char *value)
{
	text_write_printable(rows_begin_cell(t), value);
}

void rows_end_row(struct row_file *t)
{
	if (t->cells != t->columns)
		t->err = -EPROTO;
	t->cells = 0;
	if ((fputc('\n', t->out) == EOF || ferror(t->out)) && !t->err) /* now, before errno is another call's */
		t->err = -(errno ? errno : EIO);
}

int rows_flush(struct row_file *t)
{
	if ((fflush(t->out) || ferror(t->out)) && !t->err)
		t->err = -(errno ? errno : EIO);
	return t->err;
}

int rows_close(struct row_file *t)
{
	int err = t ? rows_flush(t) : 0;

	if (!t)
		return 0;
	if (t->out != stdout && fclose(t->out) && !err)
		err = -errno;
	free(t->schema);
	free(t);
	return err;
}
