// SPDX-License-Identifier: GPL-3.0-or-later
#include "slices.h"
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void slices_init(struct traced_cpu *s, int cpu, int64_t now_ns)
{
	*s = (struct traced_cpu){ .cpu = cpu, .since_ns = now_ns, .running = -1, .cut = true };
}

bool slices_add_record(struct traced_cpu *s, const struct trace_record *r, struct cpu_time_slice *out)
{
	bool known = s->since_ns > 0 && r->kind == TRACE_SWITCH && (s->running < 0 || s->running == r->prev_pid);

	if (known && r->prev_pid > 0) {
		*out = (struct cpu_time_slice){ .start_ns = s->since_ns,
						.ran_ns = r->time_ns - s->since_ns,
						.cpu = s->cpu,
						.pid = r->prev_process,
						.tid = r->prev_here,
						.wanted_more = r->prev_wants,
						.whole = !s->cut };
		memcpy(out->comm, r->prev_comm, sizeof(out->comm));
	}
	if (!known && s->since_ns > 0 && r->kind == TRACE_SWITCH && r->prev_pid > 0) {
		s->beginless++;
		s->beginless_ns += r->time_ns - s->since_ns;
	}
	s->cut = false;
	s->since_ns = 0;
	s->running = -1;
	if (r->kind == TRACE_SWITCH) {
		s->since_ns = r->time_ns;
		s->running = r->next_pid;
		s->here = r->next_here;
		s->process = r->next_process;
		memcpy(s->comm, r->next_comm, sizeof(s->comm));
	}
	return known && r->prev_pid > 0;
}

bool slices_end(struct traced_cpu *s, int64_t now_ns, struct cpu_time_slice *out)
{
	if (!s->since_ns || s->running <= 0)
		return false;
	*out = (struct cpu_time_slice){
		.start_ns = s->since_ns, .ran_ns = now_ns - s->since_ns, .cpu = s->cpu, .pid = s->process, .tid = s->here
	};
	memcpy(out->comm, s->comm, sizeof(out->comm));
	s->since_ns = 0;
	return true;
}

static struct process_slices *find_sums(struct slices_sums *sums, int pid)
{
	for (size_t i = 0; i < sums->n; i++)
		if (sums->process[i].pid == pid)
			return &sums->process[i];
	if (array_room(&sums->process, sums->n))
		return NULL;
	sums->process[sums->n] = (struct process_slices){ .pid = pid };
	return &sums->process[sums->n++];
}

int slices_add(struct slices_sums *sums, const struct cpu_time_slice *s)
{
	struct process_slices *p = find_sums(sums, s->pid);

	if (!p)
		return -ENOMEM;
	memcpy(p->comm, s->comm, sizeof(p->comm));
	p->ran_ns += s->ran_ns;
	p->slices++;
	p->wanted_more += s->wanted_more;
	if (s->whole)
		sample_add(&p->quanta, s->ran_ns);
	return 0;
}

static int compare_run_ns(const void *a, const void *b)
{
	const struct process_slices *p = a, *q = b;

	return p->ran_ns < q->ran_ns ? 1 : p->ran_ns > q->ran_ns ? -1 : 0;
}

void slices_sort(struct slices_sums *sums)
{
	if (sums->n)
		qsort(sums->process, sums->n, sizeof(*sums->process), compare_run_ns);
}

void slices_free(struct slices_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		sample_free(&sums->process[i].quanta);
	free(sums->process);
	*sums = (struct slices_sums){ 0 };
}
