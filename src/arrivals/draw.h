/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw - rows for plots/arrivals.gp: the first arrivals, their number in each interval, the distribution of counts beside
 * Poisson's, the distribution of gaps beside the exponential one, the coefficient of variation by number of sources. */
#ifndef THINPROBE_ARRIVALS_DRAW_H
#define THINPROBE_ARRIVALS_DRAW_H

#include "poisson.h"
#include "rec.h"

extern const char *const draw_columns[];	/* columns of schema arrivals/1 */

/* Writes the rows of p->n + 1 arrivals, in ascending order. 0 or -ENOMEM. */
int draw_arrivals(struct rows *t, const int64_t *time_ns, const struct poisson *p);
void draw_source_row(struct rows *t, double sources, double cov, double low, double high);

#endif
