/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watchdog - ends Xlib's waiting for a display that does not answer, so that a signal or a ceiling is heeded all the same.
 *
 * A thread that looks every 50 ms and shuts the connection down, after which requests fail. */
#ifndef STARTUP_WATCHDOG_H
#define STARTUP_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct watchdog {
	int sock;
	_Atomic int64_t alive_ns;	/* when the watched one last said that it goes on; 0: nothing is waited for */
	int64_t patience_ns;		/* how long it may say nothing */
	_Atomic bool stopping;
	pthread_t thread;
};

/* Watches `sock`, which must stay open until watchdog_end(). After a stop signal patience is two seconds. 0 or -errno. */
int watchdog_start(struct watchdog *w, int sock, int64_t patience_ns);
void watchdog_end(struct watchdog *w);

#endif
