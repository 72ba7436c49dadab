/* SPDX-License-Identifier: GPL-3.0-or-later */
/* forwarder - carries frames between the two TAP interfaces in one thread: reads each, schedules it, writes it when it is due. */
#pragma once

#include "delay_hist.h"
#include "delay_queue.h"
#include "link_path.h"
#include "tap_port.h"

#include <signal.h>
#include <stdbool.h>

struct forward_way { /* [i]: from ends[i] to the other interface */
	struct link_path path;
	int64_t packets, bytes;	  /* read from the sending interface */
	int64_t fate[LINK_FATES]; /* packets by enum link_fate */
	int64_t passed_bytes;	  /* written to the receiving interface */
	int64_t no_room;	  /* packets dropped because the delay queue was full */
	int64_t too_long;	  /* frames dropped because they are longer than a slot of the queue */
	int64_t refused;	  /* packets that the receiving interface did not take: it is down */
};

struct tap_forwarder {
	struct tap_interface ends[2];
	struct forward_way way[2];
	struct delay_queue *queue;
	struct delay_hist added;   /* time from when a frame was due until it was written */
	struct delay_hist unseen;  /* upper bounds of the time from when a frame was sent until it was read */
	int64_t clear_ns[2];	   /* CLOCK_MONOTONIC: no frame of this interface waited to be read then */
	int64_t waited_ns;	   /* for the CPU, by the schedstat of this thread; -1: not known */
	int schedstat;		   /* descriptor of it; -1: none */
	int64_t begun_ns, spun_ns; /* first call (CLOCK_MONOTONIC); time spent busy-waiting since */
	int broken;		   /* 1 + index of the interface that is gone; 0: none */
};

/* Opens what tells how long this thread waits for its CPU, and notes when it was stopped; before the first call below. */
void forwarder_init(struct tap_forwarder *p);

/* Waits for frames, due times, `control` (-1: no such descriptor), a signal that `while_waiting` lets in, or `until_ns`
 * (INT64_MAX: no limit), and handles what is there. True: `control` can be read. */
bool forwarder_run_once(struct tap_forwarder *p, int control, int64_t until_ns, const sigset_t *while_waiting);
