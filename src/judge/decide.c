// SPDX-License-Identifier: GPL-3.0-or-later
#include "decide.h"
#include "memory.h"
#include "welch.h"

#include <math.h>

#define VALUES_MOST 10000

void decide_add(struct decide_figure *f, double difference)
{
	double off = difference - f->mean;

	f->n++;
	f->mean += off / (double)f->n;
	f->squares += off * (difference - f->mean);
}

double decide_sd(const struct decide_figure *f)
{
	return f->n > 1 ? sqrt(f->squares / (double)(f->n - 1)) : 0;
}

void decide_set_runs(struct decide_figure *f, const size_t n[2], const double mean[2], const double sd[2])
{
	double part[2], sum;

	for (int i = 0; i < 2; i++)
		part[i] = sd[i] * sd[i] / (double)n[i];
	sum = part[0] + part[1];
	f->n = n[0] < n[1] ? n[0] : n[1];
	f->mean = mean[1] - mean[0];
	f->squares = 0;
	f->error = sqrt(sum);
	f->freedom = sum > 0 ? sum * sum / (part[0] * part[0] / (double)(n[0] - 1) + part[1] * part[1] / (double)(n[1] - 1))
			     : (double)(n[0] + n[1] - 2);
}

/* 1 + n times the variance of the prior. */
static double spread(size_t n)
{
	return 1 + (double)n * DECIDE_PRIOR * DECIDE_PRIOR;
}

double decide_log_factor(size_t n, double t)
{
	double r = spread(n), x = t * t / (double)(n - 1);

	return (double)n / 2 * (log1p(x) - log1p(x / r)) - log(r) / 2;
}

/* Solves decide_log_factor(n, t) = log(1 / alpha) for t. */
double decide_half_width(size_t n, double sd, double alpha)
{
	double r, l;

	if (n < 2)
		return (double)INFINITY;
	r = spread(n);
	l = exp(2 / (double)n * (log(r) / 2 - log(alpha)));
	if (l >= r)
		return (double)INFINITY;
	return sqrt((l - 1) / (1 - l / r) * (double)(n - 1)) * sd / sqrt((double)n);
}

size_t decide_values_needed(double sd, double alpha, double half)
{
	size_t n = DECIDE_STARTS;

	while (n <= VALUES_MOST && !(decide_half_width(n, sd, alpha) <= half))
		n++;
	return n <= VALUES_MOST ? n : DECIDE_NEVER;
}

/* Half the width of the figure's interval if it had `times` as many values. */
static double half_width(const struct decide_figure *f, double times, double alpha)
{
	if (f->freedom > 0)
		return welch_quantile(f->freedom * times, 1 - alpha / 2) * f->error / sqrt(times);
	return decide_half_width((size_t)llround((double)f->n * times), decide_sd(f), alpha);
}

static size_t values_needed(const struct decide_figure *f, double alpha, double half)
{
	size_t n = f->n;

	if (!(f->freedom > 0))
		return decide_values_needed(decide_sd(f), alpha, half);
	while (n <= VALUES_MOST && !(half_width(f, (double)n / (double)f->n, alpha) <= half))
		n++;
	return n <= VALUES_MOST ? n : DECIDE_NEVER;
}

static double value_p(const struct decide_figure *f)
{
	double sd = decide_sd(f);

	if (f->n < DECIDE_STARTS || f->mean == 0)
		return 1;
	if (f->freedom > 0)
		return f->error > 0 ? welch_p(f->freedom, f->mean / f->error) : 0;
	if (sd == 0) /* several equal differences: the factor has no upper bound but that of t */
		return fmin(1, exp(-decide_log_factor(f->n, (double)1e9)));
	return fmin(1, exp(-decide_log_factor(f->n, f->mean / sd * sqrt((double)f->n))));
}

static void choose_word(struct decide_figure *f, bool told, double each, double step)
{
	double half = half_width(f, 1, each), size = fabs(f->mean);
	bool never_moved = f->mean == 0 && f->squares == 0 && f->error == 0;
	size_t needed;

	f->low = f->mean - half_width(f, 1, step);
	f->high = f->mean + half_width(f, 1, step);
	f->word = DECIDE_OPEN;
	f->more = 0;
	if (f->n >= DECIDE_STARTS && size + half < f->effect && (!never_moved || f->n >= DECIDE_SAME_STARTS))
		f->word = DECIDE_SAME;
	else if (told && size >= f->effect / 2)
		f->word = f->mean < 0 ? DECIDE_LOWER : DECIDE_HIGHER;
	if (f->word != DECIDE_OPEN)
		return;
	needed = never_moved ? DECIDE_SAME_STARTS : values_needed(f, each, fmax(size, f->effect - size));
	f->more = needed == DECIDE_NEVER ? needed : needed > f->n ? needed - f->n : 1;
}

void decide_all(struct decide_figure *f, size_t n, double alpha)
{
	bool *told = memory_new(n, sizeof(*told));
	size_t left = n;

	for (size_t i = 0; i < n; i++)
		f[i].p = value_p(&f[i]);
	while (left) {
		size_t best = n;

		for (size_t i = 0; i < n; i++)
			if (!told[i] && (best == n || f[i].p < f[best].p))
				best = i;
		if (f[best].p > alpha / (double)left)
			break;
		told[best] = true;
		choose_word(&f[best], true, alpha / (double)n, alpha / (double)left);
		left--;
	}
	for (size_t i = 0; i < n; i++)
		if (!told[i])
			choose_word(&f[i], false, alpha / (double)n, alpha / (double)left);
	free(told);
}
