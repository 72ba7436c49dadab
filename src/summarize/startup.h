/* SPDX-License-Identifier: GPL-3.0-or-later */
/* startup - start-up times under memory pressure; what paging adds, and what of that is input and output (startup_extract.c). */
#ifndef THINPROBE_SUMMARIZE_STARTUP_H
#define THINPROBE_SUMMARIZE_STARTUP_H

#include "trials.h"

enum startup_group { STARTUP_STARTED, STARTUP_BROKEN };	/* broken: without a window, or ended by itself */
enum startup_value {
	STARTUP_TIME, STARTUP_MAPPED, STARTUP_PAINT, STARTUP_IO, STARTUP_BLKIO, STARTUP_SWAPIN, STARTUP_THRASHING, STARTUP_FREEPAGES,
	STARTUP_SWAP_IN, STARTUP_SWAP_OUT, STARTUP_MAJOR, STARTUP_MINOR, STARTUP_READS, STARTUP_DISCARDED,
	STARTUP_SWAP_IN_MB, STARTUP_SWAP_OUT_MB,
};
enum startup_event_value { STARTUP_EVENT, STARTUP_FIRST_CHANGE, STARTUP_UNCHANGED };	/* unchanged: 1, nothing was seen to change */

/* Of a cell. */
struct startup {
	struct trials starts, events;	/* an event's text is its name */
};

struct startup_base {
	double t0_ms, spread_ms;	/* NAN: not known */
};
struct figure startup_paging_share(const struct startup *s, struct startup_base base);	/* e */

#endif
