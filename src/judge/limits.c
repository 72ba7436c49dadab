// SPDX-License-Identifier: GPL-3.0-or-later
#include "limits.h"
#include "memory.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>

static bool is_kept(const struct limit *l, double value)
{
	if (value == l->bound)
		return l->op[1] == '=';
	return l->op[0] == '<' ? value < l->bound : value > l->bound;
}

static enum limit_word judge_figure(const struct limit *l, const struct limit_figure *f)
{
	double low = isnan(f->low) && !isnan(f->high) ? -(double)INFINITY : f->low;
	double high = isnan(f->high) && !isnan(f->low) ? (double)INFINITY : f->high;
	bool from = is_kept(l, f->from), to = is_kept(l, f->to);
	bool least = is_kept(l, fmin(f->from, low)), most = is_kept(l, fmax(f->to, high)); /* (these ignore a NAN) */

	if (isnan(f->from))
		return LIMIT_ABSENT;
	if (l->range_breaks && f->from != f->to && !from && !to)
		return LIMIT_BROKEN;
	if (least == most)
		return least ? LIMIT_HOLDS : LIMIT_BROKEN;
	return from != to ? LIMIT_RANGE : LIMIT_OPEN;
}

static bool is_nearer(const struct limit *l, const struct limit_figure *a, const struct limit_figure *b)
{
	if (l->op[0] == '<')
		return a->to > b->to || (a->to == b->to && a->from > b->from);
	return a->from < b->from || (a->from == b->from && a->to < b->to);
}

void limit_add(struct limit *l, const struct limit_figure *f)
{
	enum limit_word word = judge_figure(l, f);
	size_t doubtful = l->count[LIMIT_RANGE] + l->count[LIMIT_OPEN];

	if (word != LIMIT_ABSENT && (l->figures == l->count[LIMIT_ABSENT] || is_nearer(l, f, &l->at[0]))) {
		l->worst = l->figures;
		l->at[0] = *f;
	}
	if ((word == LIMIT_RANGE || word == LIMIT_OPEN) && (!doubtful || is_nearer(l, f, &l->at[1]))) {
		l->doubtful = l->figures;
		l->at[1] = *f;
	}
	l->figures++;
	l->count[word]++;
}

bool limit_leans_to_break(const struct limit *l)
{
	return l->count[LIMIT_RANGE] + l->count[LIMIT_OPEN] > 0 && !is_kept(l, l->op[0] == '<' ? l->at[1].to : l->at[1].from);
}

enum limit_word limit_conclude(const struct limit *l)
{
	if (l->count[LIMIT_BROKEN] || (l->range_breaks && l->count[LIMIT_RANGE]))
		return LIMIT_BROKEN;
	return !l->doubt && l->figures && l->count[LIMIT_HOLDS] == l->figures ? LIMIT_HOLDS : LIMIT_OPEN;
}

enum { LIMIT, OP, BOUND, FROM, TO, LOW, HIGH, COLUMNS };
static const char *const columns[COLUMNS + 1] = { "limit", "op", "bound", "from", "to", "low", "high", NULL };

static int read_row(void *context, char *const *cell)
{
	struct limit_list *list = context;
	struct limit_figure f;
	double *const numbers[] = { &f.from, &f.to, &f.low, &f.high };
	const char *op = cell[OP];
	int64_t number;
	double bound;
	char *end;

	bound = strtod(cell[BOUND], &end);
	if (!rows_in_count(cell[LIMIT], &number) || number < 0 || (size_t)number > list->n || end == cell[BOUND] || *end ||
	    !isfinite(bound) || (*op != '<' && *op != '>') || (op[1] && strcmp(op + 1, "=") != 0))
		return -EPROTO;
	for (int i = FROM; i <= HIGH; i++) {
		*numbers[i - FROM] = *cell[i] ? strtod(cell[i], &end) : (double)NAN;
		if (*cell[i] && *end)
			return -EPROTO;
	}
	if (isnan(f.to))
		f.to = (double)INFINITY;
	if ((size_t)number == list->n) {
		memory_more(list->limit, list->n);
		list->limit[list->n] = (struct limit){ .bound = bound, .range_breaks = list->range_breaks, .doubt = list->doubt };
		snprintf(list->limit[list->n++].op, sizeof(list->limit->op), "%s", op);
	}
	limit_add(&list->limit[number], &f);
	return 0;
}

int limits_read(FILE *in, struct limit_list *out, unsigned long *line)
{
	out->limit = memory_new(1, sizeof(*out->limit));
	return rows_in_read(in, "limits/1", columns, COLUMNS, read_row, out, line);
}
