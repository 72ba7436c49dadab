// SPDX-License-Identifier: GPL-3.0-or-later
#include "decide.h"
#include "memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define VALUES_MOST 10000
#define STAKE_MOST 0.95	  /* largest stake, as a share of the money: one wrong value does not lose all */
#define PAIRS_SHARE 0.25  /* share of the money that is bet on pairs of starts */
#define SCATTER_GUESS 0.3 /* in effects, with the weight of one value: before there are any */

static void add_value(struct decide_figure *f, double difference)
{
	double off = difference - f->mean;

	f->n++;
	f->mean += off / (double)f->n;
	f->squares += off * (difference - f->mean);
}

void decide_add_range(struct decide_figure *f, int64_t start, double low, double high)
{
	double half = (high - low) / 2, middle = low + half;

	if (f->n && start % 2 == 0 && f->last == start - 1) {
		memory_more(f->pair, f->pairs);
		memory_more(f->pair_half, f->pairs);
		f->pair_half[f->pairs] = (f->half[f->n - 1] + half) / 2;
		f->pair[f->pairs++] = (f->value[f->n - 1] + middle) / 2;
	}
	f->last = start;
	memory_more(f->value, f->n);
	memory_more(f->half, f->n);
	f->value[f->n] = middle;
	f->half[f->n] = half;
	f->wide += (half - f->wide) / (double)(f->n + 1);
	add_value(f, middle);
}

void decide_add(struct decide_figure *f, int64_t start, double difference)
{
	decide_add_range(f, start, difference, difference);
}

void decide_free(struct decide_figure *f)
{
	free(f->value);
	free(f->half);
	free(f->pair);
	free(f->pair_half);
	*f = (struct decide_figure){ .effect = f->effect, .weight = f->weight };
}

double decide_sd(const struct decide_figure *f)
{
	return f->n > 1 ? sqrt(f->squares / (double)(f->n - 1)) : 0;
}

void decide_set_runs(struct decide_figure *f, const size_t n[static 2], const double mean[static 2], const double sd[static 2])
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

/* Logarithm of the money, 1 at first, of a player who bets that each value is above `mean` (side 1) or below it (-1). Of a range
 * the end counts that is worst for the player. */
static double bet_values(const double *middle, const double *half, size_t n, double mean, int side, double effect)
{
	struct decide_figure before = { 0 };
	double sum = 0, guess = SCATTER_GUESS * effect;

	for (size_t i = 0; i < n; i++) {
		double s = sqrt((before.squares + guess * guess) / (i > 1 ? (double)i : 1)), value = middle[i] - side * half[i];

		sum += log1p(STAKE_MOST * tanh(side * (value - mean) * fmin(s, effect / 2) / (s * s)));
		add_value(&before, value);
	}
	return sum;
}

double decide_log_money(const struct decide_figure *f, double mean, int side)
{
	double starts = log(1 - PAIRS_SHARE) + bet_values(f->value, f->half, f->n, mean, side, f->effect);
	double pairs = log(PAIRS_SHARE) + bet_values(f->pair, f->pair_half, f->pairs, mean, side, f->effect);

	return fmax(starts, pairs) + log1p(exp(-fabs(starts - pairs)));
}

/* One-sided p-value against `mean`: what is seen lies above it (side 1), or below (-1). */
static double one_sided_p(const struct decide_figure *f, double mean, int side)
{
	if (f->freedom > 0) /* no spread on both sides: nothing is known of it */
		return f->n >= DECIDE_REPEATS && f->error > 0 ? welch_upper_p(f->freedom, side * (f->mean - mean) / f->error) : 1;
	return fmin(1, exp(-decide_log_money(f, mean, side)));
}

static double value_p(const struct decide_figure *f)
{
	return fmin(1, 2 * fmin(one_sided_p(f, 0, 1), one_sided_p(f, 0, -1)));
}

/* Could the skew of starts that scatter by more than 0.7 effects make the difference? Where rare large values to one side are
 * made up for by many small ones to the other, the mean of a few is mostly on that other side. So 0 is moved there by
 * Johnson's (1978) correction of t. */
static bool is_skew_enough(const struct decide_figure *f, double level)
{
	double cubes = 0, variance = decide_sd(f) * decide_sd(f), moved;
	int side = f->mean < 0 ? -1 : 1;

	if (f->freedom > 0 || variance < f->effect * f->effect / 2)
		return false;
	for (size_t i = 0; i < f->n; i++)
		cubes += pow(f->value[i] - f->mean, 3) / (double)f->n;
	moved = fmax(0, -side * cubes) * (1 / (6 * variance * (double)f->n) + f->mean * f->mean / (3 * variance * variance));
	return one_sided_p(f, side * moved, side) > level / 2;
}

static void choose_word(struct decide_figure *f, bool told, double each, double level)
{
	f->each = each;
	f->level = level;
	f->not_less = f->mean > -f->effect && one_sided_p(f, -f->effect, 1) <= each / 2;
	f->not_more = f->mean < f->effect && one_sided_p(f, f->effect, -1) <= each / 2;
	f->word = DECIDE_OPEN;
	if (f->not_less && f->not_more)
		f->word = DECIDE_SAME;
	else if (told && fabs(f->mean) - f->wide >= f->effect / 2 && !is_skew_enough(f, level))
		f->word = f->mean < 0 ? DECIDE_LOWER : DECIDE_HIGHER;
}

static double weigh(const struct decide_figure *f)
{
	return f->weight > 0 ? f->weight : 1;
}

void decide_all(struct decide_figure *f, size_t n, double alpha)
{
	bool *told = memory_new(n, sizeof(*told));
	double sum = 0, left;

	for (size_t i = 0; i < n; i++) {
		f[i].p = value_p(&f[i]);
		sum += weigh(&f[i]);
	}
	left = sum;
	for (size_t done = 0; done < n; done++) {
		size_t best = n;

		for (size_t i = 0; i < n; i++)
			if (!told[i] && (best == n || f[i].p / weigh(&f[i]) < f[best].p / weigh(&f[best])))
				best = i;
		if (f[best].p > alpha * weigh(&f[best]) / left)
			break;
		told[best] = true;
		choose_word(&f[best], true, alpha * weigh(&f[best]) / sum, alpha * weigh(&f[best]) / left);
		left -= weigh(&f[best]);
	}
	for (size_t i = 0; i < n; i++)
		if (!told[i])
			choose_word(&f[i], false, alpha * weigh(&f[i]) / sum, alpha * weigh(&f[i]) / left);
	free(told);
}

double decide_reach(const struct decide_figure *f, int side)
{
	double near = 0, far = f->effect;

	while (one_sided_p(f, f->mean + side * far, -side) > f->level / 2) {
		near = far;
		far *= 2;
		if (far > 1e9 * f->effect)
			return (double)INFINITY;
	}
	for (int i = 0; i < 50; i++) {
		double middle = (near + far) / 2;

		*(one_sided_p(f, f->mean + side * middle, -side) > f->level / 2 ? &near : &far) = middle;
	}
	return far;
}

/* Is the figure decided with n values, if those to come are of this mean and sd? They are on both sides two by two, so that
 * the means of pairs scatter, too. */
static bool is_decided_with(const struct decide_figure *f, size_t n, double mean, double sd, double each)
{
	struct decide_figure next = { .effect = f->effect };
	bool decided;

	if (f->freedom > 0) {
		double times = (double)n / (double)f->n;

		next = *f;
		next.n = n;
		next.error /= sqrt(times);
		next.freedom *= times;
	} else {
		for (size_t i = 0; i < n; i++) {
			double middle = i < f->n ? f->value[i] : mean + (i & 2 ? sd : -sd), half = i < f->n ? f->half[i] : f->wide;

			decide_add_range(&next, (int64_t)i + 1, middle - half, middle + half);
		}
	}
	choose_word(&next, value_p(&next) <= each, each, each);
	decided = next.word != DECIDE_OPEN;
	if (!(f->freedom > 0))
		decide_free(&next);
	return decided;
}

static size_t count_needed(const struct decide_figure *f, double mean, double sd, double each)
{
	size_t few = f->n, n = few + 1;

	while (n <= VALUES_MOST && !is_decided_with(f, n, mean, sd, each)) {
		few = n;
		n += n - f->n;
	}
	if (n > VALUES_MOST)
		return DECIDE_NEVER;
	while (n - few > 1) {
		size_t middle = few + (n - few) / 2;

		*(is_decided_with(f, middle, mean, sd, each) ? &n : &few) = middle;
	}
	return n;
}

size_t decide_more(const struct decide_figure *f)
{
	size_t n = count_needed(f, f->mean, decide_sd(f), f->each);

	return n == DECIDE_NEVER ? n : n - f->n;
}

size_t decide_starts_needed(double difference, double sd, double effect, double alpha)
{
	return count_needed(&(struct decide_figure){ .effect = effect }, difference, sd, alpha);
}

double decide_scatter_most(size_t starts, double effect, double alpha)
{
	double low = 1e-3 * effect, high = 100 * effect;

	if (decide_starts_needed(effect, low, effect, alpha) > starts)
		return (double)NAN;
	for (int i = 0; i < 12; i++) {
		double middle = sqrt(low * high);

		*(decide_starts_needed(effect, middle, effect, alpha) > starts ? &high : &low) = middle;
	}
	return low;
}

double welch_quantile(double freedom, double p)
{
	return gsl_cdf_tdist_Pinv(p, freedom);
}

double welch_upper_p(double freedom, double t)
{
	return gsl_cdf_tdist_Q(t, freedom);
}

double welch_normal_quantile(double p)
{
	return gsl_cdf_ugaussian_Pinv(p);
}

double welch_chi_squared_quantile(double freedom, double p)
{
	double part = 2 / (9 * freedom);

	return freedom <= 2000 ? gsl_cdf_chisq_Pinv(p, freedom)
			       : freedom * pow(1 - part + welch_normal_quantile(p) * sqrt(part), 3);
}
