/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stamp - the clock of the idle loop: the time-stamp counter (TSC) where it is reliable, else CLOCK_MONOTONIC.
 *
 * The TSC is used if the processor says that it is invariant (CPUID 80000007h, EDX bit 8) and the kernel itself keeps time by it,
 * which it does only after it has found the CPUs' counters synchronized. Counts are converted to nanoseconds of CLOCK_MONOTONIC
 * by pairs of readings of both ("anchors"); each clock reading is taken between two readings of the TSC, the tightest of several
 * pairs. Between two anchors the conversion is linear; its error is that of the anchors (half the distance of the two TSC
 * readings, some tens of ns), and slewing of the clock is followed. Without the TSC a stamp is CLOCK_MONOTONIC in ns (vDSO). */
#pragma once

#include "clock.h"

#include <stdbool.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#define STAMP_HAS_TSC 1
#else
#define STAMP_HAS_TSC 0
#endif

/* Can the TSC be used? If not, *why (`why` may be NULL) is the reason. */
bool stamp_tsc_is_usable(const char **why);

static inline int64_t stamp_read_tsc(void)
{
#if STAMP_HAS_TSC
	return (int64_t)__rdtsc();
#else
	return clock_now();
#endif
}

static inline int64_t stamp_read(bool tsc)
{
	return tsc ? stamp_read_tsc() : clock_now();
}

struct stamp_pair {
	int64_t stamp, ns;
	int64_t error; /* the true time lies within +-error stamps */
};
void stamp_read_pair(bool tsc, struct stamp_pair *out);

/* Linear conversion through the last two anchors. Pure. Needs at least two anchors, in ascending order. */
struct stamp_map {
	struct stamp_pair last, before;
	double ns_per_stamp;
	int anchors;
	bool jumped; /* stamps before the last anchor cannot be converted: it is over 1 % off the line of those before */
};
void stamp_map_add(struct stamp_map *m, const struct stamp_pair *a);
/* CLOCK_MONOTONIC of a stamp near the last two anchors (before, between or shortly after them). */
int64_t stamp_map_ns(const struct stamp_map *m, int64_t stamp);
/* Converts a difference of stamps to nanoseconds. */
int64_t stamp_map_span_ns(const struct stamp_map *m, int64_t stamps);
