/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eviction - what a cache of C places hits when frames are shown in some order, and which policy of eviction that looks like.
 *
 * For n frames, all of one size, once the cache is full (h: share of showings that hit):
 *	loop, n <= C	all policies: 1
 *	loop, n > C	LRU, FIFO: 0. Random replacement: h = exp(-(n - 1)(1 - h) / C) about (the root below 1), exactly
 *			1 - 2 / (C + 1) for n = C + 1. What keeps the oldest (MRU): (C - 1) / (n - 1)
 *	random, n > C	all policies that keep what was shown last: (C - 1) / (n - 1), as the next is one of
 *			n - 1 others, all as likely, of which C - 1 are there. So it tells C whatever the policy.
 *	hot, h of n	with 2h <= C and n - h > C: LRU 1/2, all of the hot ones and no other; FIFO fewer, since being shown
 *			does not keep them
 * Between these, simulation says what to expect. */
#ifndef THINPROBE_SUMMARIZE_EVICTION_H
#define THINPROBE_SUMMARIZE_EVICTION_H

#include "sequence.h"

#include <stdbool.h>
#include <stdint.h>

enum eviction { EVICTION_LRU, EVICTION_FIFO, EVICTION_RANDOM, EVICTION_MRU, EVICTIONS };
extern const char *const eviction_names[];

/* Frames shown in an order, of which the last `count` count. */
struct eviction_trial {
	enum sequence_order order;
	int64_t frames, hot, warm, count;
	uint64_t seed;
};

/* Share of them that hit in a cache of so many places, at first empty; NAN: no memory, or nothing to show. */
double eviction_hits(enum eviction policy, int64_t capacity, const struct eviction_trial *trial);

/* Places that a share of hits in random order tells: 1 + h (n - 1). */
double eviction_capacity(double hits, double frames);

/* Of trials with the shares measured in them (NAN: not measured), the policy whose simulated shares are nearest, where
 * they are furthest off, at the best of the sizes within `slack` (0: exact) of `capacity`. EVICTIONS: none is within
 * EVICTION_NEAR in all, or the next one is not EVICTION_APART further. */
#define EVICTION_NEAR 0.12
#define EVICTION_APART 0.05
enum eviction eviction_judge(double capacity, double slack, const struct eviction_trial *trial, const double *hits, int trials);

#endif
