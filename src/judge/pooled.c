// SPDX-License-Identifier: GPL-3.0-or-later
#include "pooled.h"
#include "memory.h"
#include "rows_in.h"
#include "decide.h"

#include <errno.h>
#include <math.h>

#define ROUNDING 1e-9
#define REPEATS_LEAST 3

enum { FROM, TO, LOW, HIGH, REPEATS, VARIANT, CELL, METRIC, WHY, COLUMNS };
static const char *const columns[COLUMNS + 1] = {
	"from", "to", "low", "high", "repeats", "variant", "cell", "metric", "why", NULL
};

static int read_row(void *context, char *const *cell)
{
	struct block_table *t = context;
	struct block_pooled p;
	double *const numbers[] = { &p.from, &p.to, &p.low, &p.high };
	char *end;

	for (int i = 0; i < REPEATS; i++) {
		*numbers[i] = *cell[i] ? strtod(cell[i], &end) : (double)NAN;
		if (*cell[i] && *end)
			return -EPROTO;
	}
	if (!rows_in_count(cell[REPEATS], &p.repeats))
		return -EPROTO;
	p.why = cell[WHY];
	if (isnan(p.to) && !isnan(p.from))
		p.to = (double)INFINITY;
	for (struct block_series *s = t->series; s < t->series + t->n; s++)
		if (!strcmp(s->metric, cell[METRIC]) && !strcmp(s->cell, cell[CELL])) {
			struct block_pooled *of = &s->pooled[!strcmp(cell[VARIANT], "b")];

			free(of->why);
			*of = p;
			of->why = must_alloc(strdup(p.why));
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

static void take_logs(struct block_pooled *p)
{
	p->from = log(p->from);
	p->to = log(p->to);
	p->low = log(p->low);
	p->high = log(p->high);
}

/* Of numbers that lack an interval, as a percentile of too few keys, nothing can be told. Is B not worse by them alone? */
static bool is_aside(struct block_series *s, const struct block_effect *effect)
{
	const struct block_pooled *a = &s->pooled[VARIANT_A], *b = &s->pooled[VARIANT_B];
	double more;

	if (a->from != a->to || b->from != b->to || a->repeats < REPEATS_LEAST || b->repeats < REPEATS_LEAST)
		return false;
	s->typical[VARIANT_A] = a->from;
	s->typical[VARIANT_B] = b->from;
	blocks_choose_scale(s, effect, a->from > 0 && b->from > 0);
	more = s->relative ? log(b->from / a->from) : b->from - a->from;
	return (s->higher_is_better ? -more : more) < s->figure.effect;
}

/* Compares them, or returns why not. */
static const char *compare_known(struct block_series *s, const struct block_effect *effect)
{
	struct block_pooled a = s->pooled[VARIANT_A], b = s->pooled[VARIANT_B];
	bool up = b.from >= a.to, exact = a.from == a.to && b.from == b.to;
	int64_t n = a.repeats < b.repeats ? a.repeats : b.repeats;
	double mean, down_side, up_side, half;

	if (!up && !(b.to <= a.from))
		return "range";
	if (isnan(a.low + a.high + b.low + b.high) || n < REPEATS_LEAST)
		return "no interval";
	s->typical[VARIANT_A] = up ? a.to : a.from;
	s->typical[VARIANT_B] = up ? b.from : b.to;
	blocks_choose_scale(s, effect, a.low > 0 && b.low > 0);
	if (s->relative) {
		take_logs(&a);
		take_logs(&b);
	}
	mean = up ? b.from - a.to : b.to - a.from;
	if (!exact && fabs(mean) < s->figure.effect)
		return "range";
	down_side = hypot(b.from - b.low, a.high - a.to);
	up_side = hypot(b.high - b.to, a.from - a.low);
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

	if (a && b) {
		s->why = compare_known(s, effect);
		s->aside = s->why && !strcmp(s->why, "no interval") && is_aside(s, effect);
	} else if (a)
		s->why = why && *why ? why : "not measured";
	else if (why && *why && strcmp(why, "too few") != 0 && !(b && !strcmp(why, "overloaded")))
		s->why = why;
	s->lacks = a && b ? VARIANTS : lacks;
}

/* All repeats of A have one value and all of B another: a share of 0 and of 100 %, of which the pooled intervals know more. */
static bool lacks_spread(const struct block_series *s)
{
	return s->figure.freedom > 0 && !(s->figure.error > 0) && is_known(&s->pooled[VARIANT_A]) &&
	       is_known(&s->pooled[VARIANT_B]);
}

void pooled_compare(struct block_table *t, const struct block_effect *effect)
{
	for (struct block_series *s = t->series; s < t->series + t->n; s++)
		if (!s->constant && (s->figure.n < REPEATS_LEAST || lacks_spread(s)))
			compare_series(s, effect);
}

bool pooled_hold_share(const struct block_series *s)
{
	const struct block_pooled *a = &s->pooled[VARIANT_A], *b = &s->pooled[VARIANT_B];

	return s->constant && !strcmp(s->unit, "%") && is_known(a) && is_known(b) && a->from == a->to && b->from == b->to &&
	       fmax(a->high, b->high) - fmin(a->low, b->low) < s->figure.effect && !isnan(a->low + a->high + b->low + b->high);
}
