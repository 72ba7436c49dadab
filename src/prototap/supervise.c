// SPDX-License-Identifier: GPL-3.0-or-later
#include "supervise.h"
#include "cli.h"
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

/* Waits until the interface exists. False: a stop signal came first. */
static bool wait_interface(const char *interface, const sigset_t *stop)
{
	const struct timespec second = { .tv_sec = 1 };

	do
		if (sigtimedwait(stop, NULL, &second) > 0)
			return false;
	while (strcmp(interface, "any") != 0 && !if_nametoindex(interface));
	return true;
}

bool supervise_fork(const char *interface)
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
		if (!wait_interface(interface, &stop))
			exit(EXIT_OK); /* a live capture is meant to end by a signal */
	}
}
