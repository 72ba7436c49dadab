// SPDX-License-Identifier: GPL-3.0-or-later
#include "guard.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits in the child until the parent dies or sends a byte. */
static void run_guard(int fd, void (*undo)(void *with), void *with)
{
	char end;
	ssize_t n;

	/* a session of its own: signals to the terminal or to the parent's group would kill the child, too */
	setsid();
	prctl(PR_SET_NAME, "exit-guard");
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* Our copy of the pipe's other end, on which we would wait for ever, and standard streams too: a program that reads our output
	 * to its end must not wait for the child. */
	dup2(fd, STDIN_FILENO);
	proc_close_range(STDOUT_FILENO, INT_MAX);
	do
		n = read(STDIN_FILENO, &end, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		undo(with);
	_exit(0);
}

int guard_start(struct exit_guard *g, void (*undo)(void *with), void *with)
{
	int ends[2], err = 0;

	g->pid = 0;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	g->pid = fork();
	if (!g->pid)
		run_guard(ends[0], undo, with);
	if (g->pid < 0) {
		err = -errno;
		g->pid = 0;
		close(ends[1]);
	}
	close(ends[0]);
	g->fd = ends[1];
	return err;
}

void guard_undo_now(struct exit_guard *g)
{
	if (g->pid)
		close(g->fd);
	g->pid = 0;
}

void guard_end(struct exit_guard *g)
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
