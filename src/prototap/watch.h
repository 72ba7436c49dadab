/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch - what a live capture sees, in a line a second: on a terminal only, and not in a file. */
#ifndef PROTOTAP_WATCH_H
#define PROTOTAP_WATCH_H

#include "meter.h"
#include "progress.h"

#include <stdbool.h>
#include <stdint.h>

#define WATCH_GAP_NS 1000000000LL	/* a longer gap between updates is marked */

struct watch_live {
	struct progress progress;
	struct channel_count before;	/* counts of the display channel at the last line; updates_before likewise */
	uint64_t updates_before, update;
	int64_t last_ns;		/* the last data of the display channel; 0: none yet */
	int64_t gap_ns;			/* the longest between updates since the last line; -1: none */
	int64_t line_ns;		/* when the last line was printed (CLOCK_MONOTONIC) */
};

void watch_start(struct watch_live *w, bool quiet, int64_t now_ns);
/* For struct meter_tap. */
void watch_display(void *watch, uint64_t update, int64_t time_ns, uint64_t bytes);
/* A line, if one is due. */
void watch_show(struct watch_live *w, const struct meter *m, int64_t now_ns);

#endif
