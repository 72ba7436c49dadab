/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gaps - figures of a series of times between arrivals. Any unit. */
#ifndef THINPROBE_ARRIVALS_GAPS_H
#define THINPROBE_ARRIVALS_GAPS_H

#include <stddef.h>

struct gaps_figures {
	double mean, sd, cov;	/* sd of a sample (n - 1) */
	double lag1;		/* correlation of each with the next; 0 where all are alike */
};
void gaps_figures(const double *gap, size_t n, struct gaps_figures *out);

/* Largest distance between the share of gaps up to t and 1 - exp(-t / mean). Sorts `gap`. */
double gaps_ks(double *gap, size_t n, double mean);

/* How the figures of arrivals come out for a Poisson process: simulated, since their textbook forms hold for very many arrivals
 * only.
 *
 * The coefficient of variation and the lag-1 correlation of n exponential gaps, times sqrt(n), from NULL_DISTS_DRAWS sets of up to
 * NULL_DISTS_GAPS; beyond, their distance from the normal distribution shrinks with sqrt(n), as Edgeworth's expansion says. The
 * Kolmogorov-Smirnov distance from the exponential distribution of the sample's own mean (Lilliefors 1969), as modified by Stephens
 * (1974), which makes it depend on n very little, from sets of up to NULL_DISTS_KS_GAPS. Always the same seed: the same data give the same
 * verdict. */
#define NULL_DISTS_DRAWS 5000
#define NULL_DISTS_GAPS 2000
#define NULL_DISTS_KS_GAPS 200

struct null_dists;
struct null_dists *null_dists_simulate(size_t n);	/* for n gaps, 2 or more; NULL: no memory. About a quarter of a second */
void null_dists_free(struct null_dists *t);

/* p: how likely at least so extreme a value is; never below 1 / NULL_DISTS_DRAWS. Two-sided, but for ks. */
double null_dists_cov_p(const struct null_dists *t, double cov);
double null_dists_lag1_p(const struct null_dists *t, double lag1);
double null_dists_ks_p(const struct null_dists *t, double distance);

#endif
