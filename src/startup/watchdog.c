// SPDX-License-Identifier: GPL-3.0-or-later
#include "watchdog.h"
#include "clock.h"
#include "proc.h"

#include <signal.h>
#include <sys/socket.h>

#define STOP_NS (2 * NS_PER_S)

static void *watch(void *p)
{
	struct watchdog *w = p;
	int64_t alive, patience;

	while (!atomic_load(&w->stopping)) {
		clock_sleep_until(clock_now() + 50 * NS_PER_MS);
		alive = atomic_load(&w->alive_ns);
		patience = proc_stop ? STOP_NS : w->patience_ns;
		if (alive && clock_now() - alive > patience) {
			shutdown(w->sock, SHUT_RDWR);
			break;
		}
	}
	return NULL;
}

int watchdog_start(struct watchdog *w, int sock, int64_t patience_ns)
{
	sigset_t all, before;
	int err;

	w->sock = sock;
	w->patience_ns = patience_ns;
	/* signals are for the thread that looks at them */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&w->thread, NULL, watch, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

void watchdog_end(struct watchdog *w)
{
	atomic_store(&w->stopping, true);
	pthread_join(w->thread, NULL);
}
