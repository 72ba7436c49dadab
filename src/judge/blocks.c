// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocks.h"
#include "ascending.h"
#include "memory.h"
#include "rows_in.h"

#include <errno.h>
#include <math.h>

enum { START, PAIR, VARIANT, CELL, METRIC, UNIT, BETTER, VALUE, DISTURBED, COLUMNS };
static const char *const columns[COLUMNS + 1] = { "start", "pair",   "variant", "cell",	     "metric",
						  "unit",  "better", "value",	"disturbed", NULL };

static bool is_series(const struct block_series *s, char *const *cell)
{
	return !strcmp(s->metric, cell[METRIC]) && !strcmp(s->cell, cell[CELL]);
}

/* The rows of each block come in the same order, so the series of a row is mostly the one after that of the row before. */
static struct block_series *find_series(struct block_table *t, char *const *cell)
{
	struct block_series *s;

	if (t->room >= t->n)
		t->room = 0;
	if (t->n && is_series(&t->series[t->room], cell))
		return &t->series[t->room++];
	for (size_t i = 0; i < t->n; i++)
		if (is_series(&t->series[i], cell)) {
			t->room = i + 1;
			return &t->series[i];
		}
	memory_more(t->series, t->n);
	s = &t->series[t->n++];
	t->room = t->n;
	*s = (struct block_series){ .cell = must_alloc(strdup(cell[CELL])),
				    .metric = must_alloc(strdup(cell[METRIC])),
				    .unit = must_alloc(strdup(cell[UNIT])),
				    .higher_is_better = !strcmp(cell[BETTER], "higher") };
	return s;
}

static bool read_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && isfinite(*out);
}

/* A number, or FROM..TO. */
static bool read_value(char *text, struct block_value *v)
{
	char *dots = strstr(text, "..");

	if (dots) {
		*dots = '\0';
		v->ranged = true;
		return read_number(text, &v->from) && read_number(dots + 2, &v->to) && v->from <= v->to;
	}
	return read_number(text, &v->value);
}

/* Ends of what is known of a value; NAN: nothing. */
static double lower_end(const struct block_value *v)
{
	return v->ranged ? v->from : v->value;
}

static double upper_end(const struct block_value *v)
{
	return v->ranged ? v->to : v->value;
}

static int read_row(void *context, char *const *cell)
{
	struct block_table *t = context;
	struct block_value v = { .value = (double)NAN };
	struct block_series *s = &t->block;
	int64_t disturbed;

	v.line = ++t->rows + 1;
	if (!rows_in_count(cell[START], &v.start) || !rows_in_count(cell[PAIR], &v.pair) ||
	    !rows_in_count(cell[DISTURBED], &disturbed) || v.start < 0 || v.pair < 0 || disturbed < 0 || disturbed > 2 ||
	    (strcmp(cell[VARIANT], "a") != 0 && strcmp(cell[VARIANT], "b") != 0))
		return -EPROTO;
	v.variant = cell[VARIANT][0] == 'a' ? VARIANT_A : VARIANT_B;
	v.disturbed = disturbed == 1;
	v.allowed = disturbed == 2;
	if (*cell[VALUE] && !read_value(cell[VALUE], &v))
		return -EPROTO;
	if (*cell[METRIC]) { /* others count the block */
		s = find_series(t, cell);
		if ((*cell[BETTER] && !s->higher_is_better && strcmp(cell[BETTER], "lower") != 0) ||
		    strcmp(s->unit, cell[UNIT]) != 0 || s->higher_is_better != !strcmp(cell[BETTER], "higher"))
			return -EPROTO;
	}
	memory_more(s->value, s->n);
	s->value[s->n++] = v;
	return 0;
}

static bool is_same_pair(const struct block_value *a, const struct block_value *b)
{
	return a->start == b->start && a->pair == b->pair;
}

static int ascending_block(const void *a, const void *b)
{
	const struct block_value *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->pair != y->pair)
		return x->pair < y->pair ? -1 : 1;
	return (int)x->variant - (int)y->variant;
}

/* 0, or the line of a second row of one block. */
static unsigned long sort_series(struct block_series *s)
{
	qsort(s->value, s->n, sizeof(*s->value), ascending_block);
	for (size_t i = 1; i < s->n; i++)
		if (!ascending_block(&s->value[i - 1], &s->value[i]))
			return s->value[i].line > s->value[i - 1].line ? s->value[i].line : s->value[i - 1].line;
	return 0;
}

static void count_disturbed(struct block_table *t)
{
	const struct block_value *b = t->block.value, *end = b + t->block.n, *first = b;

	while (first < end && !first->start) /* of a start that failed */
		first++;
	t->throughout = first < end && first->start != end[-1].start;
	for (const struct block_value *v = b; v < end; v++) {
		t->disturbed += v->disturbed;
		t->allowed += v->allowed;
		t->blocks_of[v->variant]++;
		t->disturbed_of[v->variant] += v->disturbed;
		t->allowed_of[v->variant] += v->allowed;
		if (v > b && is_same_pair(v, v - 1) && !v->disturbed && !v[-1].disturbed)
			t->throughout = false;
	}
}

int blocks_read(FILE *in, struct block_table *out, unsigned long *line)
{
	int err;

	/* loops add to both: never NULL */
	*out = (struct block_table){ .series = memory_new(1, sizeof(*out->series)),
				     .block.value = memory_new(1, sizeof(struct block_value)) };
	err = rows_in_read(in, "blocks/1", columns, COLUMNS, read_row, out, line);
	if (err)
		return err;
	*line = sort_series(&out->block);
	for (size_t i = 0; i < out->n && !*line; i++)
		*line = sort_series(&out->series[i]);
	count_disturbed(out);
	return *line ? -EEXIST : 0;
}

void blocks_free(struct block_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->series[i].cell);
		free(t->series[i].metric);
		free(t->series[i].unit);
		free(t->series[i].value);
		for (int v = 0; v < VARIANTS; v++)
			free(t->series[i].pooled[v].why);
		decide_free(&t->series[i].figure);
	}
	free(t->series);
	free(t->block.value);
	*t = (struct block_table){ 0 };
}

/* Quantile of type 7 of sorted values. NAN: there are none. */
static double sorted_quantile(const double *value, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t low = (size_t)at;

	if (!n)
		return (double)NAN;
	return low + 1 < n ? value[low] + (at - (double)low) * (value[low + 1] - value[low]) : value[n - 1];
}

/* Sorts the values that count; sets medians and IQR. Returns whether all are above 0. Each variant has a value. */
static bool describe(struct block_series *s, double *of[static VARIANTS], const size_t n[static VARIANTS])
{
	for (int v = 0; v < VARIANTS; v++) {
		qsort(of[v], n[v], sizeof(double), ascending_double);
		s->typical[v] = sorted_quantile(of[v], n[v], 0.5);
	}
	s->constant = of[VARIANT_A][0] == of[VARIANT_A][n[VARIANT_A] - 1] && of[VARIANT_B][0] == of[VARIANT_A][0] &&
		      of[VARIANT_B][n[VARIANT_B] - 1] == of[VARIANT_A][0];
	s->iqr = sorted_quantile(of[VARIANT_A], n[VARIANT_A], 0.75) - sorted_quantile(of[VARIANT_A], n[VARIANT_A], 0.25);
	return of[VARIANT_A][0] > 0 && of[VARIANT_B][0] > 0;
}

/* Visits the pairs of a series in order: of each the values of A and B, as ranges. */
struct pair {
	int64_t start;
	double from[VARIANTS], to[VARIANTS];
};

static size_t collect_pairs(struct block_series *s, struct pair *out)
{
	size_t n = 0, next;

	s->lost = s->disturbed = s->ranged = 0;
	for (size_t i = 0; i < s->n; i = next) {
		const struct block_value *v = &s->value[i];
		struct pair p = { .start = v->start, .from = { (double)NAN, (double)NAN } };
		bool disturbed = false;

		for (next = i; next < s->n && is_same_pair(v, &s->value[next]); next++) {
			p.from[s->value[next].variant] = lower_end(&s->value[next]);
			p.to[s->value[next].variant] = upper_end(&s->value[next]);
			disturbed = disturbed || s->value[next].disturbed;
		}
		if (disturbed)
			s->disturbed++;
		else if (isnan(p.from[VARIANT_A]) || isnan(p.from[VARIANT_B]))
			s->lost++;
		else {
			s->ranged += p.from[VARIANT_A] < p.to[VARIANT_A] || p.from[VARIANT_B] < p.to[VARIANT_B];
			out[n++] = p;
		}
	}
	return n;
}

static double *column_of(const struct pair *pair, size_t n, enum variant v)
{
	double *value = memory_new(n, sizeof(*value));

	for (size_t i = 0; i < n; i++)
		value[i] = pair[i].from[v] + (pair[i].to[v] - pair[i].from[v]) / 2;
	return value;
}

/* Of a time, how many of its unit are 1 ms; 0: it is none. */
static double units_per_ms(const char *unit)
{
	return !strcmp(unit, "ms") ? 1 : !strcmp(unit, "us") ? 1000 : !strcmp(unit, "s") ? 0.001 : 0;
}

void blocks_choose_scale(struct block_series *s, const struct block_effect *effect, bool positive)
{
	double relative = effect->relative > 0 ? effect->relative : 0.1, per_ms = units_per_ms(s->unit);
	bool time = per_ms > 0 && effect->time_ms > 0;

	/* times below 1 ms are compared by difference: the ratio of two stalls of nearly 0 says nothing */
	s->relative =
		positive && strcmp(s->unit, "%") != 0 && !time && fmin(s->typical[VARIANT_A], s->typical[VARIANT_B]) >= per_ms;
	if (s->relative)
		s->figure.effect = log1p(relative);
	else if (!strcmp(s->unit, "%"))
		s->figure.effect = effect->points;
	else
		s->figure.effect = time ? per_ms * effect->time_ms : fabs(s->typical[VARIANT_A]) * relative;
	if (!s->relative && !time)
		s->figure.effect = fmax(s->figure.effect, per_ms);
	if (!(s->figure.effect > 0)) /* A is 0 */
		s->figure.effect = relative;
}

struct start {
	int64_t number;
	double low, high; /* sums over its pairs, of the lower and of the upper ends of the differences */
	size_t pairs;
};

static void add_start(struct block_series *s, const struct start *start)
{
	decide_add_range(&s->figure, start->number, start->low / (double)start->pairs, start->high / (double)start->pairs);
}

static double difference(const struct block_series *s, double b, double a)
{
	return s->relative ? log(b / a) : b - a;
}

/* As many starts of each order, but for one: where those of one order are disturbed more often, the others wait for the next that
 * are not, or what the order makes would not cancel. */
static void add_starts(struct block_series *s, const struct pair *pair)
{
	struct start *of[2] = { memory_new(s->pairs, sizeof(**of)), memory_new(s->pairs, sizeof(**of)) };
	size_t n[2] = { 0 };

	for (size_t i = 0; i < s->pairs; i++) {
		int order = pair[i].start % 2 != 0;

		if (!i || pair[i].start != pair[i - 1].start)
			of[order][n[order]++] = (struct start){ .number = pair[i].start };
		of[order][n[order] - 1].pairs++;
		of[order][n[order] - 1].low += difference(s, pair[i].from[VARIANT_B], pair[i].to[VARIANT_A]);
		of[order][n[order] - 1].high += difference(s, pair[i].to[VARIANT_B], pair[i].from[VARIANT_A]);
	}
	for (size_t i = 0; i < n[0] && i < n[1]; i++) {
		int first = of[1][i].number < of[0][i].number;

		add_start(s, &of[first][i]);
		add_start(s, &of[!first][i]);
	}
	if (n[0] != n[1])
		add_start(s, n[0] > n[1] ? &of[0][n[1]] : &of[1][n[0]]);
	free(of[0]);
	free(of[1]);
}

/* A block that has no row of the metric does not know it, either. runs: nor is a range known. */
static void count_known(const struct block_table *t, struct block_series *s, bool runs)
{
	const struct block_series *of[] = { &t->block, s };
	size_t blocks[2][VARIANTS] = { 0 };

	for (size_t i = 0; i < 2; i++)
		for (const struct block_value *v = of[i]->value; v < of[i]->value + of[i]->n; v++) {
			blocks[i][v->variant] += !v->disturbed;
			s->known[v->variant] += i && !v->disturbed && !isnan(runs ? v->value : lower_end(v));
		}
	for (int v = 0; v < VARIANTS; v++)
		s->unknown[v] = (blocks[0][v] > blocks[1][v] ? blocks[0][v] : blocks[1][v]) - s->known[v];
}

enum variant blocks_poorer(const struct block_series *s)
{
	double share[VARIANTS];

	for (int v = 0; v < VARIANTS; v++)
		share[v] = s->known[v] ? (double)s->unknown[v] / (double)(s->known[v] + s->unknown[v]) : 1;
	if (fabs(share[VARIANT_A] - share[VARIANT_B]) <= 0.05)
		return VARIANTS;
	return share[VARIANT_A] > share[VARIANT_B] ? VARIANT_A : VARIANT_B;
}

enum variant blocks_calmer(const struct block_table *t)
{
	double more = (double)t->allowed_of[VARIANT_B] - (double)t->allowed_of[VARIANT_A];

	if (more * more <= 2 * (double)t->allowed)
		return VARIANTS;
	return more > 0 ? VARIANT_A : VARIANT_B;
}

static void compare_series(struct block_series *s, const struct block_effect *effect)
{
	struct pair *pair = memory_new(s->n, sizeof(*pair));
	double *of[VARIANTS];
	bool positive;

	s->pairs = collect_pairs(s, pair);
	for (int v = 0; v < VARIANTS; v++)
		of[v] = column_of(pair, s->pairs, (enum variant)v);
	if (s->pairs) {
		positive = describe(s, of, (size_t[]){ s->pairs, s->pairs });
		s->constant = s->constant && !s->ranged;
		for (size_t i = 0; i < s->pairs; i++)
			positive = positive && pair[i].from[VARIANT_A] > 0 && pair[i].from[VARIANT_B] > 0;
		blocks_choose_scale(s, effect, positive);
		add_starts(s, pair);
	}
	for (int v = 0; v < VARIANTS; v++)
		free(of[v]);
	free(pair);
}

static bool is_equal(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* An earlier metric of the same cell that has the same values, so that it is not tested twice; NULL: there is none. */
static const struct block_series *find_twin(const struct block_table *t, const struct block_series *s)
{
	for (const struct block_series *k = t->series; k < s; k++) {
		size_t i = 0;

		if (strcmp(k->cell, s->cell) != 0 || strcmp(k->unit, s->unit) != 0 || k->n != s->n || !k->pairs ||
		    k->higher_is_better != s->higher_is_better)
			continue;
		while (i < s->n && is_equal(lower_end(&s->value[i]), lower_end(&k->value[i])) &&
		       is_equal(upper_end(&s->value[i]), upper_end(&k->value[i])))
			i++;
		if (i == s->n)
			return k;
	}
	return NULL;
}

void blocks_compare(struct block_table *t, const struct block_effect *effect)
{
	for (struct block_series *s = t->series; s < t->series + t->n; s++) {
		count_known(t, s, false);
		compare_series(s, effect);
		s->same_as = find_twin(t, s);
	}
}

/* Mean and standard deviation; of logarithms where differences are. */
static void moments(const struct block_series *s, const double *value, size_t n, double *mean, double *sd)
{
	struct decide_figure f = { 0 };

	for (size_t i = 0; i < n; i++)
		decide_add(&f, 0, s->relative ? log(value[i]) : value[i]);
	*mean = f.mean;
	*sd = decide_sd(&f);
	decide_free(&f);
}

static void compare_runs_of(struct block_series *s, const struct block_effect *effect)
{
	double *of[VARIANTS], mean[VARIANTS], sd[VARIANTS];
	size_t n[VARIANTS] = { 0 };

	for (int v = 0; v < VARIANTS; v++)
		of[v] = memory_new(s->n, sizeof(double));
	for (const struct block_value *v = s->value; v < s->value + s->n; v++) {
		s->disturbed += v->disturbed;
		s->lost += !v->disturbed && isnan(v->value);
		if (v->disturbed || isnan(v->value))
			continue;
		of[v->variant][n[v->variant]++] = v->value;
	}
	s->pairs = n[VARIANT_A] < n[VARIANT_B] ? n[VARIANT_A] : n[VARIANT_B];
	if (s->pairs > 1) {
		blocks_choose_scale(s, effect, describe(s, of, n));
		for (int v = 0; v < VARIANTS; v++)
			moments(s, of[v], n[v], &mean[v], &sd[v]);
		decide_set_runs(&s->figure, n, mean, sd);
	}
	for (int v = 0; v < VARIANTS; v++)
		free(of[v]);
}

/* Whether A and B have the same values in the same order. */
static bool has_equal_values(const struct block_series *s)
{
	size_t at[VARIANTS] = { 0 };

	while (at[VARIANT_A] < s->n || at[VARIANT_B] < s->n) {
		for (int v = 0; v < VARIANTS; v++)
			while (at[v] < s->n && s->value[at[v]].variant != (enum variant)v)
				at[v]++;
		if (at[VARIANT_A] < s->n
			    ? at[VARIANT_B] == s->n || !is_equal(s->value[at[VARIANT_A]++].value, s->value[at[VARIANT_B]++].value)
			    : at[VARIANT_B] < s->n)
			return false;
	}
	return true;
}

/* Two measurements do not agree to the last digit in all figures of all repeats, unless none of them has any spread. */
static void find_copies(struct block_table *t)
{
	for (struct block_series *s = t->series; s < t->series + t->n; s++) {
		bool first = true, equal = true, varies = false;

		for (struct block_series *k = t->series; k < t->series + t->n; k++) {
			if (strcmp(k->cell, s->cell) != 0)
				continue;
			first = first && k >= s;
			equal = equal && has_equal_values(k);
			varies = varies || (k->pairs > 1 && !k->constant);
		}
		s->copied = first && equal && varies;
	}
}

void blocks_compare_runs(struct block_table *t, const struct block_effect *effect)
{
	for (struct block_series *s = t->series; s < t->series + t->n; s++) {
		count_known(t, s, true);
		compare_runs_of(s, effect);
		s->same_as = find_twin(t, s);
	}
	find_copies(t);
}
