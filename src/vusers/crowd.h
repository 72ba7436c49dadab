/* SPDX-License-Identifier: GPL-3.0-or-later */
/* crowd - many users in one loop: when each is to ask, who has been answered, and how late we were ourselves.
 *
 * Closed loop: a user thinks, asks, waits for the answer, thinks again; the next request is due a
 * think time after the answer. Open loop: requests are due at times that nobody's answers move, and
 * go through the next user who is free; while none is, they wait, and keep their due time.
 *
 * A kind (RFB, HTTP) is a struct of functions; it talks to the server, the crowd keeps the times.
 * Everything happens in the thread that calls crowd_run(). */
#ifndef THINPROBE_VUSERS_CROWD_H
#define THINPROBE_VUSERS_CROWD_H

#include "dues.h"
#include "progress.h"
#include "think.h"
#include "thread.h"
#include "vlog.h"
#include "window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crowd;

/* What a request is. */
struct crowd_what {
	uint16_t label;
	bool first;	/* begins a page */
};

/* All are called with the kind's own `self`. */
struct crowd_kind {
	/* Begins to connect; crowd_here() or crowd_gone() follows, perhaps at once. */
	void (*connect)(void *self, uint32_t user);
	/* Sends a request, and says which. crowd_answered() or crowd_gone() follows, not at once. 0 or -errno (the user is gone). */
	int (*ask)(void *self, uint32_t user, struct crowd_what *what);
	/* The user's connection is closed and forgotten. */
	void (*drop)(void *self, uint32_t user);
	/* Something has happened to what the kind put into the crowd's epoll. */
	void (*event)(void *self, uint64_t data, uint32_t events);
	/* May be NULL: when tick() is to be called, INT64_MAX: not. */
	int64_t (*wake_ns)(void *self);
	void (*tick)(void *self);
};

struct crowd_cfg {
	int64_t users;
	/* users who are somebody else's and come first, in numbers and in the ramp; and how many there are
	 * with them */
	int64_t before, all;
	struct think think;	/* of a user; in the open loop the gaps between requests, of mean 1 s / rate */
	bool open;
	int64_t ramp_ns;	/* all users start within this time, one after the other */
	int64_t skip_ns;	/* warm-up after the ramp: requests due in it are not measured */
	int64_t time_ns;	/* duration of the measurement; 0: until told to stop */
	int64_t timeout_ns;	/* for an answer, and to connect */
	uint64_t seed;
	struct progress *progress;	/* NULL: nobody looks on */
};

enum crowd_state { CROWD_AWAY, CROWD_CONNECTING, CROWD_FREE, CROWD_ASKED };

struct crowd_user {
	int64_t due_ns, ready_ns, sent_ns;	/* of its request; while it connects sent_ns is since when */
	int64_t free_ns;			/* since when it is free */
	int64_t gone_ns;			/* since when it has no connection */
	int64_t response_ns;			/* sum, of the measured ones */
	uint64_t random;
	uint32_t answered;			/* measured */
	uint16_t label;
	uint8_t state;
	bool counted;				/* was there once */
	bool queued;				/* has a place among those who are due, or free, perhaps from before it was gone */
};

/* What was counted. */
struct crowd_sums {
	int64_t users_ready, reconnected, refused;	/* refused: attempts to connect that failed after the beginning */
	int64_t due, pages, finished;	/* measured: requests that were due; those of them that begin a page; answers that came */
	int64_t unsent;			/* due and not sent, at the end */
	double gone_ns;			/* within the window, of all users together: without a connection */
	struct thread_usage spent;		/* of this thread within the window */
	int64_t memory_bytes;		/* what all users took, connected */
	int last_err;			/* of a connection that failed */
	char last_why[160];
	bool stopped;			/* by a signal */
};

struct crowd {
	struct crowd_cfg cfg;
	const struct crowd_kind *kind;
	void *self;			/* the kind's */
	struct vlog *log;
	int epoll;
	struct crowd_user *user;	/* owned */
	struct crowd_sums sums;
	struct window window;
	struct due_heap dues;
	uint32_t *idle;			/* open loop: who is free, first come first served */
	size_t idle_head, idle_n;
	int64_t next_due_ns;		/* open loop: of the next request that was not sent yet */
	uint64_t random;
	int64_t sweep_ns;
	uint32_t connecting, next, back;	/* how many; who is to connect next; who is to come back next */
	int64_t retry_ns;		/* of the next that was refused */
	bool running;
};

/* The measured time of a run that starts then; its end INT64_MAX: when it is told to stop. */
int64_t crowd_from(const struct crowd_cfg *cfg, int64_t start_ns);
int64_t crowd_end(const struct crowd_cfg *cfg, int64_t start_ns);

/* Called once; `c` starts all zero but for cfg, kind, self. 0 or -errno. */
int crowd_open(struct crowd *c);
void crowd_close(struct crowd *c);
/* Connects them all: 0, or -ETIMEDOUT or what failed for every one of them (then nobody is there), -EINTR. */
int crowd_gather(struct crowd *c);
/* Runs from start_ns (now, or a little before) until the time is over, or a signal (proc.h) comes;
 * then waits for what is under way, as long as an answer may take. 0 or -errno. */
int crowd_run(struct crowd *c, struct vlog *log, int64_t start_ns);

/* The kind tells. */
void crowd_here(struct crowd *c, uint32_t user);
void crowd_answered(struct crowd *c, uint32_t user, int64_t now_ns, uint32_t bytes, uint16_t code, bool ok);
/* Its connection is no more (the kind has closed it). `why`: a word of the server, or NULL. */
void crowd_gone(struct crowd *c, uint32_t user, int err, const char *why);

#endif
