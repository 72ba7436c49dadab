/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eviction - hit ratio of a cache with C places for frames shown in a given order, and which eviction policy fits measured hit
 * ratios.
 *
 * For n frames of one size, once the cache is full (h: share of frames shown that hit):
 *	loop, n <= C	all policies: 1
 *	loop, n > C	LRU, FIFO: 0. Random replacement: h = exp(-(n - 1)(1 - h) / C) about (the root below 1), exactly
 *			1 - 2 / (C + 1) for n = C + 1. MRU: (C - 1) / (n - 1)
 *	random, n > C	all policies that keep the frame shown last: (C - 1) / (n - 1), as the next frame is one of
 *			n - 1 others, all equally likely, C - 1 of them cached. So h gives C whatever the policy.
 *	hot, h of n	with 2h <= C and n - h > C: LRU 1/2 (all hot frames and no other); FIFO less, since a hit
 *			does not keep a frame
 * Between these cases, simulation gives the hit ratio. */
#pragma once

#include "sequence.h"

#include <stdbool.h>
#include <stdint.h>

enum eviction { EVICTION_LRU, EVICTION_FIFO, EVICTION_RANDOM, EVICTION_MRU, EVICTIONS };
extern const char *const eviction_names[];

/* A sequence of frames shown in some order; the last `count` of them are counted. */
struct eviction_trial {
	enum sequence_order order;
	int64_t frames, hot, warm, count;
	uint64_t seed;
};

/* Returns the simulated hit ratio of a cache with `capacity` places, empty at first; NAN: no memory, or nothing is shown. */
double eviction_hit_ratio(enum eviction policy, int64_t capacity, const struct eviction_trial *trial);

/* Returns the number of places that follows from a hit ratio in random order: 1 + hits (frames - 1). */
double eviction_capacity(double hits, double frames);

/* Returns the policy whose simulated hit ratios are nearest to the measured ones (NAN: not measured); the error of a policy is its
 * largest difference in any trial, at the best size within `slack` (a share; 0: exact) of `capacity`. EVICTIONS: the smallest error
 * is above EVICTION_NEAR, or the second smallest is less than EVICTION_APART larger. */
#define EVICTION_NEAR 0.12
#define EVICTION_APART 0.05
enum eviction eviction_find_policy(double capacity, double slack, const struct eviction_trial *trial, const double *hits,
				   int trials);
