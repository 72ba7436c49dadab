/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pull - the receiving half of one end: a thread that takes what comes on all streams, and counts it. */
#ifndef THINPROBE_NETLOAD_PULL_H
#define THINPROBE_NETLOAD_PULL_H

#include "lane.h"

#include <pthread.h>
#include <stdatomic.h>

struct pull {
	const struct load *load;
	struct lane *lane;
	uint64_t key;
	struct side *side;		/* gets what was received */
	atomic_llong end_ns;		/* no later than that; INT64_MAX: the other end still sends */
	pthread_t thread;
};

/* 0 or -errno. Then pull_end(), when the other end says that it has sent all: takes what is on its way, and returns. */
int pull_start(struct pull *p);
void pull_end(struct pull *p, bool at_once);

#endif
