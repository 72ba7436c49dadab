// SPDX-License-Identifier: GPL-3.0-or-later
#include "claims.h"
#include "binomial.h"
#include "decide.h"
#include "lines.h"
#include "memory.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#define LEVEL 0.95
#define BEYOND 10    /* so many values must lie beyond a percentile */
#define NEAR 0.1     /* an interval that ends so near to a whole number does not exclude it */
#define ROUNDED 1e-9 /* rounding error of a quotient, in percent, which does not count */

static bool is_number(const struct claim_figure *f)
{
	return f->from == f->to;
}

/* Its interval, or what is known of it without one. */
static struct claim_figure get_ends(const struct claim_figure *f)
{
	return (struct claim_figure){ .low = isnan(f->low) ? f->from : f->low,
				      .high = isinf(f->to) || isnan(f->high) ? f->to : f->high };
}

/* The same for as many claims as share the level: each side is longer as that of Student's t is, or that of the normal law where
 * the number of repeats is not known. */
static struct claim_figure get_shared_ends(const struct claim_figure *f, int64_t share)
{
	struct claim_figure ends = get_ends(f);
	double p = 1 - (1 - LEVEL) / 2 / (double)share, freedom = (double)(f->repeats - 1),
	       by = f->repeats > 1 ? welch_quantile(freedom, p) / welch_quantile(freedom, (1 + LEVEL) / 2)
				   : welch_normal_quantile(p) / welch_normal_quantile((1 + LEVEL) / 2);

	if (ends.low < f->from)
		ends.low = f->from - by * (f->from - ends.low);
	if (ends.high > f->to)
		ends.high = f->to + by * (ends.high - f->to);
	return ends;
}

static double get_variance(const struct claim_figure *f)
{
	double error = (f->high - f->low) / 2 / welch_quantile((double)(f->repeats - 1), (1 + LEVEL) / 2);

	return error * error;
}

static struct claim_figure take_logs(const struct claim_figure *f)
{
	return (struct claim_figure){ log(f->from), log(f->to), log(f->low), log(f->high), f->repeats };
}

static void compare_means(struct claim *c, const struct claim_figure *first, const struct claim_figure *second)
{
	bool logs = fmin(first->low, second->low) > 0 && fmin(first->from, second->from) > 0;
	struct claim_figure a = logs ? take_logs(first) : *first, b = logs ? take_logs(second) : *second;
	double part[2] = { get_variance(&a), get_variance(&b) }, sum = part[0] + part[1], freedom = 1, more = b.from - a.from, half;

	if (sum > 0)
		freedom = sum * sum / (part[0] * part[0] / (double)(a.repeats - 1) + part[1] * part[1] / (double)(b.repeats - 1));
	/* degrees of freedom rounded down: the interval is never too narrow for it */
	half = welch_quantile(fmax(1, floor(freedom + 1e-9)), 1 - (1 - LEVEL) / 2 / (double)c->share) * sqrt(sum);
	c->value = logs ? first->from * expm1(more) : more;
	c->low = logs ? first->from * expm1(more - half) : more - half;
	c->high = logs ? first->from * expm1(more + half) : more + half;
}

/* One side of the interval, for as many claims as share it; where the number of repeats is not known, that of two. */
static double widen_side(const struct claim_figure *f, double side, double middle, int64_t share)
{
	double freedom = fmax(1, (double)f->repeats - 1), by = welch_quantile(freedom, 1 - (1 - LEVEL) / 2 / (double)share);

	return middle + (side - middle) * (f->repeats == 2 ? by : by / welch_quantile(freedom, (1 + LEVEL) / 2));
}

/* Makes the interval of a figure that of as many claims together. Of two repeats, low and high are their values. */
static void widen(struct claim_figure *f, int64_t share)
{
	bool bound = isnan(f->high); /* a lower bound has one side */
	double middle = !bound && (f->repeats == 2 || f->from != f->to) ? (f->low + f->high) / 2 : f->from;

	if (isnan(f->low) || (share == 1 && f->repeats != 2))
		return;
	f->low = widen_side(f, f->low, middle, share);
	f->high = widen_side(f, f->high, middle, share);
}

static void judge_difference(struct claim *c)
{
	const struct claim_figure *a = &c->figure[0], *b = &c->figure[1];
	bool bare = isnan(a->low) || isnan(b->low), means = is_number(a) && is_number(b) && a->repeats > 0 && b->repeats > 0;

	if ((isnan(a->low) && !isinf(a->to)) || (isnan(b->low) && !isinf(b->to)) || (bare && isinf(a->to) && isinf(b->to)))
		return;
	if (means && (a->repeats < 3 || b->repeats < 3)) /* two have no interval of theirs */
		return;
	if (means) {
		compare_means(c, a, b);
	} else {
		struct claim_figure first = get_shared_ends(a, c->share), second = get_shared_ends(b, c->share);

		c->low = second.low - first.high;
		c->high = second.high - first.low;
	}
	if (!isnan(c->low) && !isnan(c->high))
		c->word = (c->low > 0 || c->high < 0) && !(means && c->low == c->high) ? CLAIM_HOLDS : CLAIM_FAILS;
}

/* The interval for as many claims as share it, or what is known without one. */
static struct claim_figure get_wide_ends(const struct claim_figure *f, int64_t share)
{
	struct claim_figure wide = *f;

	widen(&wide, share);
	return get_ends(&wide);
}

static enum claim_word compare_ends(struct claim_figure a, struct claim_figure b)
{
	return a.low > b.high ? CLAIM_HOLDS : a.high <= b.low ? CLAIM_FAILS : CLAIM_UNTOLD;
}

static void judge_above(struct claim *c)
{
	c->word = compare_ends(get_wide_ends(&c->figure[0], c->share), get_wide_ends(&c->figure[1], c->share));
}

/* The interval of a rate: of its repeats, or of its events. A rate without either is known. */
static void bound_rate(struct claim_figure *f, int64_t share)
{
	double tail = (1 - LEVEL) / 2 / (double)share, events = (double)f->repeats;

	widen(f, share);
	if (!isnan(f->low) || !isnan(f->high) || !is_number(f) || f->repeats < 1)
		return;
	f->low = f->from * welch_chi_squared_quantile(2 * events, tail) / (2 * events);
	f->high = f->from * welch_chi_squared_quantile(2 * events + 2, 1 - tail) / (2 * events);
}

static void judge_rate(struct claim *c)
{
	struct claim_figure a = c->figure[0], b = c->figure[1];

	bound_rate(&a, c->share);
	bound_rate(&b, c->share);
	c->word = compare_ends(get_ends(&a), get_ends(&b));
}

static void judge_off(struct claim *c)
{
	struct claim_figure a = get_wide_ends(&c->figure[0], 1), b = get_wide_ends(&c->figure[1], 1);
	double most = c->percent + ROUNDED, low, high;

	if (is_number(&c->figure[0]) && is_number(&c->figure[1]) && c->figure[1].from > 0)
		c->value = 100 * (c->figure[0].from / c->figure[1].from - 1);
	if (!(a.low <= a.high && b.low > 0 && b.low <= b.high))
		return;
	low = 100 * (fmax(a.low, 0) / b.high - 1);
	high = 100 * (a.high / b.low - 1);
	if (low >= -most && high <= most)
		c->word = CLAIM_HOLDS;
	else if (low > most || high < -most)
		c->word = CLAIM_FAILS;
	if (low < high) {
		c->low = low;
		c->high = high;
	}
}

static void judge_within(struct claim *c)
{
	struct claim_figure a = get_wide_ends(&c->figure[0], c->share), b = get_wide_ends(&c->figure[1], c->share);

	if (a.low >= b.low && a.high <= b.high)
		c->word = CLAIM_HOLDS;
	else if (a.low > b.high || a.high < b.low)
		c->word = CLAIM_FAILS;
}

static void judge_times(struct claim *c)
{
	const struct claim_figure *a = &c->figure[0], *b = &c->figure[1];

	if (!(is_number(a) || isinf(a->to)) || !is_number(b) || !(b->from > 0))
		return;
	c->word = CLAIM_HOLDS;
	c->value = a->from / b->from;
	if (!(b->low > 0))
		return;
	c->low = a->low / (a->low < 0 ? b->low : b->high);
	c->high = isinf(a->to) ? (double)NAN : a->high / (a->high < 0 ? b->high : b->low);
}

static void judge_share(struct claim *c)
{
	const struct claim_figure *f = &c->figure[0];
	double n = (double)f->repeats, p = c->figure[1].from / 100, tail = (1 - LEVEL) / 2 / (double)c->share;
	int64_t hits;
	bool as_stated;

	if (n < 1 || !is_number(f) || !is_number(&c->figure[1]) || !(f->from >= 0 && f->from <= n && p >= 0 && p <= 1))
		return;
	hits = llround(f->from);
	if (p > 0 && p < 1)
		as_stated = binomial_at_most(hits, f->repeats, p) >= tail &&
			    binomial_at_most(f->repeats - hits, f->repeats, 1 - p) >= tail;
	else
		as_stated = (double)hits == p * n;
	c->word = as_stated ? CLAIM_FAILS : CLAIM_HOLDS;
	c->value = 100 * (double)hits / n;
}

static void judge_none(struct claim *c)
{
	const struct claim_figure *f = c->figure;
	double times = log((1 - LEVEL) / (double)c->share) / log(1 - LEVEL);

	if (f->from != 0 || !is_number(f) || !(f->high >= 0 && f->high <= 100))
		return;
	c->word = CLAIM_HOLDS;
	c->high = -100 * expm1(times * log1p(-f->high / 100));
}

static void judge_whole(struct claim *c)
{
	const struct claim_figure *f = c->figure;
	double n = round(f->from);

	if (!is_number(f) || isnan(f->low + f->high) || f->high - f->low >= 1)
		return;
	c->value = f->high < 1 - NEAR ? 0 : n;
	if (f->high < 1 - NEAR || (n >= 1 && (f->low > n + NEAR || f->high < n - NEAR)))
		c->word = CLAIM_FAILS;
	else if (n >= 1 && fabs(f->from - n) <= 0.25)
		c->word = CLAIM_HOLDS;
}

static void judge_percentile(struct claim *c)
{
	double p = c->figure->from;

	if (!(p > 0 && p < 1))
		return;
	c->word = CLAIM_HOLDS;
	c->value = ceil(BEYOND / (1 - p) - 1e-6);
	c->high = ceil(log((1 - LEVEL) / 2) / log(fmax(p, 1 - p)));
}

/* Ends of a range or an interval the wrong way round: a mistake, of which nothing follows. */
static bool is_reversed(const struct claim_figure *f)
{
	return f->from > f->to || f->low > f->high;
}

int claim_judge(struct claim *c)
{
	static const struct {
		const char *kind;
		void (*judge)(struct claim *c);
	} kinds[] = { { "differs", judge_difference },	 { "above", judge_above }, { "rate", judge_rate },
		      { "within", judge_within },	 { "off", judge_off },	   { "times", judge_times },
		      { "share", judge_share },		 { "none", judge_none },   { "whole", judge_whole },
		      { "percentile", judge_percentile } };
	size_t length = strcspn(c->kind, " ");
	char *end = c->kind + length;

	c->word = CLAIM_UNTOLD;
	c->value = c->low = c->high = (double)NAN;
	if (lines_has_claim(c))
		return 0; /* with its other points */
	c->percent = *end ? strtod(end, &end) : (double)NAN;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strlen(kinds[i].kind) == length && !strncmp(c->kind, kinds[i].kind, length)) {
			if (*end || (kinds[i].judge == judge_off) != (c->percent >= 0 && isfinite(c->percent)))
				return -EPROTO;
			if (!is_reversed(&c->figure[0]) && !is_reversed(&c->figure[1]))
				kinds[i].judge(c);
			return 0;
		}
	return -EPROTO;
}

enum { KIND, SHARE, FROM, TO, LOW, HIGH, REPEATS, FROM_B, TO_B, LOW_B, HIGH_B, REPEATS_B, NEEDED, OF = NEEDED, COLUMNS = OF + 6 };
static const char *const columns[COLUMNS + 1] = { "kind",   "share", "from",  "to",	"low",	     "high", "repeats",
						  "from_b", "to_b",  "low_b", "high_b", "repeats_b", "of",   "rule",
						  "part",   "says",  "some",  "whole",	NULL };

static bool read_number(const char *cell, double *out)
{
	char *end;

	*out = *cell ? strtod(cell, &end) : (double)NAN;
	return !*cell || (!*end && isfinite(*out));
}

/* Do the claims of a figure stand together, its rules and their parts in ascending order, with one word for each? Others would
 * count as a rule of their own. */
static bool is_in_order(const struct claim_list *list, const struct claim *c)
{
	const struct claim *last = list->n ? &list->claim[list->n - 1] : NULL;

	if (c->of && last && last->of == c->of)
		return last->whole == c->whole &&
		       (last->rule < c->rule || (last->rule == c->rule && last->says == c->says &&
						 (last->part < c->part || (last->part == c->part && last->some == c->some))));
	for (size_t i = 0; c->of && i < list->n; i++)
		if (list->claim[i].of == c->of)
			return false;
	return true;
}

static int read_row(void *context, char *const *cell)
{
	struct claim_list *list = context;
	struct claim c = { .kind = cell[KIND] };

	if (!rows_in_count(cell[SHARE], &c.share) || c.share < 1)
		return -EPROTO;
	for (int i = 0; i < 2; i++) {
		struct claim_figure *f = &c.figure[i];
		char *const *at = cell + (i ? FROM_B : FROM);

		if (!read_number(at[0], &f->from) || !read_number(at[1], &f->to) || !read_number(at[2], &f->low) ||
		    !read_number(at[3], &f->high) || !rows_in_count(at[4], &f->repeats))
			return -EPROTO;
		if (isnan(f->to) && !isnan(f->from))
			f->to = (double)INFINITY;
		f->repeats = f->repeats == ROWS_IN_NONE ? 0 : f->repeats;
	}
	for (size_t i = 0; i < COLUMNS - OF; i++) {
		int64_t *const place[] = { &c.of, &c.rule, &c.part, &c.says, &c.some, &c.whole };

		if (cell[OF + i] && (!rows_in_count(cell[OF + i], place[i]) || *place[i] < 0))
			return -EPROTO;
	}
	if (c.says > RULE_CONTRARY || !is_in_order(list, &c) || claim_judge(&c))
		return -EPROTO;
	c.kind = must_alloc(strdup(c.kind));
	memory_more(list->claim, list->n);
	list->claim[list->n++] = c;
	return 0;
}

int claims_read(FILE *in, struct claim_list *out, unsigned long *line)
{
	int err = rows_in_read(in, "claims/1", columns, NEEDED, read_row, out, line);

	lines_judge(out->claim, out->n);
	return err;
}

void claims_free(struct claim_list *l)
{
	while (l->n)
		free(l->claim[--l->n].kind);
	free(l->claim);
}

static bool condition_holds(struct claim *c, size_t n)
{
	size_t held = 0;

	for (size_t i = 0; i < n; i++) {
		c[i].share = c->some ? (int64_t)n : 1;
		held += !claim_judge(&c[i]) && c[i].word == CLAIM_HOLDS;
	}
	return c->some ? held > 0 : held == n;
}

enum rule_word rules_decide(struct claim *c, size_t n, enum rule_word *by)
{
	bool said[RULE_UNTOLD] = { false }, fails[RULE_UNTOLD] = { false };
	enum rule_word word = RULE_UNTOLD;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && c[end].rule == c[i].rule && c[end].part == c[i].part;)
			end++;
		said[c[i].says] = true;
		if (!condition_holds(c + i, end - i))
			fails[c[i].says] = true;
	}
	for (word = RULE_SAME; word < RULE_UNTOLD && (!said[word] || fails[word]);)
		word++;
	*by = word;
	if (word < RULE_CONTRARY && said[RULE_CONTRARY] && !fails[RULE_CONTRARY])
		return *by = RULE_UNTOLD;
	if (n && !c->whole)
		return word == RULE_SAME ? RULE_LESS : word == RULE_CONTRARY ? (*by = RULE_UNTOLD) : word;
	return word;
}
