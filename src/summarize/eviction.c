// SPDX-License-Identifier: GPL-3.0-or-later
#include "eviction.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

#define CHANCES 5 /* repetitions of the simulation of random eviction, whose mean hit ratio counts */
#define SIZES 8	  /* cache sizes tried where the size is not known */

const char *const eviction_names[] = { "LRU", "FIFO", "random", "MRU", NULL };

struct cache_entry {
	int64_t frame, stored, used; /* when the frame was stored, and last used */
};

/* Returns the index of the place whose frame is evicted. */
static int64_t choose_victim(enum eviction policy, const struct cache_entry *place, int64_t n, uint64_t *random)
{
	int64_t best = 0;

	if (policy == EVICTION_RANDOM)
		return (int64_t)(random_fraction(random) * (double)n);
	for (int64_t i = 1; i < n; i++) {
		bool before = policy == EVICTION_FIFO  ? place[i].stored < place[best].stored
			      : policy == EVICTION_LRU ? place[i].used < place[best].used
						       : place[i].used > place[best].used;

		if (before)
			best = i;
	}
	return best;
}

/* Shows one frame. True: the cache had it. */
static bool simulate_access(struct cache_entry *place, int64_t *used, int64_t capacity, enum eviction policy, int64_t frame,
			    int64_t now, uint64_t *random)
{
	int64_t at;

	for (int64_t i = 0; i < *used; i++) {
		if (place[i].frame == frame) {
			place[i].used = now;
			return true;
		}
	}
	at = *used < capacity ? (*used)++ : choose_victim(policy, place, capacity, random);
	place[at] = (struct cache_entry){ frame, now, now };
	return false;
}

static double simulate_once(enum eviction policy, int64_t capacity, const struct eviction_trial *trial, uint64_t random)
{
	struct cache_entry *place = capacity > 0 ? calloc((size_t)capacity, sizeof(*place)) : NULL;
	struct frame_sequence sequence;
	int64_t used = 0, hits = 0;

	if (!place || trial->count < 1) {
		free(place);
		return NAN;
	}
	frame_sequence_start(&sequence, trial->order, trial->frames, trial->hot, trial->seed);
	for (int64_t now = 0; now < trial->warm + trial->count; now++) {
		bool hit = simulate_access(place, &used, capacity, policy, frame_sequence_next(&sequence), now, &random);

		hits += hit && now >= trial->warm;
	}
	free(place);
	return (double)hits / (double)trial->count;
}

double eviction_hit_ratio(enum eviction policy, int64_t capacity, const struct eviction_trial *trial)
{
	int chances = policy == EVICTION_RANDOM ? CHANCES : 1;
	double sum = 0;

	for (int i = 0; i < chances; i++)
		sum += simulate_once(policy, capacity, trial, trial->seed + 1 + (uint64_t)i);
	return sum / chances;
}

double eviction_capacity(double hits, double frames)
{
	return 1 + hits * (frames - 1);
}

/* Largest difference of a policy's simulated hit ratio from a measured one, at this cache size. */
static double compute_error(enum eviction policy, int64_t capacity, const struct eviction_trial *trial, const double *hits,
			    int trials)
{
	double worst = NAN;

	for (int t = 0; t < trials; t++)
		if (!isnan(hits[t]))
			worst = fmax(worst, fabs(eviction_hit_ratio(policy, capacity, &trial[t]) - hits[t]));
	return worst;
}

enum eviction eviction_find_policy(double capacity, double slack, const struct eviction_trial *trial, const double *hits,
				   int trials)
{
	int64_t low = llround(capacity * (1 - slack)), high = llround(capacity * (1 + slack)), step = (high - low) / SIZES + 1;
	double least = INFINITY, second = INFINITY;
	enum eviction best = EVICTIONS;

	for (int p = 0; p < EVICTIONS; p++) {
		double off = NAN;

		for (int64_t c = low; c <= high; c += step)
			off = fmin(off, compute_error((enum eviction)p, c, trial, hits, trials));
		if (isnan(off))
			return EVICTIONS;
		second = fmin(second, fmax(off, least));
		best = off < least ? (enum eviction)p : best;
		least = fmin(least, off);
	}
	return least <= EVICTION_NEAR && second - least >= EVICTION_APART ? best : EVICTIONS;
}
