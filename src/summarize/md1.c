// SPDX-License-Identifier: GPL-3.0-or-later
#include "md1.h"

#include <math.h>

#define MD1_STEPS 2000

double md1_share(double load, double x)
{
	double sum = 0;

	/* alternating, but with x so small no more than ten digits of the sixteen are lost */
	for (int k = 0; k <= (int)x; k++) {
		double term = exp(load * (x - k));

		for (int i = 1; i <= k; i++)
			term *= load * (k - x) / i;
		sum += term;
	}
	return (1 - load) * sum;
}

struct md1 md1_wait(double load, double credit)
{
	struct md1 all = { NAN, NAN };
	double mean, square, h = credit / MD1_STEPS;

	if (!(load >= 0 && load < 1 && credit >= 0 && credit <= MD1_CREDIT_MOST))
		return all;
	mean = load / (2 * (1 - load));
	square = 2 * mean * mean + load / (3 * (1 - load));
	/* E max(0, V - c) and its square, from what of P(V > x) lies below c (midpoint rule: the kinks are at whole numbers) */
	square -= 2 * credit * mean;
	for (int i = 0; i < MD1_STEPS; i++) {
		double x = (i + 0.5) * h, longer = 1 - md1_share(load, x);

		mean -= longer * h;
		square += 2 * (credit - x) * longer * h;
	}
	all.mean = fmax(0, mean);
	all.variance = fmax(0, square - all.mean * all.mean);
	return all;
}
