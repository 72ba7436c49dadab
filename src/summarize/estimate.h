/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimate - one figure of a cell from one number of each of its repeats: the estimators that the file `table` names. */
#pragma once

#include "interval.h"
#include "sample.h"

enum estimator {
	ESTIMATE_GIVEN, /* -		the extractor's own figure, without ends of an interval */
	ESTIMATE_ENDS,	/* ends		the extractor's figure with _low and _high */
	ESTIMATE_ABOVE, /* ends+above	the same with _above: 1 where the figure is a lower bound */
	/* range   the same with _from and _to, the ends of a range, and _why (figure.h); of JSON numbers: logmean+ci, or of %
	 * percent+ci, of both ends */
	ESTIMATE_RANGE,
	ESTIMATE_MEAN,	  /* mean */
	ESTIMATE_MEAN_CI, /* mean+ci	Student's t, from ten repeats BCa bootstrap; no end below 0 */
	/* percent+ci, unit+ci	mean of shares of 100 or 1: t on logits, widened to include the mean */
	ESTIMATE_PERCENT_CI,
	ESTIMATE_UNIT_CI,
	ESTIMATE_CHANGE_CI,  /* change+ci	as mean+ci, for numbers that may be negative */
	ESTIMATE_LOGMEAN_CI, /* logmean+ci	mean; t on logarithms below ten repeats, widened to include the mean */
	ESTIMATE_GEOMEAN_CI, /* geomean+ci	geometric mean of numbers above 0; t on logarithms */
	ESTIMATE_MEDIAN,     /* median */
	ESTIMATE_MEDIAN_CI,  /* median+ci	t on logarithms from three repeats, order statistics from five */
	ESTIMATE_SUM,
	ESTIMATE_MAX,
	ESTIMATE_MIN,
	ESTIMATE_FIRST,
	ESTIMATE_LAST,	      /* number or text of the first or last complete repeat */
	ESTIMATE_SAME,	      /* same		texts only: the text of all repeats, or "mixed" */
	ESTIMATE_COUNT,	      /* count	number of repeats that have the number */
	ESTIMATE_UNKNOWN,     /* unknown	number of repeats that lack the number */
	ESTIMATE_TRUE,	      /* true		number of repeats where the number is not 0 */
	ESTIMATE_FALSE,	      /* false	number of repeats where the number is 0 */
	ESTIMATE_CHANCE,      /* chance	smallest p-value times the number of p-values (Bonferroni), at most 1 */
	ESTIMATE_CHANCE_HOLM, /* chance+holm	as chance, and adjusted by Holm (1979) over all cells of the run */
	ESTIMATE_BAND,	      /* band		1/sqrt(sum of 1/v^2): pooled half-width of bands 1/sqrt(n) */
	ESTIMATE_SHARE_CI,    /* share+ci	percent: sum of the numbers over the sum of the numbers under the /; exact interval */
	ESTIMATORS
};
extern const char *const estimate_names[];

/* Number of cells beside the value: 0; 3 (NAME_low, NAME_high, NAME_both); 4 (and NAME_above); 7 (and NAME_from, NAME_to,
 * NAME_why). */
int estimate_extra_columns(enum estimator e);
/* Returns the figure of n numbers (NAN: not known). `total`: n numbers for ESTIMATE_SHARE_CI, otherwise not used. The figure's
 * `repeats` is how many numbers are known. */
struct figure estimate_cell_figure(enum estimator e, const double *value, const double *total, size_t n, size_t draws,
				   uint64_t seed);

/* A pool: the latencies of several runs (repeats) in one sorted array, each with the number of its run. */
struct pooled_latency {
	int64_t value;
	unsigned run;
	bool later; /* the value is a lower bound */
};

struct latency_pool {
	struct pooled_latency *item; /* owned; sorted by value after pool_sort() */
	size_t n;
	size_t *of_run, runs; /* of_run: number of values of each run; owned */
	double *added;	      /* the values in the order in which they were added, run by run; owned */
	double stall;	      /* how many values come during a stall that may have been missed */
};

void pool_add_latency(struct latency_pool *p, int64_t value, size_t run);
void pool_sort(struct latency_pool *p);
void pool_free(struct latency_pool *p);

enum pool_kind {
	POOL_PLAIN,   /* values may be 0 or less */
	POOL_KEYS,    /* latencies */
	POOL_REPLAYS, /* latencies of the same inputs in each run: only runs are independent */
};
/* Chance that runs which are alike are taken as apart: high, as a false alarm only costs width. */
#define POOL_APART 0.3
/* Runs whose shares of values beyond the median vary this many times more than those of runs that are alike: a tail of which
 * each run has too few values is that of the slowest runs, of which there are too few. */
#define POOL_FAR 10
/* An interval that ends beyond so many times the figure says nothing: three runs that differ by a factor. */
#define POOL_UNTOLD 100
/* Returns the quantile (type 7, as sample.h) of all values, divided by `unit`, if there are enough values for it, with its
 * interval: the values above which the share 1 - q may lie, by the interval of that share (interval_share_excludes()), in the order
 * in which they were added, and with a stall that was missed. Where runs differ by more than stalls explain (*apart), it holds the
 * interval of Student's t of their own quantiles (of latencies: of the logarithms), where each has enough values for it. No
 * interval where values are too few or runs too far apart, for the largest value (q = 1), nor where values that are lower bounds
 * reach it. */
struct figure pool_quantile(const struct latency_pool *p, double q, double unit, enum pool_kind kind, bool *apart);
