/* SPDX-License-Identifier: GPL-3.0-or-later */
/* response - a histogram of times: 32 bins an octave from 16 us to 137 s. A quantile is the middle of its bin, at most 1.6 % off,
 * or 0.3 us below 16 us; the extremes are exact. */
#pragma once

#include <stdint.h>

#define RESPONSE_BINS 800
struct response_times {
	uint32_t bin[RESPONSE_BINS], n;
	int64_t min_ns, max_ns;
};
void response_add(struct response_times *h, int64_t ns);
void response_add_all(struct response_times *h, const struct response_times *more);
int64_t response_quantile(const struct response_times *h, double p); /* -1: empty */
