// SPDX-License-Identifier: GPL-3.0-or-later
#include "drift.h"
#include "ascending.h"
#include "memory.h"
#include "decide.h"

#include <math.h>

#define BATCHES (2 * DRIFT_PAIRS)
#define WINDOWS 4

/* One test: by how much the figure grew since it was at the level `from`, and the p-value of no growth. */
struct test {
	double growth, from, p;
};

enum { PAIRS, END, BEGIN, TESTS };
static const char *const test_names[TESTS] = { "halves", "end", "begin" };
static const double share_of[TESTS] = { 0.4, 0.4, 0.2 }; /* of the level of a look */

struct look {
	struct test of[TESTS];
	double error; /* standard error of the growth of PAIRS */
	double p;     /* of all tests; 1: a batch is not known */
};

double drift_mean(const double *value, size_t n)
{
	double sum = 0, known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(value[i])) {
			sum += value[i];
			known++;
		}
	return sum / known;
}

static double standard_deviation(const double *value, size_t n)
{
	double mean = drift_mean(value, n), squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (value[i] - mean) * (value[i] - mean);
	return sqrt(squares / (double)(n - 1));
}

static double p_above(double mean, double error, size_t freedom)
{
	if (error > 0)
		return welch_upper_p((double)freedom, mean / error);
	return mean == 0 ? 0.5 : mean < 0;
}

/* Half of the smallest step between two values: the digits that they are given with hide a spread up to this. 0: no two differ. */
static double find_rounding(const double *value, size_t blocks)
{
	double *sorted = memory_new(blocks, sizeof(*sorted)), least = (double)INFINITY;
	size_t n = 0;

	for (size_t i = 0; i < blocks; i++)
		if (!isnan(value[i]))
			sorted[n++] = value[i];
	qsort(sorted, n, sizeof(*sorted), ascending_double);
	for (size_t i = 1; i < n; i++)
		if (sorted[i] > sorted[i - 1])
			least = fmin(least, sorted[i] - sorted[i - 1]);
	free(sorted);
	return isfinite(least) ? least / 2 : 0;
}

/* The first window of `size` blocks, or the last one (at_end), against all others but its neighbour, by the spread of those (Chow
 * 1960). p is 1 with fewer than WINDOWS others. */
static struct test test_window(const struct drift_figure *f, size_t blocks, size_t size, bool at_end)
{
	const double *value = f->value;
	struct test t = { .p = 1 };
	double mean = 0, squares = 0, n = 0, one = drift_mean(at_end ? value + blocks - size : value, size);

	for (size_t k = 2 * size; k + size <= blocks; k += size) {
		double other = drift_mean(at_end ? value + blocks - k - size : value + k, size), off = other - mean;

		if (isnan(other))
			continue;
		mean += off / ++n;
		squares += off * (other - mean);
	}
	t.growth = at_end ? one - mean : mean - one;
	t.from = at_end ? mean : one;
	if (n >= WINDOWS && !isnan(one))
		t.p = p_above(t.growth, fmax(sqrt(squares / (n - 1)), f->rounding / sqrt((double)size)) * sqrt(1 + 1 / n),
			      (size_t)n - 1);
	return t;
}

/* The first windows of 1, 2, 4 ... blocks: the one of the smallest p, which counts for all. */
static struct test test_begin(const struct drift_figure *f, size_t blocks)
{
	struct test best = { .p = 1 };
	double sizes = 0;

	for (size_t size = 1; (WINDOWS + 2) * size <= blocks; size *= 2, sizes++) {
		struct test t = test_window(f, blocks, size, false);

		best = t.p < best.p ? t : best;
	}
	best.p = fmin(1, best.p * sizes);
	return best;
}

/* Looks at the first BATCHES * batch blocks. */
static struct look take_look(const struct drift_figure *f, size_t batch)
{
	double mean[BATCHES], of_pair[DRIFT_PAIRS], spread, known = 0, rounding = f->rounding / sqrt((double)batch);
	struct look l = { .p = 1 };
	struct test *pairs = &l.of[PAIRS], *end = &l.of[END];

	for (size_t i = 0; i < BATCHES; i++)
		known += mean[i] = drift_mean(f->value + i * batch, batch);
	for (size_t i = 0; i < DRIFT_PAIRS; i++)
		of_pair[i] = mean[DRIFT_PAIRS + i] - mean[i];
	pairs->from = drift_mean(mean, DRIFT_PAIRS);
	pairs->growth = drift_mean(of_pair, DRIFT_PAIRS);
	l.error = fmax(standard_deviation(of_pair, DRIFT_PAIRS), rounding * sqrt(2)) / sqrt(DRIFT_PAIRS);
	pairs->p = p_above(pairs->growth, l.error, DRIFT_PAIRS - 1);
	end->from = drift_mean(mean, DRIFT_BEFORE);
	end->growth = drift_mean(mean + BATCHES - DRIFT_END, DRIFT_END) - end->from;
	spread = fmax(standard_deviation(mean, DRIFT_BEFORE), rounding) * sqrt(1 + 1.0 / DRIFT_BEFORE);
	for (size_t i = BATCHES - DRIFT_END; i < BATCHES; i++)
		end->p = fmax(end->p, p_above(mean[i] - end->from, spread, DRIFT_BEFORE - 1));
	l.of[BEGIN] = test_begin(f, BATCHES * batch);
	if (isnan(known))
		pairs->growth = end->growth = (double)NAN;
	for (int i = 0; i < TESTS && !isnan(known); i++)
		l.p = fmin(l.p, l.of[i].p / share_of[i]);
	return l;
}

/* The number of blocks from `from` on after which the mean of the last `window` was below `level`; 0: never. */
static size_t find_return(const double *value, size_t from, size_t blocks, size_t window, double level)
{
	double sum = 0, known = 0;

	for (size_t i = from; i < blocks; i++) {
		double leaves = i < from + window ? (double)NAN : value[i - window];

		sum += (isnan(value[i]) ? 0 : value[i] - level) - (isnan(leaves) ? 0 : leaves - level);
		known += !isnan(value[i]) - !isnan(leaves);
		if (i + 1 >= from + window && known > 0 && sum < 0)
			return i + 1;
	}
	return 0;
}

/* The figure's growth is told by the tests that have a p of at most `level`; by the largest, unless it is too small to matter. */
static void tell_growth(struct drift_figure *f, const struct look *l, double level, size_t batch, size_t blocks)
{
	struct test most = { 0 };
	int by = 0;
	size_t back;

	for (int i = 0; i < TESTS; i++)
		if (l->of[i].p <= level * share_of[i] && l->of[i].growth > most.growth)
			most = l->of[by = i];
	if (f->told || most.growth < f->effect / 2 || f->returned > BATCHES * batch)
		return;
	back = find_return(f->value, BATCHES * batch, blocks, DRIFT_END * batch, most.from + most.growth / 2);
	if (back)
		f->returned = back;
	else {
		f->told = BATCHES * batch;
		f->told_by = test_names[by];
	}
}

static void look_together(struct drift_figure *f, size_t n, size_t batch, size_t blocks, double alpha)
{
	struct look *l = memory_new(n, sizeof(*l));
	bool *done = memory_new(n, sizeof(*done));

	for (size_t i = 0; i < n; i++) {
		l[i] = take_look(&f[i], batch);
		f[i].p = l[i].p;
		f[i].change = l[i].of[PAIRS].growth;
		f[i].high = f[i].change + welch_quantile(DRIFT_PAIRS - 1, 1 - alpha / (double)n) * l[i].error;
		f[i].low = 2 * f[i].change - f[i].high;
		f[i].end = l[i].of[END].growth;
		f[i].before = l[i].of[END].from;
	}
	for (size_t left = n; left; left--) {
		size_t best = n;

		for (size_t i = 0; i < n; i++)
			if (!done[i] && (best == n || l[i].p < l[best].p))
				best = i;
		if (l[best].p > alpha / (double)left)
			break;
		tell_growth(&f[best], &l[best], alpha / (double)left, batch, blocks);
		done[best] = true;
	}
	free(done);
	free(l);
}

/* Whether the end, with the blocks after the last look, which was after `looked`, shows no growth of interest. */
static bool ends_as_before(const struct drift_figure *f, size_t looked, size_t blocks)
{
	size_t eighth = looked * DRIFT_END / BATCHES, n = blocks - looked > eighth ? blocks - looked : eighth;

	return f->end < f->effect / 2 && drift_mean(f->value + blocks - n, n) - f->before < f->effect / 2;
}

static size_t count_unknown(const double *value, size_t n)
{
	size_t unknown = 0;

	for (size_t i = 0; i < n; i++)
		unknown += isnan(value[i]) ? 1 : 0;
	return unknown;
}

/* Whether growth shows at the last look, or a step of interest near the begin or the end: one test at `alpha` is enough. It may be
 * in blocks that are not known. */
static bool shows_growth(const struct drift_figure *f, size_t blocks, double alpha)
{
	if (DRIFT_UNKNOWN * count_unknown(f->value, blocks) > blocks ||
	    DRIFT_UNKNOWN * count_unknown(f->value + blocks - blocks / 8, blocks / 8) > blocks / 8 ||
	    (blocks >= DRIFT_LAST && count_unknown(f->value + blocks - DRIFT_LAST, DRIFT_LAST) == DRIFT_LAST))
		return true;
	if (f->p <= alpha && !(f->high < f->effect))
		return true;
	for (size_t size = 1; (WINDOWS + 2) * size <= blocks; size *= 2)
		for (int at_end = 0; at_end <= 1; at_end++) {
			struct test t = test_window(f, blocks, size, at_end);

			if (t.growth >= f->effect && t.p <= alpha)
				return true;
		}
	return false;
}

static enum drift_word choose_word(const struct drift_figure *f, size_t looked, size_t blocks)
{
	if (f->told || f->returned)
		return f->told ? DRIFT_GROWS : DRIFT_RETURNS;
	return f->high < f->effect && !f->shows && ends_as_before(f, looked, blocks) ? DRIFT_NONE : DRIFT_OPEN;
}

void drift_decide(struct drift_figure *f, size_t n, size_t blocks, double alpha)
{
	double k = 1;
	size_t looked = 0;

	for (size_t i = 0; i < n; i++) {
		f[i].rounding = find_rounding(f[i].value, blocks);
		f[i].change = f[i].low = f[i].high = f[i].end = f[i].before = f[i].p = (double)NAN;
	}
	for (size_t batch = DRIFT_BATCH; BATCHES * batch <= blocks; k++) {
		look_together(f, n, batch, blocks, alpha * 5 / ((k + 4) * (k + 5)));
		looked = BATCHES * batch;
		batch = batch < 20 ? batch + 1 : batch * 11 / 10;
	}
	for (size_t i = 0; i < n; i++) {
		f[i].shows = shows_growth(&f[i], blocks, alpha);
		f[i].word = choose_word(&f[i], looked, blocks);
	}
}

enum drift_word drift_combine(const struct drift_figure *f, size_t n)
{
	enum drift_word word = f[0].word;

	for (size_t i = 0; i < n; i++)
		if (f[i].word == DRIFT_GROWS)
			return DRIFT_GROWS;
		else if (f[i].word == DRIFT_RETURNS)
			word = DRIFT_RETURNS;
		else if (f[i].shows && word == DRIFT_NONE)
			word = DRIFT_OPEN;
	return word;
}

/* Least squares of y = a + growth * x over n values, from sums; those of y are of all values, with a mean of 0. Keeps the best. */
static void fit_growth(double n, double sx, double sxx, double sxy, struct drift_begin at, double *most, struct drift_begin *best)
{
	at.growth = n * sxy / (n * sxx - sx * sx);
	if (at.growth > 0 && at.growth * sxy > *most) {
		*most = at.growth * sxy;
		*best = at;
	}
}

struct drift_begin drift_find_begin(const double *value, size_t blocks)
{
	struct drift_begin best = { 0 };
	double all = 0, n = 0, sx = 0, sxx = 0, sy = 0, sxy = 0, most = 0, mean = drift_mean(value, blocks);

	for (size_t i = 0; i < blocks; i++)
		all += !isnan(value[i]);
	/* x is 1 (step), or 1, 2, 3 ... (bend) from `from` on: each block that is added raises that of those after it by 1 */
	for (size_t from = blocks - 1; from > 0 && blocks > 1; from--) {
		sxx += 2 * sx + n;
		sx += n;
		sxy += sy;
		if (isnan(value[from]))
			continue;
		n++;
		sx++;
		sxx++;
		sy += value[from] - mean;
		sxy += value[from] - mean;
		if (n < all) {
			fit_growth(all, n, n, sy, (struct drift_begin){ from, true, 0 }, &most, &best);
			fit_growth(all, sx, sxx, sxy, (struct drift_begin){ from, false, 0 }, &most, &best);
		}
	}
	return best;
}
