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

#endif
