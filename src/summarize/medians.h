/* SPDX-License-Identifier: GPL-3.0-or-later */
/* medians - the interval of a median over runs each of which gave one value. */
#ifndef THINPROBE_SUMMARIZE_MEDIANS_H
#define THINPROBE_SUMMARIZE_MEDIANS_H

#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The interval of the median of `s`, in its unit: from ten values on a BCa bootstrap of `draws` resamples; below,
 * Student's t on logarithms (none below three values), widened to hold the median, since that interval is the geometric
 * mean's. False where there is none. */
bool medians_interval(struct sample *s, size_t draws, uint64_t seed, double *low, double *high);

#endif
