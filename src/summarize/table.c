// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 64

struct table_reader {
	const char *path;
	unsigned long line;
	int depth;		/* of includes */
	struct why *why;
	struct tables *tables;
	char *word[WORDS + 1];
	size_t n;
};

static const char *const count_names[] = { "state", "measured", "complete", "failed", "flagged", "tried", "reason", "name" };


static int table_wrong(struct table_reader *r, const char *what, const char *word)
{
	return why_set(r->why, -EPROTO, "%s:%lu: %s%s%s", r->path, r->line, what, word ? ": " : "", word ? word : "");
}

/* Splits the line in place. A quoted word may be empty. */
static int table_split(struct table_reader *r, char *p)
{
	r->n = 0;
	for (;;) {
		char *end;

		p += strspn(p, " \t\r\n");
		if (!*p || *p == '#')
			return 0;
		if (r->n == WORDS)
			return table_wrong(r, "too many words", NULL);
		if (*p == '"') {
			end = strchr(++p, '"');
			if (!end)
				return table_wrong(r, "a quote without its end", NULL);
			if (end[1] && !isspace((unsigned char)end[1]))
				return table_wrong(r, "no blank after a quote", NULL);
		} else {
			end = p + strcspn(p, " \t\r\n");
		}
		r->word[r->n++] = p;
		if (!*end)
			return 0;
		*end = '\0';
		p = end + 1;
	}
}

static char *table_copy(const char *word)
{
	return strdup(!strcmp(word, "-") ? "" : word);
}

static const struct extractor *table_extractor(const char *name)
{
	for (size_t i = 0; extractors[i]; i++)
		if (!strcmp(extractors[i]->name, name))
			return extractors[i];
	return NULL;
}

static bool table_is_name(const char *word)
{
	return *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(word);
}

static int table_begin(struct table_reader *r)
{
	struct tables *all = r->tables;
	struct table *t, *grown = reallocarray(all->table, all->n + 1, sizeof(*grown));
	char schema[128];

	if (!grown)
		return why_no_memory(r->why);
	all->table = grown;
	t = &all->table[all->n++];
	*t = (struct table){ 0 };
	if (r->n < 3 || !table_is_name(r->word[1]))
		return table_wrong(r, "table wants NAME cells|rows:EXTRACTOR [schema=WORD] [optional]", NULL);
	t->name = strdup(r->word[1]);
	snprintf(schema, sizeof(schema), "%s/1", r->word[1]);
	for (size_t i = 3; i < r->n; i++) {
		if (!strncmp(r->word[i], "schema=", 7))
			snprintf(schema, sizeof(schema), "%s", r->word[i] + 7);
		else if (!strcmp(r->word[i], "optional"))
			t->optional = true;
		else
			return table_wrong(r, "neither schema=WORD nor optional", r->word[i]);
	}
	t->schema = strdup(schema);
	if (!t->name || !t->schema)
		return why_no_memory(r->why);
	for (size_t i = 0; i + 1 < all->n; i++)
		if (!strcmp(all->table[i].name, t->name))
			return table_wrong(r, "a second table of that name", t->name);
	if (!strcmp(r->word[2], "cells"))
		return 0;
	if (strncmp(r->word[2], "rows:", 5) != 0)
		return table_wrong(r, "neither cells nor rows:EXTRACTOR", r->word[2]);
	t->rows = strdup(r->word[2] + 5);
	t->extractor = t->rows ? table_extractor(t->rows) : NULL;
	if (!t->extractor || !t->extractor->rows)
		return table_wrong(r, "no extractor of rows", r->word[2] + 5);
	return 0;
}

static int table_source_json(struct table_reader *r, struct column *c, char *word, char *colon)
{
	char *file = word, *over, *slash = strchr(word, '/');

	c->source = SOURCE_JSON;
	*colon = '\0';
	c->needed = colon[-1] == '!';
	if (c->needed)
		colon[-1] = '\0';
	if (slash && slash < colon) {
		*slash = '\0';
		c->series = strdup(word);
		file = slash + 1;
	}
	over = strchr(colon + 1, '/');
	if (over)
		*over++ = '\0';
	c->from = strdup(file);
	c->path = strdup(colon + 1);
	c->over = over ? strdup(over) : NULL;
	if (!!over != (c->estimator == ESTIMATE_SHARE_CI))
		return table_wrong(r, "share+ci, and it alone, wants FILE:PATH/PATH", c->name);
	if (c->estimator <= ESTIMATE_ABOVE)
		return table_wrong(r, "a number of repeats wants an estimator", c->name);
	return 0;
}

static int table_source(struct table_reader *r, struct column *c, char *word)
{
	char *colon = strchr(word, ':');
	size_t length = colon ? (size_t)(colon - word) : strlen(word);

	if (!strcmp(word, "-")) {
		c->source = SOURCE_ROW;
		return 0;
	}
	if (length == 5 && !strncmp(word, "param", 5)) {
		c->source = SOURCE_PARAM;
		c->path = strdup(colon ? colon + 1 : c->name);
		return 0;
	}
	if (!colon || !colon[1])
		return table_wrong(r, "a source is -, param, count:WORD, run:PATH, FILE.json:PATH or EXTRACTOR:FIGURE, not", word);
	if (!strncmp(word, "count:", 6)) {
		c->source = SOURCE_COUNT;
		for (c->count = 0; c->count < COUNTS; c->count++)
			if (!strcmp(count_names[c->count], colon + 1))
				return 0;
		return table_wrong(r, "no such count", colon + 1);
	}
	if (length > 5 && (!strncmp(colon - 5, ".json", 5) || (length > 6 && !strncmp(colon - 6, ".json!", 6))))
		return table_source_json(r, c, word, colon);
	c->path = strdup(colon + 1);
	if (!strncmp(word, "run:", 4)) {
		c->source = SOURCE_RUN;
		return 0;
	}
	*colon = '\0';
	c->source = SOURCE_EXTRACTOR;
	c->from = strdup(word);
	c->extractor = table_extractor(word);
	return c->extractor ? 0 : table_wrong(r, "no such extractor", word);
}

static int table_format(struct table_reader *r, struct column *c, const char *estimator, const char *decimals, const char *better)
{
	static const char *const sides[] = { "lower", "higher", "-" };

	for (c->estimator = 0; estimate_names[c->estimator] && strcmp(estimate_names[c->estimator], estimator); c->estimator++)
		;
	if (!estimate_names[c->estimator])
		return table_wrong(r, "no such estimator", estimator);
	if (!strcmp(decimals, "text"))
		c->decimals = TABLE_TEXT;
	else if (isdigit((unsigned char)decimals[0]) && !decimals[1])
		c->decimals = decimals[0] - '0';
	else
		return table_wrong(r, "decimals are text or 0 to 9, not", decimals);
	for (size_t i = 0; i < 3; i++)
		if (!strcmp(sides[i], better)) {
			c->better = i < 2 ? sides[i] : "";
			return 0;
		}
	return table_wrong(r, "better is lower, higher or -, not", better);
}

static int table_add_column(struct table_reader *r)
{
	struct table *t = r->tables->n ? &r->tables->table[r->tables->n - 1] : NULL;
	struct column *c, *grown;
	int err;

	if (!t)
		return table_wrong(r, "a column before the first table", r->word[0]);
	if (r->n != 7)
		return table_wrong(r, "a column wants NAME HEADING UNIT SOURCE ESTIMATOR DECIMALS BETTER", r->word[0]);
	if (!table_is_name(r->word[0]) || !strcmp(r->word[0], "schema"))
		return table_wrong(r, "no name for a column", r->word[0]);
	if (table_column(t, r->word[0]))
		return table_wrong(r, "a second column of that name", r->word[0]);
	grown = reallocarray(t->column, t->n + 1, sizeof(*grown));
	if (!grown)
		return why_no_memory(r->why);
	t->column = grown;
	c = &t->column[t->n++];
	*c = (struct column){ .name = strdup(r->word[0]), .heading = table_copy(r->word[1]), .unit = table_copy(r->word[2]) };
	if (!c->name || !c->heading || !c->unit)
		return why_no_memory(r->why);
	err = table_format(r, c, r->word[4], r->word[5], r->word[6]);
	if (!err)
		err = table_source(r, c, r->word[3]);
	if (!err && (c->source == SOURCE_ROW) != (t->rows != NULL))
		return table_wrong(r, t->rows ? "of rows that an extractor writes the source is -" : "a table of cells wants a source", c->name);
	return err;
}

/* Views are the report's; here they are only held against the tables. */
static int table_check_view(struct table_reader *r)
{
	const struct table *t = NULL;

	if (r->n < 5)
		return table_wrong(r, "view wants ID TABLE TITLE [by=COLUMN] COLUMN...", NULL);
	for (size_t i = 0; i < r->tables->n; i++)
		if (!strcmp(r->tables->table[i].name, r->word[2]))
			t = &r->tables->table[i];
	if (!t)
		return table_wrong(r, "no such table above", r->word[2]);
	for (size_t i = 4; i < r->n; i++) {
		const char *name = !strncmp(r->word[i], "by=", 3) ? r->word[i] + 3 : r->word[i];

		if (!table_column(t, name))
			return table_wrong(r, "no such column of that table", name);
	}
	return 0;
}

static int table_file(struct table_reader *r, const char *path);

/* Named from the folder of this file. */
static int table_include(struct table_reader *r)
{
	struct table_reader inner = { .why = r->why, .tables = r->tables, .depth = r->depth + 1 };
	const char *slash = strrchr(r->path, '/');
	char path[4400];

	if (r->n != 2 || inner.depth > 4)
		return table_wrong(r, "include wants one FILE, and not one that includes this", NULL);
	snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - r->path) : 0, r->path, r->word[1]);
	return table_file(&inner, path);
}

static int table_line(struct table_reader *r, char *text)
{
	int err = table_split(r, text);

	if (err || !r->n)
		return err;
	if (!strcmp(r->word[0], "table"))
		return table_begin(r);
	if (!strcmp(r->word[0], "view"))
		return table_check_view(r);
	if (!strcmp(r->word[0], "include"))
		return table_include(r);
	if (!strcmp(r->word[0], "repeats") && r->n == 2 && !strcmp(r->word[1], "found")) {
		r->tables->found = true;
		return 0;
	}
	if (strcmp(r->word[0], "counts") != 0)
		return table_add_column(r);
	if (r->n != 2 || !table_is_name(r->word[1]))
		return table_wrong(r, "counts wants one WORD", NULL);
	free(r->tables->counts);
	r->tables->counts = strdup(r->word[1]);
	return 0;
}

/* A line with those after it that begin with a blank, in memory for the caller to free. NULL: none, or no memory. */
static char *table_text(struct table_reader *r, FILE *in)
{
	char *text = NULL, *next, *both;
	size_t room = 0;
	int first;

	if (getline(&text, &room, in) < 0) {
		free(text);
		return NULL;
	}
	r->line++;
	first = ungetc(getc(in), in);
	if (first != ' ' && first != '\t')
		return text;
	next = table_text(r, in);
	both = next && asprintf(&both, "%s %s", text, next) >= 0 ? both : NULL;
	free(text);
	free(next);
	return both;
}

static int table_file(struct table_reader *r, const char *path)
{
	FILE *in = fopen(path, "re");
	char *text;
	int err = 0;

	if (!in)
		return why_set(r->why, -errno, "%s: %s", path, strerror(errno));
	r->path = path;
	while (!err && (text = table_text(r, in))) {
		err = table_line(r, text);
		free(text);
	}
	fclose(in);
	return err;
}

int tables_read(const char *path, struct tables *out, struct why *why)
{
	struct table_reader r = { .why = why, .tables = out };
	int err;

	*out = (struct tables){ 0 };
	err = table_file(&r, path);
	if (!err && !out->n)
		err = why_set(why, -EPROTO, "%s: no table", path);
	if (err)
		tables_free(out);
	return err;
}

const struct column *table_column(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->column[i].name, name))
			return &t->column[i];
	return NULL;
}

void tables_free(struct tables *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct table *t = &all->table[i];

		for (size_t k = 0; k < t->n; k++) {
			struct column *c = &t->column[k];

			free(c->name);
			free(c->heading);
			free(c->unit);
			free(c->from);
			free(c->path);
			free(c->over);
			free(c->series);
		}
		free(t->column);
		free(t->name);
		free(t->schema);
		free(t->rows);
	}
	free(all->table);
	free(all->counts);
	*all = (struct tables){ 0 };
}
