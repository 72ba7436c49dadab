/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watchdog - ends a library's blocking read of a socket (Xlib's, libvncclient's) on a signal, or when its time is over.
 *
 * A thread that looks every 50 ms and shuts the socket down, after which the read fails. The socket may be closed meanwhile. */
#ifndef THINPROBE_WATCHDOG_H
#define THINPROBE_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WATCHDOG_IDLE INT64_MAX	/* until_ns while nothing is waited for: a signal does nothing either */
#define WATCHDOG_STOP (INT64_MAX - 1)	/* until_ns: until a signal */

struct watchdog {
	bool exact;			/* from the caller: at until_ns, whatever comes */
	int sock;			/* a descriptor of its own */
	int64_t grace_ns;
	_Atomic int64_t until_ns;	/* may be changed at any time; the grace period then starts again */
	_Atomic bool stopping, bitten;	/* bitten: it has shut the socket down */
	pthread_t thread;
};

/* Shuts `sock` down on proc_stop, when what was waited for then has not come after grace_ns; or a
 * second after until_ns, unless bytes still come (a slow link is not a stuck server); `exact`: at
 * until_ns, whatever comes. 0 or -errno. `w` must stay where it is until watchdog_end(). */
int watchdog_start(struct watchdog *w, int sock, int64_t until_ns, int64_t grace_ns);
/* Ends and joins it. True when it had bitten. */
bool watchdog_end(struct watchdog *w);

#endif
