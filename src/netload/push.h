/* SPDX-License-Identifier: GPL-3.0-or-later */
/* push - the sending half of one end: a thread that keeps the schedule of beat.h on all streams. */
#ifndef THINPROBE_NETLOAD_PUSH_H
#define THINPROBE_NETLOAD_PUSH_H

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

#endif
