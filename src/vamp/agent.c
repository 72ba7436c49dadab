// SPDX-License-Identifier: GPL-3.0-or-later
/* The port never blocks: one that is not read must hold up nothing. */
#include "agent.h"
#include "agent_load.h"
#include "clock.h"
#include "local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPORT_NS (40 * NS_PER_MS)
#define ALIVE_NS NS_PER_S
#define KEPT 0.7	/* part of the older sums that stays at each report */

struct agent {
	struct favour favour;
	int fd;
	struct agent_load *load;	/* of the episode that lasts; NULL: none */
	int64_t begun, episode, told;	/* episodes begun; number of the one that lasts, and of the one that the host knows of; 0: none */
	int64_t due_ns;			/* the next report, or sign of life */
	int64_t sequence, reports, unsent;
	int err;			/* of the port, for good */
	struct agent_load_cpu cpu[AGENT_CPUS];
	struct agent_recent {
		double background_ns, interval_ns, idle_ns, stolen_ns;
	} recent[AGENT_CPUS];		/* sums that fade */
	char text[AGENT_CPUS * AGENT_LINE];
};

static void agent_send(struct agent *a, const char *text, size_t size, int64_t lines)
{
	ssize_t n = a->err ? -1 : write(a->fd, text, size);

	a->sequence += lines;
	if (n == (ssize_t)size)
		return;
	/* A line cut short also spoils the next one; the host counts both as lost by the gap in the sequence numbers. */
	a->unsent += lines;
	if (n < 0 && !a->err && errno != EAGAIN && errno != EINTR)
		a->err = -errno;
}

static bool agent_say(struct agent *a, enum agent_word word)
{
	struct agent_line line = { .sequence = a->sequence + 1, .word = word };
	int64_t unsent = a->unsent;
	char text[AGENT_LINE];

	agent_send(a, text, agent_line_write(&line, text), 1);
	return a->unsent == unsent;
}

/* While a vCPU waits for a CPU of the host, the guest updates no account, and then all at once: one interval alone says little. */
static int agent_fade(struct agent_recent *r, const struct agent_load_cpu *c, int64_t interval_ns)
{
	r->background_ns = r->background_ns * KEPT + (double)c->background_ns;
	r->interval_ns = r->interval_ns * KEPT + (double)interval_ns;
	r->idle_ns = r->idle_ns * KEPT + (double)c->idle_ns;
	r->stolen_ns = r->stolen_ns * KEPT + (double)c->stolen_ns;
	return agent_percent((int64_t)r->background_ns, (int64_t)r->interval_ns, (int64_t)r->idle_ns, (int64_t)r->stolen_ns,
			     agent_load_step());
}

static void agent_report(struct agent *a)
{
	int64_t interval_ns, lines = 0;
	int cpus = agent_load_take(a->load, &interval_ns, a->cpu);
	size_t n = 0;

	for (int i = 0; i < cpus; i++) {
		const struct agent_load_cpu *c = &a->cpu[i];
		struct agent_line line = { .word = AGENT_CPU, .cpu = i };

		if (!c->online)
			continue;
		line.sequence = a->sequence + ++lines;
		line.percent = agent_fade(&a->recent[i], c, interval_ns);
		n += agent_line_write(&line, a->text + n);
	}
	agent_send(a, a->text, n, lines);
	a->reports++;
}

/* An end or a begin that found no room in the port is sent again. */
static void agent_sync(struct agent *a, int64_t now_ns)
{
	if (a->told && a->told != a->episode && agent_say(a, AGENT_END)) {
		a->told = 0;
		a->due_ns = now_ns + ALIVE_NS;
	}
	if (!a->told && a->episode && agent_say(a, AGENT_BEGIN)) {
		a->told = a->episode;
		memset(a->recent, 0, sizeof(a->recent));
		a->due_ns = now_ns + REPORT_NS;
	}
}

static int64_t agent_tick(struct favour *f, int64_t now_ns)
{
	struct agent *a = (struct agent *)f;

	agent_sync(a, now_ns);
	if (now_ns >= a->due_ns) {
		if (a->told && a->told == a->episode)
			agent_report(a);
		else if (!a->told)
			agent_say(a, AGENT_ALIVE);
		a->due_ns = now_ns + (a->episode ? REPORT_NS : ALIVE_NS);
	}
	return a->err ? INT64_MAX : a->due_ns;
}

static int agent_end(struct favour *f)
{
	struct agent *a = (struct agent *)f;

	free(a->load);
	a->load = NULL;
	a->episode = 0;
	agent_sync(a, clock_now());
	return 0;
}

static int agent_begin(struct favour *f, const struct tag *tag, size_t n)
{
	struct agent *a = (struct agent *)f;

	agent_end(f);
	a->load = agent_load_start(tag, n);
	if (!a->load)
		return -ENOMEM;
	a->episode = ++a->begun;
	agent_sync(a, clock_now());
	return 0;
}

static void agent_close(struct favour *f)
{
	struct agent *a = (struct agent *)f;

	agent_end(f);
	close(a->fd);
	free(a);
}

static void agent_tell(const struct favour *f, char *text, size_t size)
{
	const struct agent *a = (const struct agent *)f;

	snprintf(text, size, "tells the host which vCPUs run background tasks: %lld lines, %lld of them unsent, %lld reports%s%s",
		 (long long)a->sequence, (long long)a->unsent, (long long)a->reports, a->err ? "; the port has failed: " : "",
		 a->err ? strerror(-a->err) : "");
}

static const struct favour_ops agent_ops = { agent_begin, agent_tick, agent_end, agent_close, agent_tell };

static int agent_open_port(const char *port)
{
	struct stat st;
	int fd;

	if (stat(port, &st))
		return -errno;
	if (S_ISSOCK(st.st_mode))
		return local_connect(port, 0, NULL);
	if (!S_ISCHR(st.st_mode))
		return -ENODEV;
	fd = open(port, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int agent_open(struct favour **out, const char *port, char *why, size_t size)
{
	struct agent *a = calloc(1, sizeof(*a));
	int fd = a ? agent_open_port(port) : -ENOMEM;

	if (fd < 0) {
		snprintf(why, size, "cannot open the port %s: %s: give QEMU a virtserialport with the name org.thinprobe.vamp", port,
			 strerror(-fd));
		free(a);
		return fd;
	}
	a->favour.ops = &agent_ops;
	a->fd = fd;
	*out = &a->favour;
	return 0;
}
