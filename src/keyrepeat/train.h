/* SPDX-License-Identifier: GPL-3.0-or-later */
/* train - sends the keys on their schedule and watches, until every answer has come or time is up.
 *
 * The sender sleeps to absolute times and only sends; a second thread reads the display, because
 * decoding a large picture, or waiting for the rest of one on a slow link, would delay the next
 * key. In between neither allocates nor writes files. */
#ifndef KEYREPEAT_TRAIN_H
#define KEYREPEAT_TRAIN_H

#include "clock.h"
#include "pairing.h"
#include "sender.h"

#include <sys/types.h>

struct train_cfg {
	const struct target_ops *target;
	void *self;			/* the open target */
	struct observations *seen;
	int watch;			/* enum target_watch */
	bool hold;
	size_t n;			/* keys */
	const int64_t *offset_ns;	/* due, from the start of the key's block */
	const int *key;			/* what to press for each: the target's number; NULL: `only` */
	int only;
	size_t block;			/* keys in a block; 0: all are one */
	int64_t period_ns;
	int64_t watch_ns;		/* without keys: watch for so long */
	double noise_per_s;		/* updates that come without a key */
	int priority;			/* SCHED_FIFO asked for the sender, one less for the watcher; 0: none */
};

struct train_block {
	size_t first, n;
	int64_t begin_ns, end_ns;	/* end: of the drain */
	enum pair_drain drain;
};

struct train {
	struct pair_key *key;		/* owned; due and sent are filled in */
	struct train_block *block;	/* owned */
	size_t blocks;			/* begun */
	_Atomic size_t gone;		/* keys whose turn is over; for who looks on from another thread */
	size_t due;			/* keys that fell due before the train ended: fewer than n only if it ended early */
	struct clock_offset *wall;	/* owned: the offset of CLOCK_REALTIME, read about once a second */
	size_t walls, wall_room;
	uint32_t base;			/* number of the patch before the first key */
	int64_t begin_ns, end_ns;	/* from the first due time possible to the end of the last drain */
	int64_t drain_ns;		/* after the last key */
	int64_t busy_ns, cpu_ns;	/* of the time without drains: how long, and CPU used by both threads */
	int64_t blocked_ns;		/* longest time a due key waited because the server read nothing */
	enum sender_end end;
};

/* Starts the watching thread, one below the priority asked for: decoding a picture must not hold up a key where both
 * share a CPU. 0 or -errno. */
int train_watch(const struct train_cfg *cfg);
/* Ends and joins it. */
void train_unwatch(const struct train_cfg *cfg);

/* Runs the train, the watching thread being up. 0 or -ENOMEM; how it ended is in `end`. */
int train_run(const struct train_cfg *cfg, struct train *out);
void train_free(struct train *t);

#endif
