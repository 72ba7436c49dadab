// SPDX-License-Identifier: GPL-3.0-or-later
/* The lines of the short report: sentences and small tables. */
#include "memory.h"
#include "rec_tree.h"
#include "text.h"

#include <math.h>

#define COLUMNS_MAX 16
#define ROWS_SHOWN 5 /* rows printed of a longer table */

void rec_append_line(struct rec_lines *to, enum rec_line_kind kind, const char *align, const char *format, va_list args)
{
	struct rec_line *line = memory_new(1, sizeof(*line)), **before;

	*line = (struct rec_line){ .kind = kind, .rank = NAN, .align = align };
	memory_refuse_lost(vasprintf(&line->text, format, args) < 0);
	/* warnings and the summary stand before all others, so that none of them cuts a table in two */
	before = kind == LINE_WARNED || kind == LINE_SUMMARY ? &to->ahead : &to->last;
	line->next = *before ? (*before)->next : to->first;
	*(*before ? &(*before)->next : &to->first) = line;
	*before = line;
	if (!line->next)
		to->last = line;
}

const char *rec_find_summary(const struct rec_lines *lines)
{
	const struct rec_line *said = NULL;

	for (const struct rec_line *l = lines->first; l; l = l->next) {
		if (l->kind == LINE_WARNED)
			return l->text;
		if (l->kind == LINE_SUMMARY || (l->kind == LINE_SAID && !said))
			said = l;
	}
	return said ? said->text + strspn(said->text, " ") : NULL;
}

struct table_row_cell {
	const char *text;
	size_t bytes;
};

static int split_cells(const char *text, struct table_row_cell *cell)
{
	int n = 0;

	for (;; text++) {
		cell[n].text = text;
		cell[n].bytes = strcspn(text, "\t");
		text += cell[n++].bytes;
		if (!*text || n == COLUMNS_MAX)
			return n;
	}
}

/* Whether a row has two cells in a wider table: a name and a text of any length. */
static bool is_named_text(int cells, int columns)
{
	return cells == 2 && columns > 2;
}

static void widen_columns(const char *text, int columns, int *width)
{
	struct table_row_cell cell[COLUMNS_MAX];
	int n = split_cells(text, cell);

	for (int i = 0; i < n && i < columns && !(i && is_named_text(n, columns)); i++)
		if (text_columns(cell[i].text, cell[i].bytes) > width[i])
			width[i] = text_columns(cell[i].text, cell[i].bytes);
}

static void append_cell(char *line, size_t size, int blanks, const struct table_row_cell *cell)
{
	size_t at = strlen(line);

	snprintf(line + at, size - at, "%*s%.*s", blanks > 0 ? blanks : 0, "", (int)cell->bytes, cell->text);
}

/* Writes a row of a table, wrapped below its second column or, of a long row, its beginning. */
static void write_table_row(FILE *out, const char *text, const char *align, const int *width, int gap, bool wrap)
{
	struct table_row_cell cell[COLUMNS_MAX];
	int n = split_cells(text, cell), columns = (int)strlen(align), start = 0, at = 0;
	char line[1024] = "";
	size_t end;
	int indent = n > 1 && is_named_text(n, columns) ? width[0] + gap : (int)strspn(text, " ") + 2;

	for (int i = 0; i < n; i++) {
		int wide = text_columns(cell[i].text, cell[i].bytes);
		bool right = i < columns && align[i] == 'r' && !(i && is_named_text(n, columns));

		if (wide) {
			append_cell(line, sizeof(line), start + (right ? width[i] - wide : 0) - at, &cell[i]);
			at = text_columns(line, strlen(line));
		}
		start += (i < columns ? width[i] : wide) + gap;
	}
	end = strlen(line);
	while (end && line[end - 1] == ' ')
		line[--end] = '\0';
	if (wrap) {
		text_write_wrapped(out, "", line, indent);
		return;
	}
	text_write_printable(out, line);
	fputc('\n', out);
}

/* Sets `shown` of the rows of a table: all, or of a long table the first, the worst, the last and some between. Returns
 * their number. */
static int choose_shown_rows(struct rec_line *head, bool all)
{
	int n = 0, i = 0, worst = -1, chosen[ROWS_SHOWN];
	double rank = -INFINITY;

	for (struct rec_line *l = head->next; l && l->kind == LINE_ROW; l = l->next, n++)
		if (isfinite(l->rank) && l->rank > rank) {
			worst = n;
			rank = l->rank;
		}
	for (int k = 0; k < ROWS_SHOWN; k++) {
		chosen[k] = k * (n - 1) / (ROWS_SHOWN - 1);
		if (chosen[k] == worst)
			worst = -1;
	}
	if (worst >= 0 && n > ROWS_SHOWN) { /* replaces the nearest of those between */
		int k = (worst * (ROWS_SHOWN - 1) + (n - 1) / 2) / (n - 1);

		chosen[k < 1 ? 1 : k > ROWS_SHOWN - 2 ? ROWS_SHOWN - 2 : k] = worst;
	}
	for (struct rec_line *l = head->next; l && l->kind == LINE_ROW; l = l->next, i++) {
		l->shown = all || n <= ROWS_SHOWN;
		for (int k = 0; k < ROWS_SHOWN; k++)
			l->shown |= chosen[k] == i;
	}
	return n;
}

static struct rec_line *write_text_table(FILE *out, struct rec_line *head, bool all)
{
	int columns = (int)strlen(head->align), width[COLUMNS_MAX] = { 0 }, total = 0, gap = 3, rows = choose_shown_rows(head, all),
	    hidden = 0;
	struct rec_line *l;

	widen_columns(head->text, columns, width);
	for (l = head->next; l && l->kind == LINE_ROW; l = l->next)
		if (l->shown)
			widen_columns(l->text, columns, width);
	for (int i = 0; i < columns; i++)
		total += width[i];
	if (total + gap * (columns - 1) > text_line_width(out))
		gap = 2;
	if (*head->text)
		write_table_row(out, head->text, head->align, width, gap, !all);
	for (l = head->next; l && l->kind == LINE_ROW; l = l->next) {
		if (l->shown)
			write_table_row(out, l->text, head->align, width, gap, !all);
		hidden += !l->shown;
	}
	if (hidden)
		fprintf(out, "%d of %d rows; --tsv has all\n", rows - hidden, rows);
	return l;
}

bool rec_write_lines(FILE *out, const struct rec_lines *lines, bool warnings_only, bool all)
{
	bool some = false;

	for (const struct rec_line *l = lines->first; l; l = l->next)
		if (l->kind == LINE_WARNED)
			text_write_wrapped(out, "! ", l->text, 2);
	for (struct rec_line *l = lines->first; l && !warnings_only;) {
		if (l->kind == LINE_HEAD) {
			l = write_text_table(out, l, all);
			some = true;
			continue;
		}
		if (l->kind == LINE_SAID) {
			text_write_wrapped(out, "", l->text, (int)strspn(l->text, " ") + 2);
			some = true;
		}
		l = l->next;
	}
	return some;
}

void rec_free_lines(struct rec_lines *lines)
{
	for (struct rec_line *l = lines->first, *next; l; l = next) {
		next = l->next;
		free(l->text);
		free(l);
	}
}
