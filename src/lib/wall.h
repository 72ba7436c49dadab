/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wall - the offset of CLOCK_REALTIME (time of packets) from CLOCK_MONOTONIC (time of keys) during a run: read about once a second,
 * interpolated in between. Pure; readings ascend in at_ns. */
#pragma once

#include "clock.h"

#include <stddef.h>

/* A change of the offset by more than this within a second means that the clock was set: interpolation across the step is
 * wrong by up to the step. (Slewing by NTP changes the offset by at most 0.5 ms a second.) */
#define WALL_STEP_NS NS_PER_MS

/* The offset in ns at `at_ns` (CLOCK_MONOTONIC): linear between readings, constant before the first and after the last. n > 0. */
int64_t wall_offset_ns(const struct wall_reading *reading, size_t n, int64_t at_ns);

/* Converts a time of CLOCK_REALTIME to CLOCK_MONOTONIC. n > 0. */
int64_t wall_monotonic_ns(const struct wall_reading *reading, size_t n, int64_t wall_ns);

/* The largest change of the offset within about a second, in ns (per second if readings are further apart); 0 for fewer than two
 * readings. */
int64_t wall_largest_step(const struct wall_reading *reading, size_t n);
