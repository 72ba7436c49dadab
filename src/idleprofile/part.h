/* SPDX-License-Identifier: GPL-3.0-or-later */
/* part - a lost part of the loop's time, split over the stretches that the kernel's records know. Pure. */
#ifndef THINPROBE_PART_H
#define THINPROBE_PART_H

#include "stretch.h"

/* As who_part. A stretch that sticks out by more than skew_ns at both ends cannot be true: the loop ran there. */
size_t part_shares(struct stretch_queue *q, int64_t start_ns, int64_t end_ns, int64_t skew_ns, struct who_share *out,
		   size_t max);

/* Shares of a part, largest first, cut down to [from, to) within it. Each has the portion of its
 * time that its own span, from its first to its last moment, has there; residues have no known
 * place, so all are made to fit: they sum to to - from exactly. Returns how many are left (at least
 * 1 of n > 0). */
size_t part_clip(struct who_share *share, size_t n, int64_t from, int64_t to);

#endif
