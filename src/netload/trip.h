/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trip - one load at one end: its streams, a thread that sends, a thread that receives. */
#ifndef THINPROBE_NETLOAD_TRIP_H
#define THINPROBE_NETLOAD_TRIP_H

#include "door.h"
#include "lane.h"

#include <pthread.h>
#include <stdatomic.h>

struct push {
	const struct load *load;
	struct lane *lane;
	uint64_t key;			/* of the marks in datagrams */
	const unsigned char *noise;	/* noise_new() */
	struct side *side;		/* gets what was sent */
	int priority;			/* of the thread, real-time; 0: none */
	atomic_bool stop, started, over;
	atomic_llong bits_per_s;	/* sent in the last whole second */
	int err;			/* -errno: a stream broke */
	pthread_t thread;
};

/* Random bytes that no compressor makes smaller, made before the load begins. NULL: no memory. */
unsigned char *noise_new(int64_t seed);
/* Bytes that go to the kernel at a time. */
int64_t push_batch_bytes(const struct load *load, int64_t header);

/* 0 or -errno. Then push_join() once. */
int push_start(struct push *p);
void push_join(struct push *p);

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
