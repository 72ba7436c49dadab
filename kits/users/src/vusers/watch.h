/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch - the watched users: a few full viewers (viewer.h), each in its own thread, beside the event loop of the other users.
 *
 * Think times, requests, timeouts and reconnections follow the same rules as in crowd.h. A keeper thread shuts down the socket of
 * a user whose server stops in the middle of a message, once the timeout is over. */
#pragma once

#include "crowd.h"
#include "target.h"
#include "viewer.h"
#include "why.h"

#define WATCH_MOST VLOG_WATCHED_MOST

struct watched_users_cfg {
	const struct target *target;
	const struct crowd_cfg *crowd;	/* times and rules of the run, except its think times */
	struct viewer_cfg viewer;
	struct think_time_distribution think;		/* think time of one user; in the open loop gaps between its requests */
	bool open;			/* open loop */
	bool move;			/* move the pointer instead of typing keys */
	int n;				/* number of watched users, numbered 0 to n - 1 */
};

struct watched_user_result {
	bool ready;			/* was connected once */
	int width, height;
	int64_t reconnected, refused, cpu_ns;
	struct why why;			/* message of the last failure */
};

struct watched_user_set;

/* Starts the threads, which connect. NULL with errno set. The caller ends it with watched_users_close(). */
struct watched_user_set *watched_users_start(const struct watched_users_cfg *cfg);
/* Waits until each user has received its first screen or failed. Returns how many are connected, or -EINTR on a stop signal. */
int watched_users_wait_connected(struct watched_user_set *w);
const char *watched_failure_text(const struct watched_user_set *w);	/* message of a user that could not connect; "": none */
/* Begins the run at start_ns (that of the crowd); rows are logged by request_log_add_watched(). */
void watched_users_begin_run(struct watched_user_set *w, struct request_log *log, int64_t start_ns);
/* Ends the run: waits for answers of requests in flight unless `stop`, ends the threads, and fills `user`. */
void watched_users_end_run(struct watched_user_set *w, bool stop, struct watched_user_result user[WATCH_MOST]);
void watched_users_close(struct watched_user_set *w);
