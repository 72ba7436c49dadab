/* SPDX-License-Identifier: GPL-3.0-or-later */
/* late - how late packets were handed over, over a run of any length: counted by whole microseconds. Pure.
 *
 * A percentile is the upper end of the microsecond in which it falls: never told smaller than it
 * was, and at most 1 us larger. Beyond LATE_MOST_US it is only known to be more, and told as the
 * maximum. */
#ifndef THINPROBE_LATE_H
#define THINPROBE_LATE_H

#include <stdint.h>

#define LATE_MOST_US 20000

struct late {
	int64_t n, over, max_ns, min_ns;
	double sum_ns;
	int64_t count[LATE_MOST_US];	/* count[i]: from i up to, not with, i + 1 us */
};

void late_add(struct late *l, int64_t ns);	/* below 0 counts as 0 */
/* In microseconds; NAN where there is none, or in the tail with fewer than ten values beyond it. */
double late_percentile(const struct late *l, double p);
double late_mean(const struct late *l);
/* How many came no later than that (whole microseconds, up to LATE_MOST_US). */
int64_t late_within(const struct late *l, int64_t us);

#endif
