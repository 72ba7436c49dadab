/* SPDX-License-Identifier: GPL-3.0-or-later */
/* poisson - tests whether arrivals come from a Poisson process: five tests and one verdict (kits/users/docs/queueing.md), and rows
 * for a plot of them.
 *
 * Given the first and the last arrival, the arrivals between them are independent and uniformly distributed (for a Poisson process
 * of any rate): the p-value of each test follows from that, whatever the rate. Holm's correction (1979) combines the tests: it
 * rejects at most a share POISSON_LEVEL of true Poisson processes.
 *
 * Times recorded in whole ticks: for a Poisson process, arrivals are spread uniformly within a tick, so each time is moved to a
 * random place in its tick, which is exact for a Poisson process and hides only patterns shorter than a tick. Where a tick is
 * longer than half the mean gap, gaps are mostly random numbers: then only counts and the periodogram are tested. */
#pragma once

#include "gaps.h"
#include "rec.h"

#include <stdbool.h>
#include <stdint.h>

#define POISSON_LEVEL 0.05
#define POISSON_FEWEST 50 /* least number of gaps for a verdict */
#define POISSON_BAND 1.96 /* half-width of the 95 % band around a CoV of 1, times sqrt(n) */

enum poisson_test { POISSON_COV, POISSON_KS, POISSON_DISPERSION, POISSON_LAG1, POISSON_PEAK, POISSON_TESTS };
extern const char *const poisson_test_names[];

struct poisson_test_cfg {
	int64_t tick_ns;     /* resolution of the times; 1: exact */
	int64_t interval_ns; /* length of the intervals in which arrivals are counted; 0: ten arrivals on average */
	uint64_t seed;	     /* seed for the random places of arrivals within their ticks */
};

struct poisson_result {
	size_t n;	      /* number of gaps */
	size_t ties;	      /* gaps of 0 as recorded: arrivals in the same tick as the arrival before */
	double ties_expected; /* number of ties expected by chance for so many arrivals and ticks */
	double longest_s;     /* the longest gap */
	bool gaps_told;	      /* gaps are known: ticks are short enough */
	/* span_s: from first to last arrival; cov, lag1, ks: NAN if gaps are not known; all NAN if all arrivals are in one tick */
	double span_s, mean_s, sd_s, cov, lag1, ks;
	double interval_s, dispersion; /* dispersion: variance over mean of the counts; NAN with fewer than ten intervals */
	size_t intervals;
	double peak, peak_period_s; /* largest power of the periodogram (mean 1) and its period; NAN: not computed */
	size_t frequencies;
	double p[POISSON_TESTS]; /* p-value of each test; NAN: not tested */
	size_t tested;
	double p_joint;		      /* smallest p-value times the number of tests; NAN: no verdict */
	bool rejected[POISSON_TESTS]; /* tests that reject a Poisson process, by Holm's method */
	bool verdict, poisson;	      /* verdict: there is a verdict; poisson: no test rejects */
	int64_t doubt_step_ns;	      /* no verdict, because the clock may have had these steps; 0: for another reason */
};

/* Moves each time to a random place within its tick; sorts the times. */
void poisson_spread_times(int64_t *time_ns, size_t n, int64_t tick_ns, uint64_t seed);

/* Tests n + 1 = `arrivals` times, ascending, already spread within ticks. `nulls`: for n gaps; NULL below POISSON_FEWEST. */
void poisson_test_all(const int64_t *time_ns, size_t arrivals, const struct poisson_test_cfg *cfg, const struct gap_nulls *nulls,
		      struct poisson_result *out);

/* Writes the names of the tests that reject, "cov, ks"; "": none. */
void poisson_list_tests(const struct poisson_result *p, char *text, size_t size);
/* Writes the verdict in words, with its error band. */
void poisson_format_verdict(const struct poisson_result *p, char *text, size_t size);

/* Writes a warning if the log itself looks broken: far more ties than by chance, or one gap that is a large part of the whole time.
 * False: no warning. */
bool poisson_format_hint(const struct poisson_result *p, char *text, size_t size);

/* Rows for plots/arrivals.gp: the first arrivals, their number in each interval, the distribution of counts beside
 * Poisson's, the distribution of gaps beside the exponential one, the coefficient of variation by number of sources. */
extern const char *const draw_columns[]; /* columns of schema arrivals/1 */

/* Writes the rows of p->n + 1 arrivals, in ascending order. */
void draw_write_rows(struct row_file *t, const int64_t *time_ns, const struct poisson_result *p);
/* A row of any kind; NAN: an empty cell. */
void draw_write_row(struct row_file *t, const char *kind, double x, double y, double expected, double low, double high);
