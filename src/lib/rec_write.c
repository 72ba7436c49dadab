// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory.h"
#include "rec_tree.h"
#include "text.h"

/* Writes a JSON string; bytes that are no UTF-8 (in file names, window titles) become U+FFFD. */
static void write_json_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		int n = text_utf8_length(p);

		if (*p == '"' || *p == '\\')
			fprintf(out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			fprintf(out, "\\u%04x", *p);
		else if (p[0] == 0xc2 && p[1] < 0xa0) /* C1 control characters */
			fprintf(out, "\\u%04x", p[1]);
		else if (!n)
			fputs("\xef\xbf\xbd", out);
		else
			fwrite(p, 1, (size_t)n, out);
		p += n > 1 ? n - 1 : 0;
	}
	fputc('"', out);
}

static void write_json_node(FILE *out, const struct rec_node *n, int indent)
{
	if (n->key) {
		write_json_text(out, n->key);
		fputs(": ", out);
	}
	if (n->kind == STRING) {
		write_json_text(out, n->text ? n->text : "");
		return;
	}
	if (n->kind == NUMBER || n->kind == WORD) {
		fputs(n->text ? n->text : "null", out);
		return;
	}
	fputc(n->kind == OBJECT ? '{' : '[', out);
	for (const struct rec_node *c = n->first; c; c = c->next) {
		fprintf(out, "%s\n%*s", c == n->first ? "" : ",", indent + 1, "");
		write_json_node(out, c, indent + 1);
	}
	if (n->first)
		fprintf(out, "\n%*s", indent, "");
	fputc(n->kind == OBJECT ? '}' : ']', out);
}

static void join_key_path(char *path, size_t size, const char *prefix, const struct rec_node *n, int index)
{
	const char *dot = *prefix ? "." : "";

	if (n->key)
		snprintf(path, size, "%s%s%s", prefix, dot, n->key);
	else
		snprintf(path, size, "%s%s%d", prefix, dot, index);
}

static bool is_null_leaf(const struct rec_node *n)
{
	return !n->text || (n->kind == WORD && !strcmp(n->text, "null"));
}

/* Writes a leaf; `none` in place of null. */
static void write_leaf(FILE *out, const struct rec_node *n, const char *none)
{
	text_write_printable(out, is_null_leaf(n) ? none : n->text);
}

static bool is_leaf(const struct rec_node *n)
{
	return n->kind != OBJECT && n->kind != ARRAY;
}

/* Whether a node is an array of up to 16 numbers, which is printed in one line. */
static bool is_short_array(const struct rec_node *n)
{
	int count = 0;

	if (n->kind != ARRAY)
		return false;
	for (const struct rec_node *c = n->first; c; c = c->next)
		if ((c->kind != NUMBER && c->kind != WORD) || ++count > 16)
			return false;
	return count > 0;
}

static void write_numbers(FILE *out, const struct rec_node *n)
{
	for (const struct rec_node *c = n->first; c; c = c->next) {
		fputc(' ', out);
		write_leaf(out, c, "-");
	}
}

static const struct rec_node *find_child(const struct rec_node *n, const char *key)
{
	for (const struct rec_node *c = n ? n->first : NULL; c; c = c->next)
		if (c->key && !strcmp(c->key, key))
			return c;
	return NULL;
}

/* Whether this node is "above", "range" or "why", which stand for figures that are no number. */
static bool is_bounds(const struct rec_node *n)
{
	return n->kind == OBJECT && n->key && (!strcmp(n->key, "above") || !strcmp(n->key, "range") || !strcmp(n->key, "why"));
}

/* Writes an object of leaves in one line: "n 95  min 8.1  p50 9.3"; the bounds in "above" and "range" as "p99 >812", "p50 12.5 to
 * 201". */
static void write_short_object(FILE *out, const struct rec_node *n)
{
	const struct rec_node *above = find_child(n, "above"), *range = find_child(n, "range");

	for (const struct rec_node *c = n->first; c; c = c->next) {
		const struct rec_node *bound = c->key ? find_child(above, c->key) : NULL;
		const struct rec_node *ends = c->key ? find_child(range, c->key) : NULL;

		if (!is_short_array(c) && (!is_leaf(c) || (!bound && !ends && is_null_leaf(c))))
			continue;
		fprintf(out, "%s %s", c == n->first ? "" : " ", c->key ? c->key : "");
		if (!is_leaf(c)) {
			write_numbers(out, c);
			continue;
		}
		fputs(bound ? " >" : " ", out);
		write_leaf(out, bound ? bound : ends ? ends->first : c, "-");
		if (!bound && ends) {
			fputs(" to ", out);
			write_leaf(out, ends->last, "-");
		}
	}
}

static bool is_short_object(const struct rec_node *n)
{
	for (const struct rec_node *c = n->first; c; c = c->next)
		if (!is_leaf(c) && !is_short_array(c) && !is_bounds(c))
			return false;
	return n->first != NULL;
}

static void write_report_as_text(FILE *out, const struct rec_node *n, int indent)
{
	for (const struct rec_node *c = n->first; c; c = c->next) {
		const char *key = c->key ? c->key : "-";
		bool one_line = c->kind == OBJECT && is_short_object(c) && indent > 0;

		if (!is_leaf(c) && !one_line && !is_short_array(c)) {
			fprintf(out, "%*s%s:%s\n", indent, "", key, c->first ? "" : " none");
			write_report_as_text(out, c, indent + 2);
			continue;
		}
		fprintf(out, "%*s%-*s", indent, "", 30 - indent, key);
		if (is_leaf(c)) {
			fputc(' ', out);
			write_leaf(out, c, "-");
		} else {
			(one_line ? write_short_object : write_numbers)(out, c);
		}
		fputc('\n', out);
	}
}

/* ---- REC_TSV: one array of the result, each element a line, its leaves in columns; or the result as one line ---- */

struct rec_row_columns {
	char **path;
	const struct rec_node **leaf; /* cells of the current row; NULL: empty */
	int n;
};

static void store_leaf(struct rec_row_columns *k, const char *path, const struct rec_node *leaf)
{
	int i = 0;

	while (i < k->n && strcmp(k->path[i], path) != 0)
		i++;
	if (i == k->n) {
		memory_more(k->leaf, (size_t)i);
		memory_more(k->path, (size_t)i);
		k->path[k->n++] = must_alloc(strdup(path));
	}
	k->leaf[i] = leaf;
}

static void fill_columns(struct rec_row_columns *k, const struct rec_node *n, const char *prefix)
{
	char path[512];
	int i = 0;

	if (is_leaf(n)) {
		store_leaf(k, *prefix ? prefix : "value", n);
		return;
	}
	for (const struct rec_node *c = n->first; c; c = c->next, i++) {
		join_key_path(path, sizeof(path), prefix, c, i);
		fill_columns(k, c, path);
	}
}

static void write_main_table(FILE *out, const struct rec_node *table, const char *schema)
{
	struct rec_row_columns k = { 0 };
	const struct rec_node *first = table->kind == OBJECT ? table : table->first;
	const struct rec_node *end = table->kind == OBJECT ? table->next : NULL;

	if (table->header)
		fill_columns(&k, table->header, "");
	for (const struct rec_node *row = first; row != end; row = row->next)
		fill_columns(&k, row, "");
	fputs("schema", out);
	for (int i = 0; i < k.n; i++)
		fprintf(out, "\t%s", k.path[i]);
	for (const struct rec_node *row = first; row != end; row = row->next) {
		memset(k.leaf, 0, (size_t)k.n * sizeof(*k.leaf));
		fill_columns(&k, row, "");
		fprintf(out, "\n%s", schema);
		for (int i = 0; i < k.n; i++) {
			fputc('\t', out);
			if (k.leaf[i])
				write_leaf(out, k.leaf[i], NULL);
		}
	}
	fputc('\n', out);
	for (int i = 0; i < k.n; i++)
		free(k.path[i]);
	free(k.path);
	free(k.leaf);
}

void rec_write_tree(FILE *out, enum rec_format format, const struct rec_node *root, const char *table)
{
	const char *schema = root->first && root->first->text ? root->first->text : "";
	const struct rec_node *result = find_child(root, "result");
	const struct rec_node *main_table = table ? find_child(result, table) : NULL;

	switch (format) {
	case REC_JSON:
		write_json_node(out, root, 0);
		fputc('\n', out);
		break;
	case REC_TSV: write_main_table(out, main_table ? main_table : result ? result : root, schema); break;
	default: write_report_as_text(out, root, 0);
	}
}
