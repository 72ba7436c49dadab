/* SPDX-License-Identifier: GPL-3.0-or-later */
/* figure - one number of a table with the ends of its interval. */
#ifndef THINPROBE_SUMMARIZE_FIGURE_H
#define THINPROBE_SUMMARIZE_FIGURE_H

#include <stdbool.h>

/* Not known: NAN. */
struct figure {
	double value, low, high;
	bool above;		/* the true value is later than this (censored keys reach it) */
};

#endif
