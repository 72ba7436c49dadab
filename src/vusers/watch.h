/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch - the few users who are watched closely: full clients (viewer.h), each in a thread of its
 * own, beside the loop of all others.
 *
 * They think, ask and count by the same laws as the crowd's: due, ready, sent; a timeout that
 * disconnects; come back after. Another thread looks after them: a server that stands still in the
 * midst of a message holds its user no longer than an answer may take. */
#ifndef THINPROBE_VUSERS_WATCH_H
#define THINPROBE_VUSERS_WATCH_H

#include "crowd.h"
#include "target.h"
#include "viewer.h"

#define WATCH_MOST VLOG_WATCHED_MOST

struct watch_cfg {
	const struct target *target;
	const struct crowd_cfg *crowd;	/* whose times, and laws; its think times are not */
	struct viewer_cfg viewer;
	struct think think;		/* of one user; in the open loop its gaps */
	bool open;
	bool move;			/* the pointer, instead of keys */
	int n;				/* users 0 to n - 1 */
};

struct watch_user {
	bool ready;			/* was there once */
	int width, height;
	int64_t reconnected, refused, cpu_ns;
	char why[160];			/* of the last failure */
};

struct watch_set;

/* NULL with errno. Owned by the caller, to be closed in any case. */
struct watch_set *watch_open(const struct watch_cfg *cfg);
/* Waits until each has connected and seen its picture, or has failed: how many are there, or -EINTR (proc.h). */
int watch_gather(struct watch_set *w);
const char *watch_failure(const struct watch_set *w);	/* of one who has failed then; "": nobody */
/* The run begins (at start_ns, as the crowd's); its rows go to vlog_add_watched(). */
void watch_run(struct watch_set *w, struct vlog *log, int64_t start_ns);
/* It is over: waits for answers that are under way, unless it is told to stop; then nobody of them
 * is left, and `user` tells of each. */
void watch_end(struct watch_set *w, bool stop, struct watch_user user[WATCH_MOST]);
void watch_close(struct watch_set *w);

#endif
