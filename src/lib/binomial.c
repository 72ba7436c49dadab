// SPDX-License-Identifier: GPL-3.0-or-later
#include "binomial.h"

#include <math.h>

/* Sums the terms from k = hits, the largest, down to k = 0. Terms are kept as logarithms. */
double binomial_at_most(int64_t hits, int64_t n, double p)
{
	double logit = log(p) - log1p(-p);
	double term = lgamma((double)n + 1) - lgamma((double)hits + 1) - lgamma((double)(n - hits) + 1) + (double)hits * log(p) +
		      (double)(n - hits) * log1p(-p);
	double sum = 0;

	for (int64_t k = hits; k >= 0; k--) {
		sum += exp(term);
		if (term < -745) /* the following terms are smaller: hits is below the mean where this matters */
			break;
		term += log((double)k) - log((double)(n - k + 1)) - logit;
	}
	return sum;
}

double binomial_run_effect(double p, double n, double runs, double squares, double stated)
{
	double rare = fmin(p, 1 - p), effect = rare > 0 ? (1 - rare) * (1 + 1 / runs) * squares / (n * rare) - rare : stated;

	return fmin(fmax(effect, 1), n);
}

void binomial_runs_add(struct binomial_runs *r, bool hit)
{
	r->length = r->length > 0 && hit == r->hit ? r->length + 1 : 1;
	r->runs[hit] += r->length == 1;
	r->squares[hit] += 2 * r->length - 1;
	r->hit = hit;
	r->hits += hit;
	r->n++;
}

void binomial_runs_join(struct binomial_runs *r, const struct binomial_runs *other)
{
	r->n += other->n;
	r->hits += other->hits;
	for (int hit = 0; hit < 2; hit++) {
		r->runs[hit] += other->runs[hit];
		r->squares[hit] += other->squares[hit];
	}
}

double binomial_runs_bound(const struct binomial_runs *r, double stated)
{
	double p = r->hits / r->n, effect = binomial_run_effect(p, r->n, r->runs[p <= 0.5], r->squares[p <= 0.5], stated);

	return r->n > 0 ? binomial_share_bound((int64_t)ceil(r->hits / effect), (int64_t)floor(r->n / effect)) : NAN;
}

double binomial_share_bound(int64_t hits, int64_t n)
{
	double low, high = 1;

	if (n <= 0)
		return NAN;
	if (hits >= n)
		return 1;
	low = (double)hits / (double)n;
	for (int i = 0; i < 60; i++) {
		double mid = (low + high) / 2;

		if (mid <= 0 || mid >= 1)
			break;
		if (binomial_at_most(hits, n, mid) > 0.05)
			low = mid;
		else
			high = mid;
	}
	return high;
}
