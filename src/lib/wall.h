/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wall - how far CLOCK_REALTIME was ahead of CLOCK_MONOTONIC at any time of a run: read about once a second, interpolated in
 * between. Packets carry the one clock, keys the other. Pure: readings come in, ascending in at_ns. */
#ifndef THINPROBE_WALL_H
#define THINPROBE_WALL_H

#include "clock.h"

#include <stddef.h>

/* A change of the offset by more than this within a second is a clock that was set, not one that drifts: interpolating across it
 * may be wrong by all of it. (Slewing as NTP does it is 0.5 ms a second at most.) */
#define WALL_STEP_NS NS_PER_MS

/* The offset at `at_ns`: linear between readings, constant beyond the first and the last. n > 0. */
int64_t wall_offset(const struct clock_offset *reading, size_t n, int64_t at_ns);

/* The time on CLOCK_MONOTONIC when CLOCK_REALTIME was `wall_ns`. n > 0. */
int64_t wall_to_monotonic(const struct clock_offset *reading, size_t n, int64_t wall_ns);

/* The largest change of the offset within about a second (of readings further apart: a second's share of it); 0 for fewer
 * than two readings. */
int64_t wall_step(const struct clock_offset *reading, size_t n);

#endif
