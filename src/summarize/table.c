// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"

#include <ctype.h>
#include <stdnoreturn.h>

#define WORDS 64
#define BLANKS " \t\r\n"

struct table_definition_reader {
	const char *path;
	unsigned long line;
	int depth; /* nesting of includes; 0: the experiment's own table */
	struct tables *tables;
	char *word[WORDS]; /* words of the current line */
	size_t n;
};

/* Ends the program with one line; word: the word at fault, or NULL. */
static noreturn void table_die_at_bad_word(const struct table_definition_reader *r, const char *what, const char *word)
{
	die(EXIT_RUN, "%s:%lu: %s%s%s", r->path, r->line, what, word ? ": " : "", word ? word : "");
}

/* Splits the line into words, in place. A word in quotes may be empty. */
static void table_split_definition_line(struct table_definition_reader *r, char *p)
{
	char *end;

	for (r->n = 0; p += strspn(p, BLANKS), *p && *p != '#'; p = end) {
		if (r->n == WORDS)
			table_die_at_bad_word(r, "too many words", NULL);
		end = *p == '"' ? strchr(++p, '"') : p + strcspn(p, BLANKS);
		if (!end)
			table_die_at_bad_word(r, "a quote without its end", NULL);
		if (*end == '"' && end[1] && !isspace((unsigned char)end[1]))
			table_die_at_bad_word(r, "no blank after a quote", NULL);
		r->word[r->n++] = p;
		if (*end)
			*end++ = '\0';
	}
}

static const struct extractor_hooks *table_find_extractor(const char *name)
{
	for (size_t i = 0; extractors[i]; i++)
		if (!strcmp(extractors[i]->name, name))
			return extractors[i];
	return NULL;
}

static bool table_is_valid_name(const char *word)
{
	return *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(word);
}

static struct table *table_find(const struct table_definition_reader *r, const char *name)
{
	for (size_t i = 0; i < r->tables->n; i++)
		if (!strcmp(r->tables->table[i].name, name))
			return &r->tables->table[i];
	return NULL;
}

static void table_read_table_line(struct table_definition_reader *r)
{
	static const char *const taken[] = { "schema", "long", "run", "thresholds", NULL };
	struct tables *all = r->tables;
	struct table t = { .name = r->word[1] };

	if (find_word(taken, t.name) >= 0)
		table_die_at_bad_word(r, "a name that a run's own files have", t.name);
	if (!table_is_valid_name(t.name))
		table_die_at_bad_word(r, "table wants NAME cells|rows:EXTRACTOR|given [schema=WORD] [optional] [raw]", NULL);
	if (table_find(r, t.name))
		table_die_at_bad_word(r, "a second table of that name", t.name);
	snprintf(t.schema, sizeof(t.schema), "%s/1", t.name);
	for (size_t i = 3; i < r->n; i++) {
		if (!strncmp(r->word[i], "schema=", 7))
			snprintf(t.schema, sizeof(t.schema), "%s", r->word[i] + 7);
		else if (!strcmp(r->word[i], "optional"))
			t.optional = true;
		else if (!strcmp(r->word[i], "raw"))
			t.raw = true;
		else
			table_die_at_bad_word(r, "neither schema=WORD, optional nor raw", r->word[i]);
	}
	if (!strncmp(r->word[2], "rows:", 5)) {
		t.rows = r->word[2] + 5;
		t.extractor = table_find_extractor(t.rows);
		if (!t.extractor || !t.extractor->tables[0].write)
			table_die_at_bad_word(r, "no extractor of rows", t.rows);
	} else if (!strcmp(r->word[2], "given")) {
		t.rows = r->word[2];
		t.given = true;
	} else if (strcmp(r->word[2], "cells") != 0) {
		table_die_at_bad_word(r, "neither cells, given nor rows:EXTRACTOR", r->word[2]);
	}
	memory_more(all->table, all->n);
	all->table[all->n++] = t;
}

/* Ends `word` at its first `at`. Returns what follows that character; NULL: the word has none. */
static char *table_split_word(char *word, char at)
{
	char *behind = strchr(word, at);

	if (behind)
		*behind++ = '\0';
	return behind;
}

static void table_read_json_source(struct table_definition_reader *r, struct column *c, char *word, char *path)
{
	char *file = table_split_word(word, '/');

	c->source = SOURCE_JSON;
	c->series = file ? word : NULL;
	c->from = file ? file : word;
	c->over = table_split_word(path, '/');
	if (!!c->over != (c->estimator == ESTIMATE_SHARE_CI))
		table_die_at_bad_word(r, "share+ci, and it alone, wants FILE:PATH/PATH", c->name);
	if (c->estimator < ESTIMATE_RANGE)
		table_die_at_bad_word(r, "a number of repeats wants an estimator", c->name);
}

static void table_read_column_source(struct table_definition_reader *r, struct column *c, char *word)
{
	static const char *const kinds[] = { "-", "param", "count", "run", NULL }; /* in the order of enum column_source */
	static const char *const counts[] = {
		"state", "measured", "complete", "failed", "flagged", "tried", "reason", "name", NULL
	};
	char *path = table_split_word(word, ':');
	int kind = find_word(kinds, word), count;
	size_t length = strlen(word);

	c->source = kind < 0 ? SOURCE_EXTRACTOR : (enum column_source)kind;
	c->path = c->source == SOURCE_PARAM && !path ? c->name : path;
	if (c->source == SOURCE_ROW ? !!path : !c->path || !*c->path)
		table_die_at_bad_word(r, "a source is -, param, count:WORD, run:PATH, FILE.json:PATH or EXTRACTOR:FIGURE, not",
				      word);
	if (c->source == SOURCE_COUNT) {
		count = find_word(counts, path);
		c->count = (enum count_kind)count;
		if (count < 0)
			table_die_at_bad_word(r, "no such count", path);
	}
	if (c->source != SOURCE_EXTRACTOR)
		return;
	c->needed = length > 6 && !strcmp(word + length - 6, ".json!");
	if (c->needed)
		word[--length] = '\0';
	if (length > 5 && !strcmp(word + length - 5, ".json")) {
		table_read_json_source(r, c, word, path);
		return;
	}
	c->from = word;
	c->extractor = table_find_extractor(word);
	if (!c->extractor)
		table_die_at_bad_word(r, "no such extractor", word);
}

static void table_read_column_format(struct table_definition_reader *r, struct column *c, const char *estimator,
				     const char *decimals, const char *better)
{
	static const char *const sides[] = { "-", "lower", "higher", NULL };
	int e = find_word(estimate_names, estimator), side = find_word(sides, better);

	if (e < 0)
		table_die_at_bad_word(r, "no such estimator", estimator);
	c->estimator = (enum estimator)e;
	c->negative = e == ESTIMATE_CHANGE_CI || !strncmp(decimals, "+-", 2);
	decimals += !strncmp(decimals, "+-", 2) ? 2 : 0;
	c->decimals = !strcmp(decimals, "text") ? TABLE_TEXT : decimals[0] - '0';
	if (c->decimals != TABLE_TEXT && (!isdigit((unsigned char)decimals[0]) || decimals[1]))
		table_die_at_bad_word(r, "decimals are text or 0 to 9, not", decimals);
	if (side < 0)
		table_die_at_bad_word(r, "better is lower, higher or -, not", better);
	c->better = side ? sides[side] : "";
}

static const char *table_dash_to_empty(const char *word)
{
	return strcmp(word, "-") ? word : "";
}

static void table_read_column_line(struct table_definition_reader *r)
{
	static const char *const ends[TABLE_ENDS] = { "", "_low", "_high", "_both", "_above", "_from", "_to", "_why" };
	struct table *t = r->tables->n ? &r->tables->table[r->tables->n - 1] : NULL;
	struct column *c;

	if (!t)
		table_die_at_bad_word(r, "a column before the first table", r->word[0]);
	if (r->n != 7)
		table_die_at_bad_word(r, "a column wants NAME HEADING UNIT SOURCE ESTIMATOR DECIMALS BETTER", r->word[0]);
	if (!table_is_valid_name(r->word[0]) || !strcmp(r->word[0], "schema"))
		table_die_at_bad_word(r, "no name for a column", r->word[0]);
	memory_more(t->column, t->n);
	c = &t->column[t->n++];
	*c = (struct column){ .name = r->word[0],
			      .heading = table_dash_to_empty(r->word[1]),
			      .unit = table_dash_to_empty(r->word[2]),
			      .place = t->places };
	table_read_column_format(r, c, r->word[4], r->word[5], r->word[6]);
	table_read_column_source(r, c, r->word[3]);
	if (t->rows ? c->source != SOURCE_ROW && c->source != SOURCE_PARAM : c->source == SOURCE_ROW)
		table_die_at_bad_word(
			r, t->rows ? "of rows that others write the source is - or param" : "a table of cells wants a source",
			c->name);
	for (int e = 0; e <= estimate_extra_columns(c->estimator); e++, t->places++) {
		memory_refuse_lost(asprintf(&c->end[e], "%s%s", c->name, ends[e]) < 0);
		for (size_t i = 0; i + 1 < t->n; i++)
			if (find_word((const char *const *)t->column[i].end, c->end[e]) >= 0)
				table_die_at_bad_word(r, "a second column of that name", c->end[e]);
	}
}

static void read_counts_unit(struct table_definition_reader *r)
{
	r->tables->counts = r->word[1];
	if (!table_is_valid_name(r->word[1]))
		table_die_at_bad_word(r, "counts wants one WORD", NULL);
}

static void table_read_definition_file(struct table_definition_reader *r, const char *path);

/* The path of an included file is relative to the folder of this file. */
static void table_read_included_file(struct table_definition_reader *r)
{
	struct table_definition_reader inner = { .tables = r->tables, .depth = r->depth + 1 };
	const char *slash = strrchr(r->path, '/');
	char path[TABLE_PATH];

	if (inner.depth > 4)
		table_die_at_bad_word(r, "include wants one FILE, and not one that includes this", NULL);
	snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - r->path) : 0, r->path, r->word[1]);
	table_read_definition_file(&inner, path);
}

static void table_read_definition_line(struct table_definition_reader *r, char *text)
{
	static const struct {
		const char *word;
		size_t least, most;
		void (*read)(struct table_definition_reader *r);
		const char *wants;
	} lines[] = {
		{ "table", 3, WORDS, table_read_table_line,
		  "table wants NAME cells|rows:EXTRACTOR|given [schema=WORD] [optional] [raw]" },
		{ "include", 2, 2, table_read_included_file, "include wants one FILE, and not one that includes this" },
		{ "counts", 2, 2, read_counts_unit, "counts wants one WORD" },
	};

	table_split_definition_line(r, text);
	for (size_t i = 0; r->n && i < sizeof(lines) / sizeof(*lines); i++)
		if (!strcmp(r->word[0], lines[i].word)) {
			if (r->n < lines[i].least || r->n > lines[i].most)
				table_die_at_bad_word(r, lines[i].wants, NULL);
			lines[i].read(r);
			return;
		}
	if (r->n == 2 && !strcmp(r->word[0], "repeats") && !strcmp(r->word[1], "found"))
		r->tables->skip_missing = true;
	else if (r->n)
		table_read_column_line(r);
}

static void table_read_definition_file(struct table_definition_reader *r, const char *path)
{
	FILE *in = fopen(path, "re");
	char *text = NULL, *line;
	size_t room = 0;
	bool some;

	if (!in)
		die(EXIT_RUN, "%s: %m", path);
	some = getdelim(&text, &room, '\0', in) > 0;
	fclose(in);
	memory_more(r->tables->text, r->tables->texts);
	r->tables->text[r->tables->texts++] = text;
	for (r->path = path, line = text; some && line && *line; line = text) {
		do { /* a line that begins with a blank belongs to the line before */
			text = strchr(text, '\n');
			r->line++;
		} while (text && (*++text == ' ' || *text == '\t'));
		if (text)
			text[-1] = '\0';
		table_read_definition_line(r, line);
	}
}

void tables_read_definitions(const char *path, struct tables *out)
{
	struct table_definition_reader r = { .tables = out };

	*out = (struct tables){ 0 };
	table_read_definition_file(&r, path);
	if (!out->n)
		die(EXIT_RUN, "%s: no table", path);
}

const struct column *table_find_column(const struct table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->column[i].name, name))
			return &t->column[i];
	return NULL;
}
