/* SPDX-License-Identifier: GPL-3.0-or-later */
/* means - lines through points. */
#ifndef THINPROBE_SUMMARIZE_MEANS_H
#define THINPROBE_SUMMARIZE_MEANS_H

#include <stddef.h>

/* Slope of the least-squares line through n points, and where it begins (at x = 0; may be NULL); NAN unless two x differ. */
double means_slope(const double *x, const double *y, size_t n, double *start);

#endif
