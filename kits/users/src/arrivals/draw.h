/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw - rows for plots/arrivals.gp: the first arrivals, their number in each interval, the distribution of counts beside
 * Poisson's, the distribution of gaps beside the exponential one, the coefficient of variation by number of sources. */
#pragma once

#include "poisson.h"
#include "rec.h"

extern const char *const draw_columns[]; /* columns of schema arrivals/1 */

/* Writes the rows of p->n + 1 arrivals, in ascending order. */
void draw_write_rows(struct row_file *t, const int64_t *time_ns, const struct poisson_result *p);
/* A row of any kind; NAN: an empty cell. */
void draw_write_row(struct row_file *t, const char *kind, double x, double y, double expected, double low, double high);
