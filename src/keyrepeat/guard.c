// SPDX-License-Identifier: GPL-3.0-or-later
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_all_but(int keep)
{
	/* the caller's standard streams too: who waits for our output to end must not wait for the guard */
	if (keep > 0)
		close_range(0, (unsigned)keep - 1, 0);
	close_range((unsigned)keep + 1, ~0u, 0);
}

int guard_start(struct guard *g, void (*undo)(void *with), void *with)
{
	int ends[2];
	char end;
	ssize_t n;

	g->pid = 0;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	g->pid = fork();
	if (g->pid < 0) {
		int err = -errno;

		g->pid = 0;
		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (g->pid) {
		close(ends[0]);
		g->fd = ends[1];
		return 0;
	}
	/* Out of the terminal's and the parent's group: what kills those would take the guard along. */
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	close_all_but(ends[0]);
	do
		n = read(ends[0], &end, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0) {
		alarm(10);	/* a display that hangs must not keep us */
		undo(with);
	}
	_exit(0);
}

void guard_leave(struct guard *g)
{
	if (g->pid)
		close(g->fd);
	g->pid = 0;
}

void guard_dismiss(struct guard *g)
{
	ssize_t n;

	if (!g->pid)
		return;
	do
		n = write(g->fd, "d", 1);
	while (n < 0 && errno == EINTR);
	close(g->fd);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	g->pid = 0;
}
