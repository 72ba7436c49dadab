/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pump - carries frames between the two ends: reads them, gives each its time, hands it over
 * when that has come. One thread. */
#ifndef THINPROBE_PUMP_H
#define THINPROBE_PUMP_H

#include "end.h"
#include "late.h"
#include "path.h"
#include "shelf.h"

#include <signal.h>
#include <stdbool.h>

struct pump_way {	/* from ends[i] to the other one */
	struct path path;
	int64_t packets, bytes;			/* that came */
	int64_t fate[PATH_FATES], passed_bytes;
	int64_t no_room;			/* more on their way than memory was made for, or one longer than any has */
	int64_t refused;			/* the other end did not take it: its interface is down */
};

struct pump {
	struct end ends[2];
	struct pump_way way[2];
	struct delay_queue *shelf;
	struct late late;	/* handed over, after the time at which it was due */
	int64_t begun_ns, spun_ns;	/* of the time since, so much went into waiting awake */
	int broken;		/* 1 + the end that is gone, 0: none */
};

/* Waits for frames, for times that come, for `control` (-1: none), for a signal outside of
 * `while_waiting`, and at most until `until_ns` (INT64_MAX: for ever); does what there is to do and
 * comes back. True: something can be read from `control`. */
bool pump_turn(struct pump *p, int control, int64_t until_ns, const sigset_t *while_waiting);

#endif
