// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracepoint.h"
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef PERF_FORMAT_LOST /* Linux 6.0 */
#define PERF_FORMAT_LOST (1U << 4)
#endif

struct cpu_ring {
	int cpu;
	int fd[TRACEPOINTS]; /* perf events; the ring belongs to the first */
	struct perf_event_mmap_page *page;
	size_t bytes; /* of the records */
};

struct tracepoint_rings {
	size_t n, points; /* number of rings; events in each, some not open (-1) */
	struct cpu_ring *ring;
};

static int open_perf_tracepoint(int id, int cpu, size_t bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = (unsigned)id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_LOST,
		.disabled = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		/* no wake-ups, which would be interrupts caused by tracing itself: the ring is not polled */
		.watermark = 1,
		.wakeup_watermark = (unsigned)bytes,
	};

	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EINVAL) {
		attr.read_format = 0;
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : (int)fd;
}

/* Maps the ring buffer, halving its size while the limit on locked memory (without CAP_IPC_LOCK) is exceeded. 0 or -errno. */
static int map_perf_ring(struct cpu_ring *r, int fd, size_t bytes)
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

static int open_perf_ring(struct cpu_ring *r, int *id, size_t n, const char *filter, size_t bytes)
{
	for (size_t i = 0; i < n; i++) {
		int err = 0;

		if (id[i] < 0)
			continue;
		r->fd[i] = open_perf_tracepoint(id[i], r->cpu, bytes);
		if (r->fd[i] < 0 && i > 0 && r->fd[i] != -EMFILE && r->fd[i] != -ENFILE) {
			id[i] = -1; /* exists, but was refused */
			continue;
		}
		if (r->fd[i] < 0)
			return r->fd[i];
		if (i == 0)
			err = map_perf_ring(r, r->fd[0], bytes);
		else if (ioctl(r->fd[i], PERF_EVENT_IOC_SET_OUTPUT, r->fd[0]))
			err = -errno;
		if (!err && filter && ioctl(r->fd[i], PERF_EVENT_IOC_SET_FILTER, filter))
			err = -errno;
		if (err)
			return err;
	}
	return 0;
}

static int start_perf_ring(const struct cpu_ring *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (r->fd[i] >= 0 && ioctl(r->fd[i], PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	return 0;
}

static void close_perf_ring(struct cpu_ring *r)
{
	if (r->page)
		munmap(r->page, r->bytes + (size_t)sysconf(_SC_PAGESIZE));
	for (int i = TRACEPOINTS; i-- > 0;)
		if (r->fd[i] >= 0)
			close(r->fd[i]);
}

/* Raises the limit on open files, as far as allowed: one file is needed per tracepoint and CPU. */
static void raise_file_limit(size_t n)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= n + 64)
		return;
	limit.rlim_cur = limit.rlim_max < n + 64 ? limit.rlim_max : n + 64;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int tracepoint_explain(int err, int cpu, struct why *why)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		why_say(why, geteuid() ? "tracing the kernel needs root (CAP_SYS_ADMIN, CAP_PERFMON)"
				       : "tracing the kernel is refused even to this root: a container, or a kernel in lockdown");
		return -EACCES;
	case -ENOENT:
	case -ENODEV:
		if (cpu < 0)
			why_say(why, "this kernel has no tracefs with sched_switch");
		else
			why_say(why, "CPU %d is not online", cpu);
		break;
	case -EMFILE:
	case -ENFILE: why_say(why, "tracing needs more open files than `ulimit -n` allows"); break;
	default: why_say(why, "tracing the kernel failed: %s", strerror(-err));
	}
	return err;
}

static size_t round_up_ring_bytes(size_t bytes)
{
	size_t size = 8 * (size_t)sysconf(_SC_PAGESIZE);

	while (size < bytes && size < (size_t)1 << 30)
		size *= 2;
	return size;
}

int tracepoint_open_rings(struct tracepoint_rings **out, const struct cli_cpus *cpus, int *id, size_t n, const char *filter,
			  size_t ring_bytes, struct why *why)
{
	struct tracepoint_rings *t = memory_new(1, sizeof(*t));
	int err = n > TRACEPOINTS ? -E2BIG : id[0] < 0 ? -ENOENT : 0, cpu = -1;

	*out = NULL;
	t->ring = memory_new((size_t)cpus->n, sizeof(*t->ring));
	t->points = n;
	raise_file_limit((size_t)cpus->n * n);
	for (int i = 0; i < cpus->n && !err; i++) {
		struct cpu_ring *r = &t->ring[t->n++];

		r->cpu = cpu = cpus->cpu[i];
		for (int p = 0; p < TRACEPOINTS; p++)
			r->fd[p] = -1;
		err = open_perf_ring(r, id, n, filter, round_up_ring_bytes(ring_bytes));
	}
	for (size_t i = 0; !err && i < t->n; i++)
		err = start_perf_ring(&t->ring[i], n);
	if (err) {
		err = tracepoint_explain(err, cpu, why);
		tracepoint_close_rings(t);
		return err;
	}
	*out = t;
	return 0;
}

int tracepoint_set_filter(struct tracepoint_rings *t, const char *filter)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t p = 0; p < t->points; p++)
			if (t->ring[i].fd[p] >= 0 && ioctl(t->ring[i].fd[p], PERF_EVENT_IOC_SET_FILTER, filter))
				return -errno;
	return 0;
}

/* The record at offset `at`. Its header is contiguous (8-byte units); the rest may wrap around the end of the ring. */
static const struct perf_event_header *ring_record_at(const struct cpu_ring *r, uint64_t at)
{
	return (const void *)((const char *)r->page + r->page->data_offset + (at & (r->bytes - 1)));
}

/* The record at offset `at` in one piece, copied to `whole` if it wraps around; NULL: larger than `size`. */
static const struct perf_event_header *unwrap_ring_record(const struct cpu_ring *r, uint64_t at, char *whole, size_t size)
{
	const struct perf_event_header *header = ring_record_at(r, at);
	size_t first = r->bytes - ((size_t)at & (r->bytes - 1));

	if (header->size <= first)
		return header;
	if (header->size > size)
		return NULL;
	memcpy(whole, header, first);
	memcpy(whole + first, ring_record_at(r, at + first), header->size - first);
	return (const void *)whole;
}

int tracepoint_drain(struct tracepoint_rings *t, int cpu, int (*each)(void *, const struct perf_event_header *), void *arg)
{
	char whole[1024] __attribute__((aligned(8)));
	struct cpu_ring *r = t->ring;
	uint64_t head, tail;
	int err = 0;

	while (r < t->ring + t->n && r->cpu != cpu)
		r++;
	if (r == t->ring + t->n)
		return -EINVAL;
	head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	tail = r->page->data_tail;
	while (tail < head && !err) {
		const struct perf_event_header *header;
		size_t size = ring_record_at(r, tail)->size;

		if (size < sizeof(*header) || size > head - tail) /* a damaged ring: skip its contents */
			size = (size_t)(head - tail);
		else if ((header = unwrap_ring_record(r, tail, whole, sizeof(whole))))
			err = each(arg, header);
		tail += size;
		__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
	}
	return err;
}

int64_t tracepoint_count_lost(const struct tracepoint_rings *t)
{
	uint64_t value[2]; /* records, lost */
	int64_t lost = 0;

	for (size_t i = 0; i < t->n; i++)
		for (size_t p = 0; p < t->points; p++)
			if (t->ring[i].fd[p] >= 0 && read(t->ring[i].fd[p], value, sizeof(value)) != sizeof(value))
				return -1;
			else if (t->ring[i].fd[p] >= 0)
				lost += (int64_t)value[1];
	return lost;
}

void tracepoint_close_rings(struct tracepoint_rings *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		close_perf_ring(&t->ring[i]);
	free(t->ring);
	free(t);
}

bool tracepoint_decode_sample(const struct perf_event_header *header, struct tracepoint_sample *out)
{
	const char *body = (const char *)(header + 1);
	size_t n = header->size - sizeof(*header);
	uint32_t pid, tid, size;
	uint64_t time;

	if (header->type != PERF_RECORD_SAMPLE || n < 20)
		return false;
	memcpy(&pid, body, 4);
	memcpy(&tid, body + 4, 4);
	memcpy(&time, body + 8, 8);
	memcpy(&size, body + 16, 4);
	if (size > n - 20)
		return false;
	*out = (struct tracepoint_sample){
		.time_ns = (int64_t)time, .pid = (int)pid, .tid = (int)tid, .raw = body + 20, .size = size
	};
	return true;
}

int64_t tracepoint_decode_lost(const struct perf_event_header *header, int64_t *time_ns)
{
	const char *body = (const char *)(header + 1);
	uint64_t count, time;

	if (header->type != PERF_RECORD_LOST || header->size < sizeof(*header) + 32)
		return 0;
	/* u64 id, u64 lost, then pid, tid and time as in a sample. */
	memcpy(&count, body + 8, 8);
	memcpy(&time, body + 24, 8);
	*time_ns = (int64_t)time;
	return (int64_t)count;
}
