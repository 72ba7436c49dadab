// SPDX-License-Identifier: GPL-3.0-or-later
#include "pooled.h"
#include "memory.h"
#include "rows_in.h"
#include "welch.h"

#include <errno.h>
#include <math.h>

#define ROUNDING 1e-9

enum { FROM, TO, LOW, HIGH, REPEATS, VARIANT, CELL, METRIC, WHY, COLUMNS };
static const char *const columns[COLUMNS + 1] = {
	"from", "to", "low", "high", "repeats", "variant", "cell", "metric", "why", NULL
};

static bool read_number(const char *cell, double *out)
{
	char *end = NULL;

	*out = *cell ? strtod(cell, &end) : (double)NAN;
	return !end || !*end;
}

static int read_row(void *context, char *const *cell)
{
	struct block_table *t = context;
	struct block_pooled p = { 0 };

	if (!read_number(cell[FROM], &p.from) || !read_number(cell[TO], &p.to) || !read_number(cell[LOW], &p.low) ||
	    !read_number(cell[HIGH], &p.high) || !rows_in_count(cell[REPEATS], &p.repeats))
		return -EPROTO;
	if (isnan(p.to) && !isnan(p.from))
		p.to = (double)INFINITY;
	for (struct block_series *s = t->series; s < t->series + t->n; s++)
		if (!strcmp(s->metric, cell[METRIC]) && !strcmp(s->cell, cell[CELL])) {
			struct block_pooled *of = &s->pooled[!strcmp(cell[VARIANT], "b")];

			free(of->why);
			*of = p;
			of->why = must_alloc(strdup(cell[WHY]));
		}
	return 0;
}

int pooled_read(FILE *in, struct block_table *t, unsigned long *line)
{
	return rows_in_read(in, "pooled/1", columns, COLUMNS, read_row, t, line);
}

static bool is_known(const struct block_pooled *p)
{
	return p->repeats > 0 && !isnan(p->from);
}

static double scaled(const struct block_series *s, double v)
{
	return s->relative ? log(v) : v;
}

/* Half the width of the interval from `low` to x or from x to `high`, and of the other from y. */
static double half_width(const struct block_series *s, double x, double x_end, double y, double y_end)
{
	return hypot(scaled(s, x) - scaled(s, x_end), scaled(s, y) - scaled(s, y_end));
}

/* Compares them, or returns why not. */
static const char *compare_known(struct block_series *s, const struct block_effect *effect)
{
	const struct block_pooled *a = &s->pooled[VARIANT_A], *b = &s->pooled[VARIANT_B];
	bool up = b->from >= a->to, exact = a->from == a->to && b->from == b->to;
	double x = up ? a->to : a->from, y = up ? b->from : b->to, mean, down_side, up_side, half;
	int64_t n = a->repeats < b->repeats ? a->repeats : b->repeats;

	if (!up && !(b->to <= a->from))
		return "range";
	if (isnan(a->low + a->high + b->low + b->high) || n < DECIDE_STARTS)
		return "no interval";
	s->typical[VARIANT_A] = x;
	s->typical[VARIANT_B] = y;
	blocks_choose_scale(s, effect, a->low > 0 && b->low > 0);
	mean = scaled(s, y) - scaled(s, x);
	if (!exact && fabs(mean) < s->figure.effect)
		return "range";
	down_side = half_width(s, x, a->high, y, b->low);
	up_side = half_width(s, x, a->low, y, b->high);
	half = exact ? fmax(down_side, up_side) : up ? down_side : up_side;
	half = half < ROUNDING ? 0 : half;
	if (half == 0 && mean != 0)
		return "no spread";
	s->figure = (struct decide_figure){ .effect = s->figure.effect,
					    .n = (size_t)n,
					    .mean = mean,
					    .freedom = (double)(n - 1),
					    .error = half / welch_quantile((double)(n - 1), 0.975) };
	s->constant = false;
	s->pairs = (size_t)n;
	for (int v = 0; v < VARIANTS; v++) {
		s->known[v] = (size_t)s->pooled[v].repeats;
		s->unknown[v] = 0;
	}
	return NULL;
}

/* Says why not, if A or B has it or should have it. A percentile of too few keys is in no table; B is not worse than what was
 * overloaded. */
static void compare_series(struct block_series *s, const struct block_effect *effect)
{
	bool a = is_known(&s->pooled[VARIANT_A]), b = is_known(&s->pooled[VARIANT_B]);
	enum variant lacks = b ? VARIANT_A : VARIANT_B;
	const char *why = s->pooled[lacks].why;

	if (a && b)
		s->why = compare_known(s, effect);
	else if (a)
		s->why = why && *why ? why : "not measured";
	else if (why && *why && strcmp(why, "too few") != 0 && !(b && !strcmp(why, "overloaded")))
		s->why = why;
	s->lacks = a && b ? VARIANTS : lacks;
}

void pooled_compare(struct block_table *t, const struct block_effect *effect)
{
	for (struct block_series *s = t->series; s < t->series + t->n; s++)
		if (s->figure.n < DECIDE_STARTS && !s->constant)
			compare_series(s, effect);
}
