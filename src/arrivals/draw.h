/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw - rows for plots/arrivals.gp: the first arrivals as marks, how many there are in each interval of these, counts beside
 * Poisson's, gaps beside the exponential ones, CoV by the number of sources. */
#ifndef THINPROBE_ARRIVALS_DRAW_H
#define THINPROBE_ARRIVALS_DRAW_H

#include "poisson.h"
#include "rec.h"

extern const char *const draw_columns[];	/* of arrivals/1 */

/* `time_ns`: p->n + 1 arrivals, ascending. 0 or -ENOMEM. */
int draw_arrivals(struct rows *t, const int64_t *time_ns, const struct poisson *p);
void draw_source_row(struct rows *t, double sources, double cov, double low, double high);

#endif
