/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bins - lost time of one CPU over time, in bins of equal length; handed out as soon as they are complete.
 *
 * Pure; fixed in size. A part is spread over the bins that it touches. */
#ifndef THINPROBE_BINS_H
#define THINPROBE_BINS_H

#include <stdbool.h>
#include <stdint.h>

struct bins {
	int64_t bin_ns, start_ns;	/* of the bin at hand */
	int64_t lost_ns, tick_ns;
	void (*each)(void *arg, int64_t start_ns, int64_t bin_ns, int64_t lost_ns, int64_t tick_ns);
	void *arg;
};

void bins_init(struct bins *b, int64_t start_ns, int64_t bin_ns,
	       void (*each)(void *, int64_t, int64_t, int64_t, int64_t), void *arg);
/* A part in which `lost_ns` were lost (at most end - start; less: spread evenly). Parts in ascending order, from the
 * start on. */
void bins_part(struct bins *b, int64_t start_ns, int64_t end_ns, int64_t lost_ns, bool tick);
/* No part before `now_ns` is missing. */
void bins_until(struct bins *b, int64_t now_ns);
/* Ends at `end_ns`: the last bin is handed out with the length that it has come to. */
void bins_end(struct bins *b, int64_t end_ns);

#endif
