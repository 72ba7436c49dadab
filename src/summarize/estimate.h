/* SPDX-License-Identifier: GPL-3.0-or-later */
/* estimate - one figure of a cell from one number of each of its repeats: the estimators that `table` names. */
#ifndef THINPROBE_SUMMARIZE_ESTIMATE_H
#define THINPROBE_SUMMARIZE_ESTIMATE_H

#include "interval.h"

enum estimator {
	ESTIMATE_GIVEN,		/* -		the extractor's own figure, without ends */
	ESTIMATE_ENDS,		/* ends		with _low and _high */
	ESTIMATE_ABOVE,		/* ends+above	and _above: 1 where the figure is a lower bound */
	ESTIMATE_MEAN,		/* mean */
	ESTIMATE_MEAN_CI,	/* mean+ci	Student's t, from ten repeats BCa bootstrap; no end below 0 */
	ESTIMATE_CHANGE_CI,	/* change+ci	the same of what may be negative */
	ESTIMATE_LOGMEAN_CI,	/* logmean+ci	mean; t on logarithms below ten repeats, widened to hold the mean */
	ESTIMATE_MEDIAN,	/* median */
	ESTIMATE_MEDIAN_CI,	/* median+ci	t on logarithms from three repeats, BCa from ten, widened to hold the median */
	ESTIMATE_SUM, ESTIMATE_MAX, ESTIMATE_MIN,
	ESTIMATE_FIRST, ESTIMATE_LAST,	/* of the complete repeats; of texts too */
	ESTIMATE_SAME,		/* same		texts only: the text of all repeats, or "mixed" */
	ESTIMATE_COUNT,		/* count	repeats that have the number */
	ESTIMATE_UNKNOWN,	/* unknown	repeats that have not */
	ESTIMATE_TRUE,		/* true		those where it is not 0 */
	ESTIMATE_FALSE,		/* false	those where it is 0 */
	ESTIMATE_CHANCE,	/* chance	least p times how many (Bonferroni), at most 1 */
	ESTIMATE_CHANCE_HOLM,	/* chance+holm	and adjusted by Holm (1979) over all cells of the run */
	ESTIMATE_BAND,		/* band		1/sqrt(sum of 1/v^2): each is as wide as 1/sqrt(n) */
	ESTIMATE_SHARE_CI,	/* share+ci	percent of the sum of the numbers in the sum of those under the /; exact interval */
	ESTIMATORS
};
extern const char *const estimate_names[];

/* 0: NAME alone; 2: and NAME_low, NAME_high; 3: and NAME_above. */
int estimate_ends(enum estimator e);
/* `value`: n numbers, NAN: not known. `total`: as many, for ESTIMATE_SHARE_CI, else unused. The figure's `repeats`: those known. */
struct figure estimate(enum estimator e, const double *value, const double *total, size_t n, size_t draws, uint64_t seed);

#endif
