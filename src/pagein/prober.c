// SPDX-License-Identifier: GPL-3.0-or-later
#include "pagein.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads one line, byte by byte, so that nothing of the next answer is consumed. 0, -EPIPE, -ETIMEDOUT, -EINTR, -EPROTO. */
static int read_answer_line(int fd, int64_t until_ns, char *line, size_t size)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	size_t used = 0;

	while (!proc_stop) {
		int64_t left = until_ns - clock_now();
		ssize_t n;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&in, 1, left > 50 * NS_PER_MS ? 50 : (int)(left / NS_PER_MS) + 1) <= 0)
			continue;
		n = read(fd, line + used, 1);
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return -EPIPE;
		if (n != 1)
			continue;
		if (line[used] == '\n') {
			line[used] = '\0';
			return 0;
		}
		if (++used == size)
			return -EPROTO;
	}
	return -EINTR;
}

static void exec_prober(char *const *command, const int in[static 2], const int out[static 2], const int ready[static 2],
			pid_t parent)
{
	/* move the pipe ends above the descriptors 0, 1 and 3 that they are copied to */
	int read_end = fcntl(in[0], F_DUPFD_CLOEXEC, 10), write_end = fcntl(out[1], F_DUPFD_CLOEXEC, 10),
	    ready_end = fcntl(ready[1], F_DUPFD_CLOEXEC, 10);

	setpgid(0, 0); /* not reached by Ctrl-C: the prober ends at the end of its input */
	if (dup2(read_end, 0) < 0 || dup2(write_end, 1) < 0 || dup2(ready_end, 3) < 0 ||
	    proc_end_with_parent(SIGTERM, parent)) /* not SIGKILL: the prober must restore settings of the display */
		_exit(EXIT_RUN);
	signal(SIGPIPE, SIG_DFL);
	execv(command[0], command);
	dprintf(2, "%s: cannot run %s: %s\n", die_get_tool(), command[0], strerror(errno));
	_exit(EXIT_MISSING);
}

int prober_start(struct key_prober *p, char *const *command, int64_t patience_ns, struct why *why)
{
	int in[2], out[2], ready[2], err;
	pid_t parent = getpid();
	char line[32];

	*p = (struct key_prober){ .in = -1, .out = -1 };
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(ready, O_CLOEXEC) || (p->pid = fork()) < 0) {
		why_say(why, "cannot start a process: %s", strerror(errno));
		p->pid = 0;
		return -1;
	}
	if (!p->pid)
		exec_prober(command, in, out, ready, parent);
	close(in[0]);
	close(out[1]);
	close(ready[1]);
	p->in = in[1];
	p->out = out[0];
	err = read_answer_line(ready[0], clock_now() + patience_ns, line, sizeof(line));
	close(ready[0]);
	if (!err && !strcmp(line, "ready"))
		return 0;
	why_say(why, err == -EINTR ? "interrupted" : "%s could not connect: see its message above", command[0]);
	prober_close(p);
	return -1;
}

int prober_open_pipes(struct key_prober *p, const char *in_out, struct why *why)
{
	const char *comma = strchr(in_out, ',');
	char *in = comma ? strndup(in_out, (size_t)(comma - in_out)) : NULL;

	*p = (struct key_prober){ .in = -1, .out = -1 };
	if (!in || !*in || !comma[1]) {
		why_say(why, "--prober %s: want IN,OUT, the names of two pipes", in_out);
		free(in);
		return -1;
	}
	/* O_NONBLOCK: a pipe without a reader is an error, not a wait */
	p->in = open(in, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (p->in < 0)
		why_say(why, "cannot write to %s: %s", in,
			errno == ENXIO ? "no process reads it; start keyrepeat --schedule asked there first" : strerror(errno));
	free(in);
	if (p->in < 0)
		return -1;
	p->out = open(comma + 1, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (p->out >= 0)
		return 0;
	why_say(why, "cannot read %s: %s", comma + 1, strerror(errno));
	prober_close(p);
	return -1;
}

/* 0 for "none", -1 for anything but a time. */
static int64_t parse_answer_time(const char *word)
{
	int64_t ns;

	return !strcmp(word, "none") ? 0 : cli_parse_int(word, &ns) || ns <= 0 ? -1 : ns;
}

static int parse_prober_answer(char *line, struct prober_key_times *out)
{
	char *word[5], *rest = line;

	for (int i = 0; i < 5; i++)
		if (!(word[i] = strsep(&rest, "\t")))
			return -EPROTO;
	out->due_ns = parse_answer_time(word[1]);
	out->sent_ns = parse_answer_time(word[2]);
	out->answered_ns = parse_answer_time(word[3]);
	snprintf(out->how, sizeof(out->how), "%s", word[4]);
	if (out->due_ns <= 0 || out->sent_ns < 0 || out->answered_ns < 0 || (out->answered_ns && out->answered_ns < out->due_ns))
		return -EPROTO;
	return 0;
}

int prober_request_key(struct key_prober *p, int64_t patience_ns, struct prober_key_times *out)
{
	struct pollfd old = { .fd = p->out, .events = POLLIN };
	char line[200];
	int err;

	*out = (struct prober_key_times){ 0 };
	while (poll(&old, 1, 0) > 0)
		if (read(p->out, line, sizeof(line)) <= 0)
			break;
	if (write(p->in, "\n", 1) != 1)
		return -EPIPE;
	err = read_answer_line(p->out, clock_now() + patience_ns, line, sizeof(line));
	return err ? err : parse_prober_answer(line, out);
}

void prober_close(struct key_prober *p)
{
	int64_t until = clock_now() + 3 * NS_PER_S;

	if (p->in >= 0)
		close(p->in);
	if (p->out >= 0)
		close(p->out);
	p->in = p->out = -1;
	while (p->pid && waitpid(p->pid, NULL, WNOHANG) == 0) {
		if (clock_now() > until)
			kill(p->pid, SIGKILL);
		clock_sleep(clock_now() + 5 * NS_PER_MS);
	}
	p->pid = 0;
}
