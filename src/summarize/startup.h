/* SPDX-License-Identifier: GPL-3.0-or-later */
/* startup - start-up times under memory pressure, the time that paging adds, and the share of it that is I/O
 * (startup_extract.c). */
#ifndef THINPROBE_SUMMARIZE_STARTUP_H
#define THINPROBE_SUMMARIZE_STARTUP_H

#include "trials.h"

enum startup_group { STARTUP_STARTED, STARTUP_BROKEN };	/* broken: the application showed no window, or ended by itself */
enum startup_value {
	STARTUP_TIME, STARTUP_MAPPED, STARTUP_PAINT, STARTUP_IO, STARTUP_BLKIO, STARTUP_SWAPIN, STARTUP_THRASHING, STARTUP_FREEPAGES,
	STARTUP_SWAP_IN, STARTUP_SWAP_OUT, STARTUP_MAJOR, STARTUP_MINOR, STARTUP_READS, STARTUP_DISCARDED,
	STARTUP_SWAP_IN_MB, STARTUP_SWAP_OUT_MB,
};
/* unchanged: 1 if no change of the screen was seen */
enum startup_event_value { STARTUP_EVENT, STARTUP_FIRST_CHANGE, STARTUP_UNCHANGED };

/* What is kept of a cell. */
struct startup {
	struct trials starts, events;	/* an event's text is its name */
};

struct startup_base {
	double t0_ms, spread_ms;	/* T0 and its standard deviation; NAN: not known */
};
/* share e of the added time that is not I/O */
struct figure startup_paging_share(const struct startup *s, struct startup_base base);

#endif
