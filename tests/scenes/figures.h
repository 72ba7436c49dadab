/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figures - made-up figures of repeats around a known truth, as a table has them with their intervals. */
#pragma once

#include "scene.h"
#include "judge/claims.h"
#include "judge/decide.h"
#include "random.h"

#include <math.h>

#define FIGURES_REPEATS 20

/* What a table has of so many repeats: nothing of none, one alone, the values of two, which have no interval, as its ends, and
 * Student's interval of more. */
static inline struct claim_figure figures_estimate(const double *value, int n)
{
	double sum = 0, squares = 0, low = INFINITY, high = -INFINITY, half;

	for (int i = 0; i < n; i++) {
		sum += value[i];
		squares += value[i] * value[i];
		low = fmin(low, value[i]);
		high = fmax(high, value[i]);
	}
	if (n < 2)
		return n ? (struct claim_figure){ sum, sum, NAN, NAN, 1 } : (struct claim_figure){ NAN, NAN, NAN, NAN, 0 };
	half = n == 2 ? (high - low) / 2 : welch_quantile(n - 1, 0.975) * sqrt(fmax(0, squares - sum * sum / n) / (n - 1) / n);
	return (struct claim_figure){ sum / n, sum / n, sum / n - half, sum / n + half, n };
}

/* The mean of `repeats` values that scatter by `scatter` percent of the truth; the first `disturbed` of them are three times as
 * large. One repeat has no interval, and is absent. */
static inline struct claim_figure figures_draw(const struct scene *s, uint64_t *rng, double truth)
{
	int n = (int)scene_number(s, "repeats", 5), disturbed = (int)scene_number(s, "disturbed", 0);
	double value[FIGURES_REPEATS];

	for (int i = 0; i < n; i++)
		value[i] = truth * (1 + scene_number(s, "scatter", 5) / 100 * random_normal(rng)) * (i < disturbed ? 3 : 1);
	return n < 2 ? (struct claim_figure){ NAN, NAN, NAN, NAN, n } : figures_estimate(value, n);
}
