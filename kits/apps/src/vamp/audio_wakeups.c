// SPDX-License-Identifier: GPL-3.0-or-later
#include "audio.h"
#include "memory.h"
#include "files.h"
#include "proc.h"
#include "tracefs.h"
#include "tracepoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORGET 0.01 /* smaller averages count as 0 */

static struct audio_counter *find_counter(struct audio_counts *c, int pid)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->process[i].pid == pid)
			return &c->process[i];
	if (c->n == AUDIO_PROCESSES)
		return NULL;
	c->process[c->n] = (struct audio_counter){ .pid = pid };
	return &c->process[c->n++];
}

static int *find_wakeup_source(struct audio_counts *c, int tid)
{
	for (size_t i = 0; i < c->threads; i++)
		if (c->thread[i].tid == tid)
			return &c->thread[i].source;
	if (c->threads == AUDIO_THREADS) /* the table is full of ended threads: start again */
		c->threads = 0;
	c->thread[c->threads].tid = tid;
	c->thread[c->threads].source = 0;
	return &c->thread[c->threads++].source;
}

void audio_add_wakeup(struct audio_counts *c, int server, const struct audio_wakeup *w)
{
	int source = w->interrupt ? 0 : w->waker_pid == server ? *find_wakeup_source(c, w->waker_tid) : w->waker_pid;
	struct audio_counter *p = source > 0 ? find_counter(c, source) : NULL;

	*find_wakeup_source(c, w->woken_tid) = source;
	if (p)
		p->wakeups++;
}

static bool is_tagged(const int *tagged, size_t n, int pid)
{
	for (size_t i = 0; i < n; i++)
		if (tagged[i] == pid)
			return true;
	return false;
}

void audio_average_counts(struct audio_counts *c, const int *tagged, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		find_counter(c, tagged[i]);
	for (size_t i = 0; i < c->n; i++) {
		struct audio_counter *p = &c->process[i];
		double divisor;

		if (!is_tagged(tagged, n, p->pid))
			p->confidence -= p->confidence > 0;
		else if (p->confidence < AUDIO_CONFIDENCE)
			p->confidence++;
		divisor = p->confidence > 1 ? p->confidence : 1;
		p->average = (p->average + (double)p->wakeups / divisor) / 2;
		p->wakeups = 0;
		if (p->average >= FORGET || p->confidence > 0)
			c->process[kept++] = *p;
	}
	c->n = kept;
}

int audio_top_waker(const struct audio_counts *c)
{
	const struct audio_counter *most = NULL;

	for (size_t i = 0; i < c->n; i++)
		if (c->process[i].average >= 1 && (!most || c->process[i].average > most->average))
			most = &c->process[i];
	return most ? most->pid : 0;
}

#define RING_BYTES (256 << 10) /* about 3,000 wake-ups of a CPU between two reads */
#define FILTER 4000	       /* the kernel accepts a page */
#define FLAG_INTERRUPT 0x18    /* TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ of linux/trace_events.h */

struct wakeup_tracer {
	int server;
	bool initial; /* this process is in the initial pid namespace */
	struct cli_cpus cpus;
	struct tracepoint_rings *rings;
	struct tracefs_field flags, waker, woken;
	char filter[FILTER];
	/* wake-ups collected by the current read */
	struct audio_wakeup *got;
	size_t n;
};

static int parse_waking_format(struct wakeup_tracer *w)
{
	char text[TRACEFS_TEXT];
	int dir = tracefs_open_events(), err = dir < 0 ? dir : tracefs_read_format(dir, "sched/sched_waking", text);

	if (dir >= 0)
		close(dir);
	if (err)
		return err;
	w->flags = tracefs_find_field(text, "common_flags");
	w->waker = tracefs_find_field(text, "common_pid");
	w->woken = tracefs_find_field(text, "pid");
	return w->flags.size && w->waker.size && w->woken.size ? tracefs_event_id(text) : -ENOENT;
}

/* Writes a filter for a thread's name; characters that are not allowed in the filter's quotes become '?' (any character). */
static void write_thread_filter(int tid, char *out, size_t size)
{
	char name[32];

	proc_read_line(tid, "comm", name, sizeof(name));
	for (char *c = name; *c; c++)
		if (*c == '"' || *c == '\\' || *c < ' ')
			*c = '?';
	snprintf(out, size, "comm ~ \"%s\"", name);
}

/* Makes a filter for the threads of the server; if it has ended, a filter that matches nothing. */
static void write_server_filter(const struct wakeup_tracer *w, char *text, size_t size)
{
	char path[32], one[64];
	size_t n = 0, threads = 0;
	pid_t *tid = NULL;

	snprintf(text, size, "pid == -1");
	snprintf(path, sizeof(path), "/proc/%d/task", w->server);
	files_list_numeric_names(path, &tid, &threads);
	for (size_t i = 0; i < threads; i++) {
		if (w->initial)
			snprintf(one, sizeof(one), "pid == %d", (int)tid[i]);
		else
			write_thread_filter(tid[i], one, sizeof(one));
		if (n + strlen(one) + 5 < size)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " || " : "", one);
	}
	free(tid);
}

int wakeups_open(struct wakeup_tracer **out, int server, struct why *why)
{
	struct wakeup_tracer *w = calloc(1, sizeof(*w));
	char ours[64] = "";
	int id, err;

	*out = NULL;
	if (!w)
		return why_fail(-ENOMEM, why, "out of memory");
	w->server = server;
	w->initial = readlink("/proc/self/ns/pid", ours, sizeof(ours) - 1) > 0 && !strcmp(ours, "pid:[4026531836]");
	id = parse_waking_format(w);
	err = id < 0 ? tracepoint_explain(id, -1, why) : 0;
	if (!err && proc_online_cpus(&w->cpus)) {
		why_say(why, "cannot read which CPUs are online");
		err = -EIO;
	}
	if (!err) {
		write_server_filter(w, w->filter, sizeof(w->filter));
		err = tracepoint_open_rings(&w->rings, &w->cpus, &id, 1, w->filter, RING_BYTES, why);
	}
	if (err) {
		free(w);
		return err;
	}
	*out = w;
	return 0;
}

static int append_wakeup(void *arg, const struct perf_event_header *header)
{
	struct wakeup_tracer *w = arg;
	struct tracepoint_sample s;

	if (!tracepoint_decode_sample(header, &s))
		return 0;
	if (array_room(&w->got, w->n))
		return 0;
	w->got[w->n++] = (struct audio_wakeup){
		.time_ns = s.time_ns,
		.waker_pid = s.pid,
		.waker_tid = (int)tracefs_field_value(s.raw, s.size, w->waker),
		.woken_tid = (int)tracefs_field_value(s.raw, s.size, w->woken),
		.interrupt = tracefs_field_value(s.raw, s.size, w->flags) & FLAG_INTERRUPT,
	};
	return 0;
}

static int compare_times(const void *a, const void *b)
{
	const struct audio_wakeup *p = a, *q = b;

	return p->time_ns > q->time_ns ? 1 : p->time_ns < q->time_ns ? -1 : 0;
}

void wakeups_count(struct wakeup_tracer *w, struct audio_counts *c, const int *ours, size_t n)
{
	w->n = 0;
	for (int i = 0; i < w->cpus.n; i++)
		tracepoint_drain(w->rings, w->cpus.cpu[i], append_wakeup, w);
	if (w->n)
		qsort(w->got, w->n, sizeof(*w->got), compare_times);
	for (size_t i = 0; i < w->n; i++) {
		struct audio_wakeup *one = &w->got[i];

		for (size_t k = 0; k < n; k++)
			if (one->waker_pid == ours[k])
				one->waker_pid = 0;
		audio_add_wakeup(c, w->server, one);
	}
}

void wakeups_update_filter(struct wakeup_tracer *w)
{
	char filter[FILTER];

	write_server_filter(w, filter, sizeof(filter));
	if (!strcmp(filter, w->filter))
		return;
	if (!tracepoint_set_filter(w->rings, filter)) /* else the next call tries again */
		memcpy(w->filter, filter, sizeof(w->filter));
}

void wakeups_close(struct wakeup_tracer *w)
{
	if (!w)
		return;
	tracepoint_close_rings(w->rings);
	free(w->got);
	free(w);
}
