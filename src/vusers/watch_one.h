/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch_one - one of those who are watched, in its thread: connects, thinks, asks, counts, and
 * comes back. What the files of watch.h share. */
#ifndef THINPROBE_VUSERS_WATCH_ONE_H
#define THINPROBE_VUSERS_WATCH_ONE_H

#include "clock.h"
#include "watch.h"

#include <pthread.h>

#define WATCH_LOOK_NS (20 * NS_PER_MS)	/* between two looks after them: how exact a timeout is */

enum watch_state { WATCH_COMING, WATCH_HERE, WATCH_FAILED, WATCH_DONE };	/* before the run: coming, here or failed */

struct watch_one {
	struct watch_set *all;
	uint32_t number;
	pthread_t thread;
	bool started;
	_Atomic int state;		/* enum watch_state */
	pthread_mutex_t lock;		/* protects fd, which the keeper thread (watch.c) may shut down */
	int fd;				/* -1: none */
	_Atomic int64_t until_ns;	/* the keeper thread shuts fd down at this time; INT64_MAX: no deadline */
	struct viewer *viewer;
	uint64_t random;
	int64_t due_ns, ready_ns, sent_ns, free_ns;	/* due: of the next request, or of that which was sent */
	uint32_t typed, received;	/* received: what the socket had brought when it was sent */
	bool asked, thinks;		/* thinks: due_ns is known */
	struct watch_user told;
};

struct watch_set {
	struct watch_cfg cfg;
	struct watch_one one[WATCH_MOST];
	pthread_mutex_t door;		/* one greets at a time: TigerVNC takes many whom it does not know for an attack */
	pthread_t keeper;
	bool kept;
	int bell, last_bell;		/* eventfds: rung once, when the run begins, and when it is over */
	struct vlog *log;
	struct window window;
	int64_t start_ns;
	_Atomic bool running, over;
};

/* The thread of one, until the run is over. */
void *watch_one_main(void *one);

#endif
