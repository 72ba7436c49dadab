// SPDX-License-Identifier: GPL-3.0-or-later
#include "trace.h"
#include "memory.h"
#include "trace_read.h"
#include "tracepoint.h"

/* Records per batch of a drain. The last KEEP records of a sorted batch are held back, since earlier ones may follow: an
 * interrupt during the writing of a record is stored before that record, with a later time. */
#define BATCH 1024
#define KEEP 16

struct scheduling_trace {
	struct tracepoint_formats points;
	struct tracepoint_rings *rings;
	int64_t lost;
	/* state of the current drain */
	int (*each)(void *, const struct trace_record *);
	void *arg;
	size_t n;
	struct trace_record batch[BATCH];
};

int trace_open(struct scheduling_trace **out, const struct cli_cpus *cpus, bool switches_only, size_t ring_bytes, struct why *why)
{
	struct scheduling_trace *t = memory_new(1, sizeof(*t));
	int id[TRACE_POINTS];
	int err = tracepoint_formats_read(&t->points, switches_only ? 1 : TRACE_POINTS);

	*out = NULL;
	if (err) {
		free(t);
		return tracepoint_explain(err, -1, why);
	}
	memcpy(id, t->points.id, sizeof(id));
	err = tracepoint_open_rings(&t->rings, cpus, id, TRACE_POINTS, NULL, ring_bytes, why);
	for (int i = 1; i < TRACE_POINTS && !err; i++)
		if (id[i] < 0)
			tracepoint_drop_pair(&t->points, i);
	if (err) {
		free(t);
		return err;
	}
	*out = t;
	return 0;
}

const char *trace_missing_points(const struct scheduling_trace *t)
{
	return t->points.missing;
}

/* Insertion sort: the records are nearly sorted. */
static void sort_records(struct trace_record *batch, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct trace_record r = batch[i];
		size_t to = i;

		for (; to > 0 && batch[to - 1].time_ns > r.time_ns; to--)
			batch[to] = batch[to - 1];
		batch[to] = r;
	}
}

static int pass_sorted_records(struct scheduling_trace *t, size_t keep)
{
	size_t ready = t->n - keep;

	sort_records(t->batch, t->n);
	for (size_t i = 0; i < ready; i++) {
		int err = t->each(t->arg, &t->batch[i]);

		if (err)
			return err;
	}
	memmove(t->batch, t->batch + ready, keep * sizeof(*t->batch));
	t->n = keep;
	return 0;
}

static int add_ring_record(void *arg, const struct perf_event_header *header)
{
	struct scheduling_trace *t = arg;
	struct trace_record *r = &t->batch[t->n];

	if (!trace_decode_record(&t->points, header, r, &t->lost))
		return 0;
	/* a loss record may have a later time than the record after it: use that one's */
	if (t->n > 0 && r[-1].kind == TRACE_LOST && r[-1].time_ns > r->time_ns)
		r[-1].time_ns = r->time_ns;
	return ++t->n == BATCH ? pass_sorted_records(t, KEEP) : 0;
}

int trace_drain(struct scheduling_trace *t, int cpu, int (*each)(void *, const struct trace_record *), void *arg)
{
	int err;

	t->each = each;
	t->arg = arg;
	t->n = 0;
	err = tracepoint_drain(t->rings, cpu, add_ring_record, t);
	return err ? err : pass_sorted_records(t, 0);
}

int64_t trace_lost_records(const struct scheduling_trace *t)
{
	return t->lost;
}

int64_t trace_unread_losses(const struct scheduling_trace *t)
{
	int64_t all = tracepoint_count_lost(t->rings);

	return all < 0 ? -1 : all > t->lost ? all - t->lost : 0;
}

void trace_close(struct scheduling_trace *t)
{
	if (!t)
		return;
	tracepoint_close_rings(t->rings);
	free(t);
}
