/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watchdog - ends a blocking read of a socket in a library (Xlib, libvncclient) on a stop signal or a timeout.
 *
 * A thread checks every 50 ms and shuts the socket down, after which the read fails. The socket may be closed meanwhile. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WATCHDOG_IDLE INT64_MAX	      /* until_ns while no read is pending: stop signals are ignored, too */
#define WATCHDOG_STOP (INT64_MAX - 1) /* until_ns without a timeout: only a stop signal ends the read */

struct watchdog {
	bool exact;		       /* set by the caller: shut down at until_ns even if bytes still arrive */
	int sock;		       /* own duplicate of the socket */
	int64_t grace_ns;	       /* time from a stop signal until the socket is shut down */
	_Atomic int64_t until_ns;      /* timeout; may be changed at any time, which restarts the grace period */
	_Atomic bool stopping, bitten; /* the thread is to end; the thread has shut the socket down */
	pthread_t thread;
};

/* Starts the thread. It shuts `sock` down grace_ns after a stop signal, or a second after until_ns if no bytes arrive any more (on
 * a slow link they do, for five minutes at most; with `exact` at until_ns in any case). 0 or -errno. *w must not move until
 * watchdog_end(). */
int watchdog_start(struct watchdog *w, int sock, int64_t until_ns, int64_t grace_ns);
/* Ends the thread. True: it has shut the socket down. */
bool watchdog_end(struct watchdog *w);
