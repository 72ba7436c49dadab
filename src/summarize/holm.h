/* SPDX-License-Identifier: GPL-3.0-or-later */
/* holm - p-values of many tests, adjusted. */
#ifndef THINPROBE_SUMMARIZE_HOLM_H
#define THINPROBE_SUMMARIZE_HOLM_H

#include <stddef.h>

/* Holm's (1979) step-down adjustment of the finite ones among p[0..n), in place. 0 or -ENOMEM. */
int holm_adjust(double *p, size_t n);

#endif
