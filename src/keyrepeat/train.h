/* SPDX-License-Identifier: GPL-3.0-or-later */
/* train - sends the keys of a run at their due times and watches the display, until every key is answered or time is up.
 *
 * The sending thread sleeps until absolute times and only sends; a second thread reads the display, because decoding a large
 * picture, or waiting for the rest of it on a slow link, would delay the next key. While keys are sent, neither allocates memory
 * nor writes files. */
#pragma once

#include "clock.h"
#include "pairing.h"
#include "sender.h"

#include <sys/types.h>

struct key_train_cfg {
	const struct target_ops *target;
	void *self; /* the open target */
	struct observations *seen;
	int watch;		  /* enum target_watch */
	bool hold;		  /* one press, then repeats */
	size_t n;		  /* keys */
	const int64_t *offset_ns; /* due time of each key, from the start of its block */
	const int *key;		  /* the target's number of each key; NULL: all are `only` */
	int only;
	size_t block;	 /* keys in a block; 0: all keys are one block */
	bool one_by_one; /* a key is sent when the one before is answered, at a period chosen by plan.h */
	bool erase;	 /* one_by_one: every second key is BackSpace; none is sent where the one before is not answered */
	int64_t period_ns;
	int64_t watch_ns;   /* how long to watch without keys; end of the schedule if the period is made longer */
	int64_t timeout_ns; /* longest wait for an answer, where those before took long */
	double noise_per_s; /* updates that come without a key */
	int priority;	    /* SCHED_FIFO priority to ask for the sender, one less for the watcher; 0: none */
};

struct key_train_block {
	size_t first, n;	  /* first key; number of keys */
	int64_t begin_ns, end_ns; /* end_ns: after the wait for the last answers (drain) */
	enum pair_drain drain;
};

struct key_train {
	size_t n;		       /* keys of the schedule */
	struct key_times *key;	       /* due_ns and sent_ns are filled in */
	struct key_train_block *block; /* of keys sent one by one, one key each, or more if a key had no answer */
	size_t blocks;		       /* blocks begun */
	bool one_by_one;	       /* keys were sent one by one */
	bool erased;		   /* and every second one was BackSpace: updates are from when it shows in part until in whole */
	size_t unsent;		   /* of these, keys never sent, since those before took so long */
	int64_t waited_ns;	   /* for a key that did not show (SENDER_UNSHOWN) */
	int64_t late_ns;	   /* after that: when something showed after all, from sending on; below 0: nothing did */
	int64_t period_ns;	   /* between due times: that of the schedule, or a longer one if keys were sent one by one */
	size_t held;		   /* keys that waited for the answer to the one before */
	size_t warmup;		   /* first keys, sent before the period was made longer */
	_Atomic size_t gone;	   /* keys sent or given up so far; read by the progress line in another thread */
	size_t due;		   /* keys that fell due before the train ended: fewer than n only if it ended early */
	struct wall_reading *wall; /* offset of CLOCK_REALTIME, read about once a second */
	size_t walls, wall_room;   /* elements used and allocated */
	uint32_t base;		   /* number of the patch before the first key */
	int64_t begin_ns, end_ns;  /* from the first possible due time to the end of the last drain */
	int64_t drain_ns;	   /* duration of the last drain, and of the watching without keys after it */
	size_t strays;		   /* updates in that watching, where none was known to come without keys */
	int64_t busy_ns, cpu_ns;   /* without drains: duration, and CPU time of both threads */
	int64_t blocked_ns;	   /* longest wait of a due key because the server read nothing */
	int64_t handed_ns;	   /* longest time until a key was handed over */
	int64_t rtt_ns;		   /* least round trip that TCP saw on the connection to the display; 0: not known */
	int log_err;		   /* the log does not have all keys: -errno; 0: it has, or there is none */
	enum sender_end end;
};

/* The priority of who watches, one below the sender's: decoding a picture must not delay a key where both share a CPU. */
int train_watch_priority(int priority);
/* Starts the watching thread with it. 0 or -errno. */
int train_start_watching(const struct key_train_cfg *cfg);
/* Ends the watching thread. */
void train_stop_watching(const struct key_train_cfg *cfg);

/* Makes an empty train, in memory that a child shares (apart.h). cfg: all but `self` and numbers of keys. */
void train_init(const struct key_train_cfg *cfg, struct key_train *t);
/* Sends all keys while the watching thread runs; t->end says why sending ended. */
void train_send_keys(const struct key_train_cfg *cfg, struct key_train *t);
/* Ends the account of a train whose process crashed. */
void train_break_off(struct key_train *t);
void train_free(struct key_train *t);
