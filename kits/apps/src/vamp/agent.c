// SPDX-License-Identifier: GPL-3.0-or-later
/* The guest's agent. Writes to the port never block, so that a host that does not read holds up nothing in the guest. */
#include "agent.h"
#include "downcast.h"
#include "clock.h"
#include "isolate.h"
#include "files.h"
#include "dial.h"
#include "proc.h"
#include "why.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const words[] = { "begin", "cpu", "end", "alive" };
#define WORDS (sizeof(words) / sizeof(*words))

/* Each line has exactly one valid form: the parsed line, written again, must equal the text. */
int agent_parse(const char *text, struct agent_line *out)
{
	char version[8] = "", word[8] = "", again[AGENT_LINE], end;
	long long sequence;
	size_t i = 0;

	*out = (struct agent_line){ 0 };
	if (sscanf(text, "vamp/%7[0-9]%c", version, &end) != 2 || end != ' ')
		return -EPROTO;
	if (strcmp(version, "1"))
		return -EPROTONOSUPPORT;
	if (sscanf(text, "vamp/1 %lld %7s %d %d", &sequence, word, &out->cpu, &out->percent) < 2 || sequence < 1 ||
	    sequence > AGENT_SEQUENCE_MAX || out->cpu < 0 || out->cpu >= AGENT_CPUS || out->percent < 0 || out->percent > 100)
		return -EPROTO;
	while (i < WORDS && strcmp(word, words[i]))
		i++;
	if (i == WORDS)
		return -EPROTO;
	out->sequence = sequence;
	out->word = (enum agent_message)i;
	again[agent_format(out, again) - 1] = '\0';
	return strcmp(again, text) ? -EPROTO : 0;
}

size_t agent_format(const struct agent_line *line, char text[static AGENT_LINE])
{
	int n = snprintf(text, AGENT_LINE, "vamp/1 %lld %s", (long long)line->sequence, words[line->word]);

	if (line->word == AGENT_CPU)
		n += snprintf(text + n, AGENT_LINE - (size_t)n, " %d %d", line->cpu, line->percent);
	n += snprintf(text + n, AGENT_LINE - (size_t)n, "\n");
	return (size_t)n;
}

int agent_background_percent(int64_t background_ns, int64_t interval_ns, int64_t idle_ns, int64_t stolen_ns, int64_t step_ns)
{
	int64_t ran = interval_ns - idle_ns - stolen_ns - (stolen_ns > 0 ? step_ns : 0);

	if (background_ns <= 0)
		return 0;
	return ran <= background_ns ? 100 : (int)(background_ns * 100 / ran);
}

#define THREADS 1024 /* threads that are followed at most; the run time of others is not counted */

struct thread_time {
	pid_t tid;
	int64_t run_ns;
};

struct agent_load {
	struct thread_time seen[2][THREADS]; /* seen[now]: at this measurement; the other: at the one before */
	size_t n[2];
	int now;
	int64_t taken_ns;
	struct cpu_ticks ticks[AGENT_CPUS];
	size_t tags;
	struct background_tag tag[];
};

/* The resolution of idle and stolen time in /proc/stat, in ns. */
static int64_t clock_tick_ns(void)
{
	return NS_PER_S / sysconf(_SC_CLK_TCK);
}

/* Run time of the thread at the last measurement; -1: the thread is new. Threads come in the same order each time, so the search
 * starts at *hint, behind the last one found. */
static int64_t last_run_ns(const struct agent_load *l, pid_t tid, size_t *hint)
{
	const struct thread_time *old = l->seen[!l->now];
	size_t n = l->n[!l->now];

	for (size_t i = 0; i < n; i++) {
		size_t k = (*hint + i) % n;

		if (old[k].tid == tid) {
			*hint = k + 1;
			return old[k].run_ns;
		}
	}
	return -1;
}

static void add_thread_time(struct agent_load *l, pid_t pid, pid_t tid, int64_t interval_ns, size_t *hint,
			    struct agent_cpu_times cpu[static AGENT_CPUS])
{
	int64_t before, ran;
	struct proc_schedstat time;
	struct proc_stat stat;
	char path[80], text[1024];

	if (l->n[l->now] == THREADS || proc_read_schedstat(tid, &time))
		return;
	l->seen[l->now][l->n[l->now]++] = (struct thread_time){ tid, time.run_ns };
	before = last_run_ns(l, tid, hint);
	ran = time.run_ns - (before < 0 ? 0 : before);
	if (before < 0 && ran > interval_ns)
		ran = interval_ns; /* the thread may be older, but had not been followed */
	if (ran <= 0 || !interval_ns)
		return;
	/* (/proc/TID/stat has the sum over all threads of the process.) */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	if (!files_read_all(path, text, sizeof(text)) && !proc_parse_stat(text, &stat) && stat.cpu >= 0 && stat.cpu < AGENT_CPUS)
		cpu[stat.cpu].background_ns += ran;
}

static void add_process_times(struct agent_load *l, const struct background_tag *tag, int64_t interval_ns, size_t *hint,
			      struct agent_cpu_times cpu[static AGENT_CPUS])
{
	struct proc_stat stat;
	pid_t *tid = NULL;
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)tag->pid);
	if (!proc_read_stat(tag->pid, &stat) && (!tag->start || stat.start == tag->start))
		files_list_numeric_names(path, &tid, &n);
	for (size_t i = 0; i < n; i++)
		add_thread_time(l, tag->pid, tid[i], interval_ns, hint, cpu);
	free(tid);
}

static int read_idle_times(struct agent_load *l, struct agent_cpu_times cpu[static AGENT_CPUS])
{
	struct cpu_ticks now[AGENT_CPUS];
	FILE *f = fopen("/proc/stat", "re");
	int n = cpu_ticks_read(f, now, AGENT_CPUS);
	int64_t step = clock_tick_ns();

	if (f)
		fclose(f);
	memset(cpu, 0, AGENT_CPUS * sizeof(*cpu));
	for (int i = 0; i < n; i++)
		if (now[i].all) {
			cpu[i] = (struct agent_cpu_times){ .online = true,
							   .idle_ns = (now[i].idle - l->ticks[i].idle) * step,
							   .stolen_ns = (now[i].stolen - l->ticks[i].stolen) * step };
			l->ticks[i] = now[i];
		}
	return n;
}

int agent_load_measure(struct agent_load *l, int64_t *interval_ns, struct agent_cpu_times cpu[static AGENT_CPUS])
{
	int64_t now_ns = clock_now();
	size_t hint = 0;
	int cpus = read_idle_times(l, cpu);

	*interval_ns = l->taken_ns ? now_ns - l->taken_ns : 0;
	l->taken_ns = now_ns;
	l->now = !l->now;
	l->n[l->now] = 0;
	for (size_t i = 0; i < l->tags; i++)
		add_process_times(l, &l->tag[i], *interval_ns, &hint, cpu);
	return cpus;
}

struct agent_load *agent_load_open(const struct background_tag *tag, size_t n)
{
	struct agent_load *l = calloc(1, sizeof(*l) + n * sizeof(*tag));
	struct agent_cpu_times cpu[AGENT_CPUS];
	int64_t none;

	if (!l)
		return NULL;
	l->tags = n;
	if (n)
		memcpy(l->tag, tag, n * sizeof(*tag));
	agent_load_measure(l, &none, cpu);
	return l;
}

#define REPORT_NS (40 * NS_PER_MS)
#define ALIVE_NS NS_PER_S
#define KEPT 0.7 /* factor by which older sums are multiplied at each report */

struct agent_throttle {
	struct throttle throttle;
	int fd;
	struct agent_load *load;      /* load measured in the current episode; NULL: no episode */
	int64_t begun, episode, told; /* episodes begun; number of the current one, and of the one announced to the host; 0: none */
	int64_t due_ns;		      /* time of the next report or "alive" line */
	int64_t sequence, reports, unsent;
	int err; /* error of the port, after which nothing is sent; 0: none */
	struct agent_cpu_times cpu[AGENT_CPUS];
	struct decaying_sums {
		double background_ns, interval_ns, idle_ns, stolen_ns;
	} recent[AGENT_CPUS]; /* decaying sums of the last intervals */
	char text[AGENT_CPUS * AGENT_LINE];
};

static void write_lines(struct agent_throttle *a, const char *text, size_t size, int64_t lines)
{
	ssize_t n = a->err ? -1 : write(a->fd, text, size);

	a->sequence += lines;
	if (n == (ssize_t)size)
		return;
	/* A truncated line also spoils the next one; the host detects both by the gap in the sequence numbers. */
	a->unsent += lines;
	if (n < 0 && !a->err && errno != EAGAIN && errno != EINTR)
		a->err = -errno;
}

static bool send_message(struct agent_throttle *a, enum agent_message word)
{
	struct agent_line line = { .sequence = a->sequence + 1, .word = word };
	int64_t unsent = a->unsent;
	char text[AGENT_LINE];

	write_lines(a, text, agent_format(&line, text), 1);
	return a->unsent == unsent;
}

/* Adds an interval to the decaying sums and returns the background share of run time, in percent. A single interval says little:
 * the guest updates no counter while its vCPU waits for a CPU of the host, and then all at once. */
static int update_percent(struct decaying_sums *r, const struct agent_cpu_times *c, int64_t interval_ns)
{
	r->background_ns = r->background_ns * KEPT + (double)c->background_ns;
	r->interval_ns = r->interval_ns * KEPT + (double)interval_ns;
	r->idle_ns = r->idle_ns * KEPT + (double)c->idle_ns;
	r->stolen_ns = r->stolen_ns * KEPT + (double)c->stolen_ns;
	return agent_background_percent((int64_t)r->background_ns, (int64_t)r->interval_ns, (int64_t)r->idle_ns,
					(int64_t)r->stolen_ns, clock_tick_ns());
}

static void send_loads(struct agent_throttle *a)
{
	int64_t interval_ns, lines = 0;
	int cpus = agent_load_measure(a->load, &interval_ns, a->cpu);
	size_t n = 0;

	for (int i = 0; i < cpus; i++) {
		const struct agent_cpu_times *c = &a->cpu[i];
		struct agent_line line = { .word = AGENT_CPU, .cpu = i };

		if (!c->online)
			continue;
		line.sequence = a->sequence + ++lines;
		line.percent = update_percent(&a->recent[i], c, interval_ns);
		n += agent_format(&line, a->text + n);
	}
	write_lines(a, a->text, n, lines);
	a->reports++;
}

/* Sends "end" and "begin" lines that are due, also those that did not fit into the port before. */
static void send_episode_changes(struct agent_throttle *a, int64_t now_ns)
{
	if (a->told && a->told != a->episode && send_message(a, AGENT_END)) {
		a->told = 0;
		a->due_ns = now_ns + ALIVE_NS;
	}
	if (!a->told && a->episode && send_message(a, AGENT_BEGIN)) {
		a->told = a->episode;
		memset(a->recent, 0, sizeof(a->recent));
		a->due_ns = now_ns + REPORT_NS;
	}
}

static const struct throttle_hooks agent_ops;

static int64_t do_periodic_work(struct throttle *f, int64_t now_ns)
{
	struct agent_throttle *a = DOWNCAST(f, struct agent_throttle, f->ops == &agent_ops);

	send_episode_changes(a, now_ns);
	if (now_ns >= a->due_ns) {
		if (a->told && a->told == a->episode)
			send_loads(a);
		else if (!a->told)
			send_message(a, AGENT_ALIVE);
		a->due_ns = now_ns + (a->episode ? REPORT_NS : ALIVE_NS);
	}
	return a->err ? INT64_MAX : a->due_ns;
}

static int end_episode(struct throttle *f)
{
	struct agent_throttle *a = DOWNCAST(f, struct agent_throttle, f->ops == &agent_ops);

	free(a->load);
	a->load = NULL;
	a->episode = 0;
	send_episode_changes(a, clock_now());
	return 0;
}

static int begin_episode(struct throttle *f, const struct background_tag *tag, size_t n)
{
	struct agent_throttle *a = DOWNCAST(f, struct agent_throttle, f->ops == &agent_ops);

	end_episode(f);
	a->load = agent_load_open(tag, n);
	if (!a->load)
		return -ENOMEM;
	a->episode = ++a->begun;
	send_episode_changes(a, clock_now());
	return 0;
}

static void close_throttle(struct throttle *f)
{
	struct agent_throttle *a = DOWNCAST(f, struct agent_throttle, f->ops == &agent_ops);

	end_episode(f);
	close(a->fd);
	free(a);
}

static void describe_throttle(const struct throttle *f, char *text, size_t size)
{
	const struct agent_throttle *a = DOWNCAST(f, const struct agent_throttle, f->ops == &agent_ops);

	snprintf(text, size,
		 "reports to the host which vCPUs run background tasks: %lld lines, %lld of them unsent, %lld reports%s%s",
		 (long long)a->sequence, (long long)a->unsent, (long long)a->reports, a->err ? "; the port has failed: " : "",
		 a->err ? strerror(-a->err) : "");
}

static const struct throttle_hooks agent_ops = { begin_episode, do_periodic_work, end_episode, close_throttle, describe_throttle };

static int open_port(const char *port)
{
	struct stat st;
	int fd;

	if (stat(port, &st))
		return -errno;
	if (S_ISSOCK(st.st_mode))
		return dial_unix(port, 0, NULL);
	if (!S_ISCHR(st.st_mode))
		return -ENODEV;
	fd = open(port, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int agent_open(struct throttle **out, const char *port, struct why *why)
{
	struct agent_throttle *a = calloc(1, sizeof(*a));
	int fd = a ? open_port(port) : -ENOMEM;

	if (fd < 0) {
		why_say(why, "cannot open the port %s: %s: give QEMU a virtserialport with the name org.thinprobe.vamp", port,
			strerror(-fd));
		free(a);
		return fd;
	}
	a->throttle = (struct throttle){ .ops = &agent_ops, .always = true }; /* a host may find background by itself */
	a->fd = fd;
	*out = &a->throttle;
	return 0;
}
