/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trip - one load at one end: its streams, a thread that sends, a thread that receives. */
#ifndef THINPROBE_NETLOAD_TRIP_H
#define THINPROBE_NETLOAD_TRIP_H

#include "door.h"
#include "pull.h"
#include "push.h"

struct trip {
	struct load load;
	uint64_t key;
	struct door control;
	struct lane lane[LOAD_LANES];
	struct side own, other;		/* what this end counted, and the other */
	struct push push;
	struct pull pull;
	bool pushes, pulls;
	unsigned char *noise;
};

/* All streams are open (lane[].fd): both halves begin. 0 or -errno. */
int trip_start(struct trip *r);
/* The sending half ends, at once or (not told) when its time is over; `own` has what was sent. */
void trip_end_push(struct trip *r, bool at_once);
/* The other end has sent all; `own` has what was received. */
void trip_end_pull(struct trip *r, bool at_once);
void trip_free(struct trip *r);

#endif
