/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poisson - are these arrivals those of a Poisson process? Five tests and one verdict (docs/queueing.md).
 *
 * Given the first and the last arrival, those between are as if thrown at random (Poisson process of any rate): each test's chances
 * follow from that, and nothing has to be known of the rate. Holm's correction (1979) makes one verdict of them: of Poisson
 * processes it rejects POISSON_LEVEL or less.
 *
 * Times that were written down in whole ticks: under the same hypothesis arrivals are spread evenly within a tick, so they are put
 * at random there, which is exact for a Poisson process and hides only what is shorter than a tick. Where a tick is longer than
 * half the mean gap, the gaps are of our own making: then counts and periodogram alone are tested. */
#ifndef THINPROBE_ARRIVALS_POISSON_H
#define THINPROBE_ARRIVALS_POISSON_H

#include "gaps.h"

#include <stdbool.h>
#include <stdint.h>

#define POISSON_LEVEL 0.05
#define POISSON_FEWEST 50	/* gaps; with fewer there is no verdict */
#define POISSON_BAND 1.96	/* 95 %, over sqrt(n), around a CoV of 1 */

enum poisson_test { POISSON_COV, POISSON_KS, POISSON_DISPERSION, POISSON_LAG1, POISSON_PEAK, POISSON_TESTS };
extern const char *const poisson_test_names[];

struct poisson_cfg {
	int64_t tick_ns;	/* 1: times are exact */
	int64_t interval_ns;	/* of counting; 0: ten arrivals on average */
	uint64_t seed;		/* of where in its tick an arrival is put */
};

struct poisson {
	size_t n;			/* gaps */
	size_t ties;			/* gaps of 0 as written down: arrivals in the tick of the one before */
	double ties_expected;		/* that chance would make of so many arrivals in so many ticks */
	double longest_s;		/* gap */
	bool gaps_told;			/* the gaps are the arrivals' own */
	double span_s, mean_s, sd_s, cov, lag1, ks;	/* cov, lag1, ks: NAN where the gaps do not tell */
	double interval_s, dispersion;	/* variance over mean of the counts; NAN with fewer than ten intervals */
	size_t intervals;
	double peak, peak_period_s;	/* the largest power of the periodogram (mean 1), and its period; NAN: none looked at */
	size_t frequencies;
	double p[POISSON_TESTS];	/* NAN: not tested */
	size_t tested;
	double p_joint;			/* the smallest, times how many were tested; NAN: no verdict */
	bool rejected[POISSON_TESTS];	/* by Holm */
	bool verdict, poisson;		/* is there one; is it one */
};

/* Puts each time at random within its tick; sorts them. */
void poisson_spread_ticks(int64_t *time_ns, size_t n, int64_t tick_ns, uint64_t seed);

/* `time_ns`: n + 1 arrivals, ascending, spread already. `nulls`: for n gaps (may be NULL below POISSON_FEWEST). 0 or -ENOMEM. */
int poisson_judge(const int64_t *time_ns, size_t arrivals, const struct poisson_cfg *cfg,
		  const struct null_dists *nulls, struct poisson *out);

/* The verdict in words, with its error band. */
void poisson_describe(const struct poisson *p, char *text, size_t size);

/* Where the log looks broken rather than the arrivals not Poisson: far more ties than chance makes,
 * or one gap that is a good part of all the time. False: nothing to say. */
bool poisson_warn(const struct poisson *p, char *text, size_t size);

#endif
