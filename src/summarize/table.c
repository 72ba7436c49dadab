// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"
#include "room.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define WORDS 64
#define BLANKS " \t\r\n"

struct table_reader {
	const char *path;
	unsigned long line;
	int depth;		/* of includes */
	struct why *why;
	struct tables *tables;
	char *word[WORDS];
	size_t n;
};

static int table_wrong(struct table_reader *r, const char *what, const char *word)
{
	snprintf(r->why->text, sizeof(r->why->text), "%s:%lu: %s%s%s", r->path, r->line, what, word ? ": " : "", word ? word : "");
	return -EPROTO;
}

/* Splits the line in place. A quoted word may be empty. */
static int table_split(struct table_reader *r, char *p)
{
	char *end;

	for (r->n = 0; p += strspn(p, BLANKS), *p && *p != '#'; p = end) {
		if (r->n == WORDS)
			return table_wrong(r, "too many words", NULL);
		end = *p == '"' ? strchr(++p, '"') : p + strcspn(p, BLANKS);
		if (!end)
			return table_wrong(r, "a quote without its end", NULL);
		if (*end == '"' && end[1] && !isspace((unsigned char)end[1]))
			return table_wrong(r, "no blank after a quote", NULL);
		r->word[r->n++] = p;
		if (*end)
			*end++ = '\0';
	}
	return 0;
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

/* -1: none of them. */
static int table_place(const char *const *names, const char *word)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

static struct table *table_find(const struct tables *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->table[i].name, name))
			return &all->table[i];
	return NULL;
}

static int table_begin(struct table_reader *r)
{
	static const char *const taken[] = { "schema", "long", "run", "thresholds", NULL };
	struct tables *all = r->tables;
	struct table t = { .name = r->word[1] };

	for (const char *const *own = taken; *own; own++)
		if (!strcmp(t.name, *own))
			return table_wrong(r, "a name that a run's own files have", t.name);
	if (!table_is_name(t.name))
		return table_wrong(r, "table wants NAME cells|rows:EXTRACTOR|given [schema=WORD] [optional]", NULL);
	if (table_find(all, t.name))
		return table_wrong(r, "a second table of that name", t.name);
	snprintf(t.schema, sizeof(t.schema), "%s/1", t.name);
	for (size_t i = 3; i < r->n; i++) {
		if (!strncmp(r->word[i], "schema=", 7))
			snprintf(t.schema, sizeof(t.schema), "%s", r->word[i] + 7);
		else if (!strcmp(r->word[i], "optional"))
			t.optional = true;
		else
			return table_wrong(r, "neither schema=WORD nor optional", r->word[i]);
	}
	if (!strncmp(r->word[2], "rows:", 5)) {
		t.rows = r->word[2] + 5;
		t.extractor = table_extractor(t.rows);
		if (!t.extractor || !t.extractor->tables[0].write)
			return table_wrong(r, "no extractor of rows", t.rows);
	} else if (!strcmp(r->word[2], "given")) {
		t.rows = r->word[2];
		t.given = true;
	} else if (strcmp(r->word[2], "cells") != 0) {
		return table_wrong(r, "neither cells, given nor rows:EXTRACTOR", r->word[2]);
	}
	room_more(all->table, all->n);
	all->table[all->n++] = t;
	return 0;
}

/* Cuts `word` at the first `at`: what is behind it, or NULL. */
static char *table_cut(char *word, char at)
{
	char *behind = strchr(word, at);

	if (behind)
		*behind++ = '\0';
	return behind;
}

static int table_source_json(struct table_reader *r, struct column *c, char *word, char *path)
{
	char *file = table_cut(word, '/');

	c->source = SOURCE_JSON;
	c->series = file ? word : NULL;
	c->from = file ? file : word;
	c->over = table_cut(path, '/');
	if (!!c->over != (c->estimator == ESTIMATE_SHARE_CI))
		return table_wrong(r, "share+ci, and it alone, wants FILE:PATH/PATH", c->name);
	return c->estimator <= ESTIMATE_ABOVE ? table_wrong(r, "a number of repeats wants an estimator", c->name) : 0;
}

static int table_source(struct table_reader *r, struct column *c, char *word)
{
	static const char *const kinds[] = { "-", "param", "count", "run", NULL };	/* as enum column_source */
	static const char *const counts[] = { "state", "measured", "complete", "failed", "flagged", "tried", "reason", "name", NULL };
	char *path = table_cut(word, ':');
	int kind = table_place(kinds, word), count;
	size_t length = strlen(word);

	c->source = kind < 0 ? SOURCE_EXTRACTOR : (enum column_source)kind;
	c->path = c->source == SOURCE_PARAM && !path ? c->name : path;
	if (c->source == SOURCE_ROW ? !!path : !c->path || !*c->path)
		return table_wrong(r, "a source is -, param, count:WORD, run:PATH, FILE.json:PATH or EXTRACTOR:FIGURE, not", word);
	if (c->source == SOURCE_COUNT) {
		count = table_place(counts, path);
		c->count = (enum count_kind)count;
		return count < 0 ? table_wrong(r, "no such count", path) : 0;
	}
	if (c->source != SOURCE_EXTRACTOR)
		return 0;
	c->needed = length > 6 && !strcmp(word + length - 6, ".json!");
	if (c->needed)
		word[--length] = '\0';
	if (length > 5 && !strcmp(word + length - 5, ".json"))
		return table_source_json(r, c, word, path);
	c->from = word;
	c->extractor = table_extractor(word);
	return c->extractor ? 0 : table_wrong(r, "no such extractor", word);
}

static int table_format(struct table_reader *r, struct column *c, const char *estimator, const char *decimals, const char *better)
{
	static const char *const sides[] = { "-", "lower", "higher", NULL };
	int e = table_place(estimate_names, estimator), side = table_place(sides, better);

	if (e < 0)
		return table_wrong(r, "no such estimator", estimator);
	c->estimator = (enum estimator)e;
	c->decimals = !strcmp(decimals, "text") ? TABLE_TEXT : decimals[0] - '0';
	if (c->decimals != TABLE_TEXT && (!isdigit((unsigned char)decimals[0]) || decimals[1]))
		return table_wrong(r, "decimals are text or 0 to 9, not", decimals);
	if (side < 0)
		return table_wrong(r, "better is lower, higher or -, not", better);
	c->better = side ? sides[side] : "";
	return 0;
}

static const char *table_word(const char *word)
{
	return strcmp(word, "-") ? word : "";
}

static int table_add_column(struct table_reader *r)
{
	static const char *const ends[TABLE_ENDS] = { "", "_low", "_high", "_above" };
	struct table *t = r->tables->n ? &r->tables->table[r->tables->n - 1] : NULL;
	struct column *c;
	int err;

	if (!t)
		return table_wrong(r, "a column before the first table", r->word[0]);
	if (r->n != 7)
		return table_wrong(r, "a column wants NAME HEADING UNIT SOURCE ESTIMATOR DECIMALS BETTER", r->word[0]);
	if (!table_is_name(r->word[0]) || !strcmp(r->word[0], "schema"))
		return table_wrong(r, "no name for a column", r->word[0]);
	room_more(t->column, t->n);
	c = &t->column[t->n++];
	*c = (struct column){ .name = r->word[0], .heading = table_word(r->word[1]), .unit = table_word(r->word[2]), .place = t->places };
	err = table_format(r, c, r->word[4], r->word[5], r->word[6]);
	if (!err)
		err = table_source(r, c, r->word[3]);
	if (!err && (c->source == SOURCE_ROW) != (t->rows != NULL))
		return table_wrong(r, t->rows ? "of rows that others write the source is -" : "a table of cells wants a source", c->name);
	for (int e = 0; !err && e <= estimate_ends(c->estimator); e++, t->places++) {
		room_kept(asprintf(&c->end[e], "%s%s", c->name, ends[e]) < 0);
		for (size_t i = 0; i + 1 < t->n; i++)
			for (int o = 0; o <= estimate_ends(t->column[i].estimator); o++)
				if (!strcmp(t->column[i].end[o], c->end[e]))
					return table_wrong(r, "a second column of that name", c->end[e]);
	}
	return err;
}

static int table_check_column(struct table_reader *r, const struct table *t, char *name)
{
	char *end = name + strlen(name);

	if (end > name && end[-1] == '?')
		end[-1] = '\0';
	return table_column(t, name) ? 0 : table_wrong(r, "no such column of that table", name);
}

static int table_check_breaks(struct table_reader *r, const struct table *t, char *words)	/* AXIS:COLUMN>LIMIT */
{
	char *of = strchr(words, ':'), *limit = strchr(words, '>');
	int err;

	if (!of || !limit || limit < of)
		return table_wrong(r, "breaks wants AXIS:COLUMN>LIMIT", words);
	*of = *limit = '\0';
	err = table_check_column(r, t, words);
	return err ? err : table_check_column(r, t, of + 1);
}

static int table_check_at(struct table_reader *r, const struct table *t, char *words)	/* COLUMN:least|most|VALUE,... */
{
	char *rest = words, *one;

	while ((one = strsep(&rest, ","))) {
		char *which = strchr(one, ':');
		int err;

		if (!which || !which[1])
			return table_wrong(r, "at= takes COLUMN:least, COLUMN:most or COLUMN:VALUE", one);
		*which = '\0';
		err = table_check_column(r, t, one);
		if (err)
			return err;
	}
	return 0;
}

/* Views are the report's; here they are only held against the tables. */
static int table_check_view(struct table_reader *r)
{
	const struct table *t = table_find(r->tables, r->word[2]);
	int err = t ? 0 : table_wrong(r, "no such table above", r->word[2]);

	for (size_t i = 4; !err && i < r->n; i++) {
		char *word = r->word[i], *is = strchr(word, '='), *of = strchr(word, ':');

		if (!strncmp(word, "breaks=", 7)) {
			err = table_check_breaks(r, t, is + 1);
		} else if (!strncmp(word, "at=", 3)) {
			err = table_check_at(r, t, is + 1);
		} else if (!strncmp(word, "by=", 3) || !strncmp(word, "only=", 5) || !strncmp(word, "rank=", 5)) {
			err = table_check_column(r, t, is + 1);
		} else if (of) {	/* TABLE:COLUMN */
			const struct table *other;

			*of = '\0';
			other = table_find(r->tables, word);
			err = other ? table_check_column(r, other, of + 1) : table_wrong(r, "no such table above", word);
		} else {
			err = table_check_column(r, t, word);
		}
	}
	return err;
}

static int table_counts(struct table_reader *r)
{
	r->tables->counts = r->word[1];
	return table_is_name(r->word[1]) ? 0 : table_wrong(r, "counts wants one WORD", NULL);
}

static int table_file(struct table_reader *r, const char *path);

/* Named from the folder of this file. */
static int table_include(struct table_reader *r)
{
	struct table_reader inner = { .why = r->why, .tables = r->tables, .depth = r->depth + 1 };
	const char *slash = strrchr(r->path, '/');
	char path[TABLE_PATH];

	if (inner.depth > 4)
		return table_wrong(r, "include wants one FILE, and not one that includes this", NULL);
	snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - r->path) : 0, r->path, r->word[1]);
	return table_file(&inner, path);
}

static int table_line(struct table_reader *r, char *text)
{
	static const struct {
		const char *word;
		size_t least, most;
		int (*read)(struct table_reader *r);
		const char *wants;
	} lines[] = {
		{ "table", 3, WORDS, table_begin, "table wants NAME cells|rows:EXTRACTOR|given [schema=WORD] [optional]" },
		{ "view", 5, WORDS, table_check_view,
			"view wants ID TABLE TITLE [by=COLUMN] [only=COLUMN] [rank=COLUMN [at=COLUMN:VALUE,...]] [breaks=AXIS:COLUMN>LIMIT] COLUMN..." },
		{ "include", 2, 2, table_include, "include wants one FILE, and not one that includes this" },
		{ "counts", 2, 2, table_counts, "counts wants one WORD" },
	};
	int err = table_split(r, text);

	if (err || !r->n)
		return err;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strcmp(r->word[0], lines[i].word))
			return r->n < lines[i].least || r->n > lines[i].most ? table_wrong(r, lines[i].wants, NULL) : lines[i].read(r);
	if (r->n != 2 || strcmp(r->word[0], "repeats") || strcmp(r->word[1], "found"))
		return table_add_column(r);
	r->tables->found = true;
	return 0;
}

static int table_file(struct table_reader *r, const char *path)
{
	FILE *in = fopen(path, "re");
	char *text = NULL, *line;
	size_t room = 0;
	bool some;

	if (!in) {
		snprintf(r->why->text, sizeof(r->why->text), "%s: %s", path, strerror(errno));
		return -errno;
	}
	some = getdelim(&text, &room, '\0', in) > 0;
	fclose(in);
	room_more(r->tables->text, r->tables->texts);
	r->tables->text[r->tables->texts++] = text;
	for (r->path = path, line = text; some && line && *line; line = text) {
		do {	/* with those after it that begin with a blank */
			text = strchr(text, '\n');
			r->line++;
		} while (text && (*++text == ' ' || *text == '\t'));
		if (text)
			text[-1] = '\0';
		if (table_line(r, line))
			return -EPROTO;
	}
	return 0;
}

bool tables_read(const char *path, struct tables *out, struct why *why)
{
	struct table_reader r = { .why = why, .tables = out };

	*out = (struct tables){ 0 };
	snprintf(why->text, sizeof(why->text), "%s: no table", path);
	if (!table_file(&r, path) && out->n)
		return true;
	tables_free(out);
	return false;
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
		for (size_t k = 0; k < all->table[i].n; k++)
			for (int e = 0; e < TABLE_ENDS; e++)
				free(all->table[i].column[k].end[e]);
		free(all->table[i].column);
	}
	for (size_t i = 0; i < all->texts; i++)
		free(all->text[i]);
	free(all->table);
	free(all->text);
	*all = (struct tables){ 0 };
}
