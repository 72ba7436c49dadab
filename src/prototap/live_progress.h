/* SPDX-License-Identifier: GPL-3.0-or-later */
/* live_progress - a line a second on a terminal during a live capture. */
#pragma once

#include "meter.h"
#include "progress.h"

#include <stdbool.h>
#include <stdint.h>

#define WATCH_GAP_NS 1000000000LL	/* a longer gap between updates is marked */

struct live_progress {
	struct progress_line progress;
	struct channel_traffic_counts before;	/* counts of the display channel at the last line */
	uint64_t updates_before, update;	/* number of updates at the last line; number of the current update */
	int64_t last_ns;		/* time of the last data of the display channel; 0: none yet */
	int64_t gap_ns;			/* longest gap between updates since the last line; -1: none */
	int64_t line_ns;		/* time of the last line (CLOCK_MONOTONIC) */
};

void live_progress_start(struct live_progress *w, bool quiet, int64_t now_ns);
/* A function of struct meter_observer. */
void live_progress_track_update_gap(void *watch, uint64_t update, int64_t time_ns, uint64_t bytes);
/* Prints a line if a second has passed since the last one. */
void live_progress_show(struct live_progress *w, const struct capture_meter *m, int64_t now_ns);
