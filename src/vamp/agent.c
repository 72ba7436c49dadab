// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread of its own writes to the port, so that reports come at their times whatever the daemon does, and so that a port that
 * nobody reads holds nothing up. */
#include "agent.h"
#include "agent_load.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define REPORT_NS (40 * NS_PER_MS)
#define ALIVE_NS NS_PER_S
#define KEPT 0.7	/* of what was seen before, from report to report */

struct agent {
	struct favour favour;
	int fd;
	pthread_t thread;
	pthread_mutex_t lock;		/* of all below */
	pthread_cond_t changed;
	bool stop;
	struct agent_load *next;	/* of the episode that shall be told; NULL: none */
	unsigned long episodes;		/* begun; tells one from the next */
	int64_t sequence, reports, unsent, cpu_ns;
	int err;			/* of the port, for good */
	struct agent_load_cpu cpu[AGENT_CPUS];
	struct agent_recent {
		double background_ns, interval_ns, idle_ns, stolen_ns;
	} recent[AGENT_CPUS];		/* sums that fade */
	char text[AGENT_CPUS * AGENT_LINE];
};

static void agent_send(struct agent *a, const char *text, size_t size, int64_t lines)
{
	ssize_t n = write(a->fd, text, size);

	a->sequence += lines;
	if (n == (ssize_t)size)
		return;
	/* A line cut short also spoils the next one; the host counts both as lost by the gap in the sequence numbers. */
	a->unsent += lines;
	if (n < 0 && errno != EAGAIN && errno != EINTR)
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

/* A vCPU that waits on the host brings no account up to date, and then all at once: one interval tells little. */
static int agent_fade(struct agent_recent *r, const struct agent_load_cpu *c, int64_t interval_ns)
{
	r->background_ns = r->background_ns * KEPT + (double)c->background_ns;
	r->interval_ns = r->interval_ns * KEPT + (double)interval_ns;
	r->idle_ns = r->idle_ns * KEPT + (double)c->idle_ns;
	r->stolen_ns = r->stolen_ns * KEPT + (double)c->stolen_ns;
	return agent_percent((int64_t)r->background_ns, (int64_t)r->interval_ns, (int64_t)r->idle_ns, (int64_t)r->stolen_ns,
			     agent_load_step());
}

static void agent_report(struct agent *a, struct agent_load *load)
{
	int64_t interval_ns, lines = 0;
	int cpus = agent_load_take(load, &interval_ns, a->cpu);
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

static void agent_sleep(struct agent *a, int64_t until_ns)
{
	struct timespec ts = { .tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S };

	pthread_cond_timedwait(&a->changed, &a->lock, &ts);
}

static void *agent_main(void *arg)
{
	struct agent *a = arg;
	bool told = false;
	unsigned long episode = 0;
	int64_t due_ns = clock_now();

	pthread_mutex_lock(&a->lock);
	while (!a->stop && !a->err) {
		int64_t now_ns = clock_now();

		if (told && (!a->next || a->episodes != episode)) {
			told = !agent_say(a, AGENT_END);
			due_ns = now_ns + ALIVE_NS;
		}
		if (!told && a->next && agent_say(a, AGENT_BEGIN)) {
			told = true;
			episode = a->episodes;
			memset(a->recent, 0, sizeof(a->recent));
			due_ns = now_ns + REPORT_NS;
		}
		if (now_ns >= due_ns) {
			if (told && a->next)
				agent_report(a, a->next);
			else if (!told)
				agent_say(a, AGENT_ALIVE);
			due_ns = now_ns + (a->next ? REPORT_NS : ALIVE_NS);
		}
		a->cpu_ns = clock_thread_cpu();
		agent_sleep(a, due_ns);
	}
	if (told && !a->err)
		agent_say(a, AGENT_END);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static void agent_change(struct agent *a, struct agent_load *next)
{
	pthread_mutex_lock(&a->lock);
	agent_load_free(a->next);
	a->next = next;
	a->episodes += next != NULL;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

static int agent_begin(struct favour *f, const struct tag *tag, size_t n)
{
	struct agent_load *load = agent_load_start(tag, n);

	if (!load)
		return -ENOMEM;
	agent_change((struct agent *)f, load);
	return 0;
}

static int agent_end(struct favour *f)
{
	agent_change((struct agent *)f, NULL);
	return 0;
}

static void agent_close(struct favour *f)
{
	struct agent *a = (struct agent *)f;

	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	agent_load_free(a->next);
	close(a->fd);
	free(a);
}

static void agent_tell(const struct favour *f, char *text, size_t size)
{
	struct agent *a = (struct agent *)f;

	pthread_mutex_lock(&a->lock);
	snprintf(text, size,
		 "tells the host which vCPUs run background tasks: %lld lines, %lld of them unsent, %lld reports, %.3f s of CPU%s%s",
		 (long long)a->sequence, (long long)a->unsent, (long long)a->reports, (double)a->cpu_ns / 1e9,
		 a->err ? "; the port has failed: " : "", a->err ? strerror(-a->err) : "");
	pthread_mutex_unlock(&a->lock);
}

static const struct favour_ops agent_ops = { "agent", agent_begin, NULL, agent_end, agent_close, agent_tell };

static int agent_connect(const char *port)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(port) >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	strcpy(to.sun_path, port);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&to, sizeof(to)) && !fcntl(fd, F_SETFL, O_NONBLOCK))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int agent_open_port(const char *port)
{
	struct stat st;
	int fd;

	if (stat(port, &st))
		return -errno;
	if (S_ISSOCK(st.st_mode))
		return agent_connect(port);
	if (!S_ISCHR(st.st_mode))
		return -ENODEV;
	fd = open(port, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int agent_start(struct agent *a)
{
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int err;

	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&a->changed, &monotonic);
	sigfillset(&all);	/* signals are the daemon's main thread's, SIGPIPE is nobody's */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = -pthread_create(&a->thread, NULL, agent_main, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int agent_open(struct favour **out, const char *port, char *why, size_t size)
{
	struct agent *a = calloc(1, sizeof(*a));
	int err = a ? agent_open_port(port) : -ENOMEM;

	if (err >= 0) {
		a->favour.ops = &agent_ops;
		a->fd = err;
		err = agent_start(a);
		if (err)
			close(a->fd);
	}
	if (!err) {
		*out = &a->favour;
		return 0;
	}
	snprintf(why, size, "cannot open the port %s: %s: give QEMU a virtserialport with the name org.thinprobe.vamp", port,
		 strerror(-err));
	free(a);
	return err;
}
