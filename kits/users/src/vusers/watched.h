/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watched - the watched users: a few full viewers (viewer.h), each with a thread, beside the event loop of the other users. Think
 * times, requests, timeouts and reconnections are those of crowd.h, of which each runs an instance. */
#pragma once

#include "protocols.h"
#include "viewer.h"

struct watched_cfg {
	const struct target *target;
	const struct crowd_cfg *crowd; /* times and rules of the run, except its think times */
	struct viewer *const *viewer;  /* one for each */
	bool patch;		       /* the answer is the number in the patch of refecho */
	struct think_times think;      /* think time of one user; in the open loop gaps between its requests */
	bool open;		       /* open loop */
	bool move;		       /* move the pointer instead of typing keys */
	int n;			       /* number of watched users, numbered 0 to n - 1 */
};

struct watched_result {
	bool ready; /* was connected once */
	bool left;  /* for good: its viewer crashed, or the server refused the password */
	int width, height;
	int64_t reconnected, refused, unasked, cpu_ns;
	struct why why; /* message of the last failure */
};

struct watched_users;

/* Starts the threads, which connect. NULL with errno set: the program cannot go on. The caller ends it with watched_end(). */
struct watched_users *watched_start(const struct watched_cfg *cfg);
/* Waits until each user has received its first screen or failed. Returns how many are connected, or -EINTR on a stop signal. */
int watched_await_connected(struct watched_users *w);
/* The message of the first user that could not connect; there must be one. */
const char *watched_failure(const struct watched_users *w);
/* Begins the run at start_ns (that of the crowd). */
void watched_begin_run(struct watched_users *w, struct vlog *log, int64_t start_ns);
/* Waits for the end of the run (after a stop signal ends it), fills `user`, and frees. */
void watched_end(struct watched_users *w, struct watched_result user[static VLOG_WATCHED_MOST]);
