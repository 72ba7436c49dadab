/* SPDX-License-Identifier: GPL-3.0-or-later */
/* binomial - chances of a proportion, and its confidence bound. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* P(X <= hits) of n events with probability p, 0 < p < 1; 0 where that is above a half and n large. */
double binomial_at_most(int64_t hits, int64_t n, double p);

/* One-sided upper confidence bound, at 95 %, of a proportion of which `hits` of `n` events were observed (Clopper and
 * Pearson 1934): 0 to 1; about 3/n for hits = 0. NAN for n = 0. */
double binomial_share_bound(int64_t hits, int64_t n);

/* How many events of a share p count as one, where they come in runs: `runs` runs of the rarer kind among n events, `squares` the
 * sum of their squared lengths (docs/method.md, "Late shares"); `stated` where there is none. From 1 to n. */
double binomial_run_effect(double p, double n, double runs, double squares, double stated);

/* Events, hits or not, in their order: runs of misses [0] and of hits [1], and sums of their squared lengths. All zero at first. */
struct binomial_runs {
	double n, hits, runs[2], squares[2];
	double length; /* length of the latest run of equal outcomes */
	bool hit;
};
void binomial_runs_add(struct binomial_runs *r, bool hit);
/* Adds other events, which came meanwhile elsewhere. */
void binomial_runs_join(struct binomial_runs *r, const struct binomial_runs *other);
/* The upper bound of the share of hits, where runs count, not events. */
double binomial_runs_bound(const struct binomial_runs *r, double stated);
