// SPDX-License-Identifier: GPL-3.0-or-later
#include "supervise.h"
#include "cli.h"
#include "clock.h"
#include "proc.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Waits for the child's end; returns its wait status. */
static int wait_child(pid_t child, const sigset_t *signals)
{
	int status, sig;

	for (;;) {
		sig = sigwaitinfo(signals, NULL);
		if (sig == SIGCHLD && waitpid(child, &status, WNOHANG) == child)
			return status;
		if (sig > 0 && sig != SIGCHLD)
			kill(child, sig);
	}
}

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
	sigset_t stop, signals, before;
	bool again = false;
	int status;
	pid_t child;

	proc_fill_stop_set(&stop);
	signals = stop;
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &before);
	for (;; again = true) {
		child = fork();
		if (child <= 0) {
			sigprocmask(SIG_SETMASK, &before, NULL);
			return again;
		}
		status = wait_child(child, &signals);
		if (WIFSIGNALED(status))
			exit(128 + WTERMSIG(status));
		if (WEXITSTATUS(status) == SUPERVISE_GONE)
			warn("%s is gone; the capture goes on when it is back", interface);
		else if (WEXITSTATUS(status) != SUPERVISE_NOT_YET)
			exit(WEXITSTATUS(status));
		wait_interface(interface, &stop, until_ns);
	}
}
