// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace.h"
#include "trace_read.h"
#include "tracefs.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* One drain's batch, put in order; the last KEEP wait for what may come before them: an interrupt that strikes while a
 * record is being written is in the ring before it, with a later time. */
#define BATCH 1024
#define KEEP 16

struct ring {
	int cpu;
	int fd[TRACE_POINTS];	/* the first that is open owns the ring */
	struct perf_event_mmap_page *page;
	size_t bytes;		/* of the records */
};

struct trace {
	struct trace_points points;
	size_t n;		/* rings */
	struct ring *ring;
	int64_t lost;
	struct trace_record batch[BATCH];
};

static int event_open(int id, int cpu, size_t bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = (unsigned)id,
		.sample_period = 1,
		.sample_type = TRACE_SAMPLE_TYPE,
		.disabled = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		/* Nobody polls: waking someone half-way would be an interrupt of our own making. */
		.watermark = 1,
		.wakeup_watermark = (unsigned)bytes,
	};

	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* Without CAP_IPC_LOCK only so much may be locked: half of it is better than nothing. */
static int ring_map(struct ring *r, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (; bytes >= 8 * page; bytes /= 2) {
		void *at = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (at != MAP_FAILED) {
			r->page = at;
			r->bytes = bytes;
			return 0;
		}
		if (errno != EPERM && errno != ENOMEM)
			break;
	}
	return -errno;
}

/* The owner must be sched_switch: without it nothing can be told. */
static int ring_open(struct ring *r, struct trace_points *points, size_t bytes)
{
	for (int i = 0; i < TRACE_POINTS; i++) {
		int err = 0;

		if (points->id[i] < 0)
			continue;
		r->fd[i] = event_open(points->id[i], r->cpu, bytes);
		if (r->fd[i] < 0 && i > 0 && r->fd[i] != -EMFILE && r->fd[i] != -ENFILE) {
			int other = trace_points_drop(points, i);	/* described, but not to be had */

			if (r->fd[other] >= 0)
				close(r->fd[other]);
			r->fd[i] = r->fd[other] = -1;
			continue;
		}
		if (r->fd[i] < 0)
			return r->fd[i];
		if (i == 0)
			err = ring_map(r, r->fd[0], bytes);
		else if (ioctl(r->fd[i], PERF_EVENT_IOC_SET_OUTPUT, r->fd[0]))
			err = -errno;
		if (err)
			return err;
	}
	return 0;
}

static int ring_start(const struct ring *r)
{
	for (int i = 0; i < TRACE_POINTS; i++)
		if (r->fd[i] >= 0 && ioctl(r->fd[i], PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	return 0;
}

static void ring_close(struct ring *r)
{
	if (r->page)
		munmap(r->page, r->bytes + (size_t)sysconf(_SC_PAGESIZE));
	for (int i = TRACE_POINTS; i-- > 0;)
		if (r->fd[i] >= 0)
			close(r->fd[i]);
}

/* Fifteen files a CPU: the usual 1,024 are not enough for a large machine. */
static void want_files(size_t n)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= n + 64)
		return;
	limit.rlim_cur = limit.rlim_max < n + 64 ? limit.rlim_max : n + 64;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int refused(int err, char *why, size_t size, int cpu)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		snprintf(why, size, geteuid() ? "tracing the kernel needs root (CAP_SYS_ADMIN, CAP_PERFMON)" :
			 "tracing the kernel is refused even to this root: a container, or a kernel in lockdown");
		return -EACCES;
	case -ENOENT:
	case -ENODEV:
		if (cpu < 0)
			snprintf(why, size, "this kernel has no tracefs with sched_switch");
		else
			snprintf(why, size, "CPU %d is not online", cpu);
		break;
	case -EMFILE:
	case -ENFILE:
		snprintf(why, size, "tracing needs %d open files per CPU, more than `ulimit -n` allows", TRACE_POINTS);
		break;
	default:
		snprintf(why, size, "tracing the kernel failed: %s", strerror(-err));
	}
	return err;
}

static size_t round_up(size_t bytes)
{
	size_t size = 8 * (size_t)sysconf(_SC_PAGESIZE);

	while (size < bytes && size < (size_t)1 << 30)
		size *= 2;
	return size;
}

int trace_open(struct trace **out, const struct cli_cpus *cpus, size_t ring_bytes, char *why, size_t why_size)
{
	struct trace *t = calloc(1, sizeof(*t));
	int err = -ENOMEM, cpu = -1;

	*out = NULL;
	if (t)
		t->ring = calloc((size_t)cpus->n + 1, sizeof(*t->ring));
	if (t && t->ring)
		err = trace_points_read(&t->points);
	want_files((size_t)cpus->n * TRACE_POINTS);
	for (int i = 0; i < cpus->n && !err; i++) {
		struct ring *r = &t->ring[t->n++];

		r->cpu = cpu = cpus->cpu[i];
		for (int p = 0; p < TRACE_POINTS; p++)
			r->fd[p] = -1;
		err = ring_open(r, &t->points, round_up(ring_bytes));
	}
	for (size_t i = 0; !err && i < t->n; i++)
		err = ring_start(&t->ring[i]);
	if (err) {
		err = refused(err, why, why_size, cpu);
		trace_close(t);
		return err;
	}
	*out = t;
	return 0;
}

const char *trace_missing(const struct trace *t)
{
	return t->points.missing;
}

/* The record at `at`: its header is never cut (8-byte units), the rest may run over the ring's end. */
static const struct perf_event_header *record_at(const struct ring *r, uint64_t at)
{
	return (const void *)((const char *)r->page + r->page->data_offset + (at & (r->bytes - 1)));
}

/* The same in one piece; NULL: larger than any of ours. */
static const struct perf_event_header *record_whole(const struct ring *r, uint64_t at, char *whole, size_t size)
{
	const struct perf_event_header *header = record_at(r, at);
	size_t first = r->bytes - (at & (r->bytes - 1));

	if (header->size <= first)
		return header;
	if (header->size > size)
		return NULL;
	memcpy(whole, header, first);
	memcpy(whole + first, record_at(r, at + first), header->size - first);
	return (const void *)whole;
}

/* Nearly sorted. */
static void sort_by_time(struct trace_record *batch, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct trace_record r = batch[i];
		size_t to = i;

		for (; to > 0 && batch[to - 1].time_ns > r.time_ns; to--)
			batch[to] = batch[to - 1];
		batch[to] = r;
	}
}

static int hand_over(struct trace *t, size_t *n, size_t keep, int (*each)(void *, const struct trace_record *), void *arg)
{
	size_t ready = *n - keep;

	sort_by_time(t->batch, *n);
	for (size_t i = 0; i < ready; i++) {
		int err = each(arg, &t->batch[i]);

		if (err)
			return err;
	}
	memmove(t->batch, t->batch + ready, keep * sizeof(*t->batch));
	*n = keep;
	return 0;
}

int trace_drain(struct trace *t, int cpu, int (*each)(void *, const struct trace_record *), void *arg)
{
	char whole[1024] __attribute__((aligned(8)));
	struct ring *r = t->ring;
	uint64_t head, tail;
	size_t n = 0;
	int err = 0;

	while (r < t->ring + t->n && r->cpu != cpu)
		r++;
	if (r == t->ring + t->n)
		return -EINVAL;
	head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	tail = r->page->data_tail;
	while (tail < head && !err) {
		const struct perf_event_header *header;
		size_t size = record_at(r, tail)->size;

		if (size < sizeof(*header) || size > head - tail) {	/* cannot be: leave all that is there */
			tail = head;
			break;
		}
		header = record_whole(r, tail, whole, sizeof(whole));
		if (header && trace_read(&t->points, header, &t->batch[n], &t->lost)) {
			/* What was lost was lost before the record behind, whose time was taken first. */
			if (n > 0 && t->batch[n - 1].kind == TRACE_LOST && t->batch[n - 1].time_ns > t->batch[n].time_ns)
				t->batch[n - 1].time_ns = t->batch[n].time_ns;
			n++;
		}
		tail += size;
		if (n == BATCH) {
			__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
			err = hand_over(t, &n, KEEP, each, arg);
		}
	}
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
	return err ? err : hand_over(t, &n, 0, each, arg);
}

int64_t trace_lost(const struct trace *t)
{
	return t->lost;
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		ring_close(&t->ring[i]);
	free(t->ring);
	free(t);
}
