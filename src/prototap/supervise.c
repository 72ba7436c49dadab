// SPDX-License-Identifier: GPL-3.0-or-later
#include "supervise.h"
#include "apart.h"
#include "cli.h"
#include "clock.h"
#include "proc.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* Waits until the interface exists. Exits if a stop signal or until_ns come first. */
static void wait_interface(const char *interface, const sigset_t *stop, int64_t until_ns)
{
	const struct timespec second = { .tv_sec = 1 };

	do {
		bool stopped = sigtimedwait(stop, NULL, &second) > 0;

		if (stopped && !until_ns)
			exit(EXIT_OK); /* a capture without an end is meant to be ended by a signal */
		if (stopped || (until_ns && clock_now() > until_ns)) {
			warn("%s is gone: no report", interface);
			exit(stopped ? EXIT_INTERRUPTED : EXIT_LOSSY);
		}
	} while (strcmp(interface, "any") != 0 && !if_nametoindex(interface));
}

bool supervise_fork(const char *interface, int64_t until_ns)
{
	sigset_t stop, before;
	bool again = false;
	int status;

	proc_fill_stop_set(&stop);
	sigprocmask(SIG_BLOCK, &stop, &before);
	for (;; again = true) {
		if (apart_fork(&status)) {
			sigprocmask(SIG_SETMASK, &before, NULL);
			return again;
		}
		if (WIFSIGNALED(status))
			exit(128 + WTERMSIG(status));
		if (WEXITSTATUS(status) == SUPERVISE_GONE)
			warn("%s is gone; the capture goes on when it is back", interface);
		else if (WEXITSTATUS(status) != SUPERVISE_NOT_YET)
			exit(WEXITSTATUS(status));
		wait_interface(interface, &stop, until_ns);
	}
}
