// SPDX-License-Identifier: GPL-3.0-or-later
#include "drift.h"
#include "memory.h"
#include "welch.h"

#include <math.h>

#define BATCHES (2 * DRIFT_PAIRS)

struct look {
	double first, before;	   /* levels of the first half, and of the first DRIFT_BEFORE batches */
	double change, error, end; /* growth from half to half with its standard error; of the last batches over `before` */
	double p_pairs, p_end, p;  /* p: of both tests */
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
	double p = error > 0 ? welch_p((double)freedom, mean / error) / 2 : mean == 0 ? 0.5 : 0;

	return mean < 0 ? 1 - p : p;
}

/* Looks at the first BATCHES * batch blocks. A batch of unknown values makes `change` and `end` NAN, and p 1. */
static struct look take_look(const double *value, size_t batch)
{
	double mean[BATCHES], of_pair[DRIFT_PAIRS], spread, known = 0;
	struct look l = { 0 };

	for (size_t i = 0; i < BATCHES; i++)
		known += mean[i] = drift_mean(value + i * batch, batch);
	for (size_t i = 0; i < DRIFT_PAIRS; i++)
		of_pair[i] = mean[DRIFT_PAIRS + i] - mean[i];
	l.first = drift_mean(mean, DRIFT_PAIRS);
	l.before = drift_mean(mean, DRIFT_BEFORE);
	l.change = drift_mean(of_pair, DRIFT_PAIRS);
	l.error = standard_deviation(of_pair, DRIFT_PAIRS) / sqrt(DRIFT_PAIRS);
	l.p_pairs = p_above(l.change, l.error, DRIFT_PAIRS - 1);
	l.end = drift_mean(mean + BATCHES - DRIFT_END, DRIFT_END) - l.before;
	spread = standard_deviation(mean, DRIFT_BEFORE) * sqrt(1 + 1.0 / DRIFT_BEFORE);
	for (size_t i = BATCHES - DRIFT_END; i < BATCHES; i++)
		l.p_end = fmax(l.p_end, p_above(mean[i] - l.before, spread, DRIFT_BEFORE - 1));
	l.p = isnan(known) ? 1 : fmin(1, 2 * fmin(l.p_pairs, l.p_end));
	if (isnan(known))
		l.change = l.end = (double)NAN;
	return l;
}

/* The number of blocks from `from` on after which the mean of the last `window` was below `level`; 0: never. */
static size_t find_return(const double *value, size_t from, size_t blocks, size_t window, double level)
{
	for (size_t i = from + window; i <= blocks; i++)
		if (drift_mean(value + i - window, window) < level)
			return i;
	return 0;
}

/* The figure's growth was told at this look, unless it is too small to matter. */
static void tell_growth(struct drift_figure *f, const struct look *l, size_t batch, size_t blocks)
{
	bool at_end = l->p_end < l->p_pairs && l->end > l->change;
	double growth = at_end ? l->end : l->change, from = at_end ? l->before : l->first;
	size_t back;

	if (f->told || growth < f->effect / 2 || f->returned > BATCHES * batch)
		return;
	back = find_return(f->value, BATCHES * batch, blocks, DRIFT_END * batch, from + growth / 2);
	if (back)
		f->returned = back;
	else
		f->told = BATCHES * batch;
}

static void look_together(struct drift_figure *f, size_t n, size_t batch, size_t blocks, double alpha)
{
	struct look *l = memory_new(n, sizeof(*l));
	bool *done = memory_new(n, sizeof(*done));

	for (size_t i = 0; i < n; i++) {
		l[i] = take_look(f[i].value, batch);
		f[i].p = l[i].p;
		f[i].change = l[i].change;
		f[i].high = f[i].change + welch_quantile(DRIFT_PAIRS - 1, 1 - alpha / (double)n) * l[i].error;
		f[i].low = 2 * f[i].change - f[i].high;
		f[i].end = l[i].end;
		f[i].before = l[i].before;
	}
	for (size_t left = n; left; left--) {
		size_t best = n;

		for (size_t i = 0; i < n; i++)
			if (!done[i] && (best == n || l[i].p < l[best].p))
				best = i;
		if (l[best].p > alpha / (double)left)
			break;
		tell_growth(&f[best], &l[best], batch, blocks);
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

void drift_decide(struct drift_figure *f, size_t n, size_t blocks, double alpha)
{
	double k = 1;
	size_t looked = 0;

	for (size_t i = 0; i < n; i++)
		f[i].change = f[i].low = f[i].high = f[i].end = f[i].before = f[i].p = (double)NAN;
	for (size_t batch = DRIFT_BATCH; BATCHES * batch <= blocks; k++) {
		look_together(f, n, batch, blocks, alpha * 5 / ((k + 4) * (k + 5)));
		looked = BATCHES * batch;
		batch = batch < 10 ? batch + 1 : batch * 6 / 5;
	}
	for (size_t i = 0; i < n; i++)
		f[i].word = f[i].told							       ? DRIFT_GROWS
			    : f[i].returned						       ? DRIFT_RETURNS
			    : f[i].high < f[i].effect && ends_as_before(&f[i], looked, blocks) ? DRIFT_NONE
											       : DRIFT_OPEN;
}

/* The sum of squares that is left when the values are a + growth * x, with x = 0 before `from`, then 1 (step), or 1, 2, 3 ... */
static double fit_growth(const double *value, size_t blocks, size_t from, bool step, double *growth)
{
	double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, y0 = drift_mean(value, blocks);

	for (size_t i = 0; i < blocks; i++) {
		double x = i < from ? 0 : step ? 1 : (double)(i - from + 1), y = value[i] - y0;

		if (isnan(y))
			continue;
		n++;
		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
		syy += y * y;
	}
	*growth = (n * sxy - sx * sy) / (n * sxx - sx * sx);
	return syy - sy * sy / n - *growth * (sxy - sx * sy / n);
}

struct drift_begin drift_find_begin(const double *value, size_t blocks)
{
	struct drift_begin best = { 0 };
	double least = (double)INFINITY, growth;

	for (int step = 0; step <= 1; step++)
		for (size_t from = 1; from + 1 < blocks; from++) {
			double left = fit_growth(value, blocks, from, step, &growth);

			if (left < least && growth > 0) {
				least = left;
				best = (struct drift_begin){ from, step, growth };
			}
		}
	return best;
}
