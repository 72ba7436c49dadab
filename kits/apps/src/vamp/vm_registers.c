// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock.h"
#include "vm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES (REGISTERS_BEFORE_NS / REGISTERS_NS + 1)
#define TASK_BITS 0x000ffffffffff000 /* the rest of CR3 are flags and the tag of the TLB */

struct task_time {
	uint64_t task;
	int64_t ns;
};
struct guest_registers {
	size_t vcpus, tasks;
	int64_t n;			  /* samples so far; the last SAMPLES are kept */
	int64_t at_ns[SAMPLES];		  /* when a sample was taken */
	int64_t *before_ns;		  /* of each vCPU: its time at the last sample */
	struct task_time *sample, *order; /* SAMPLES times vcpus each; `order` is for sorting */
	uint64_t *background;		  /* sorted */
};

struct guest_registers *registers_new(size_t vcpus)
{
	struct guest_registers *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->vcpus = vcpus;
	r->before_ns = calloc(vcpus, sizeof(*r->before_ns));
	r->sample = calloc(SAMPLES * vcpus, sizeof(*r->sample));
	r->order = calloc(SAMPLES * vcpus, sizeof(*r->order));
	r->background = calloc(SAMPLES * vcpus, sizeof(*r->background));
	if (r->before_ns && r->sample && r->order && r->background)
		return r;
	registers_free(r);
	return NULL;
}

void registers_free(struct guest_registers *r)
{
	if (!r)
		return;
	free(r->before_ns);
	free(r->sample);
	free(r->order);
	free(r->background);
	free(r);
}

int registers_parse(const char *text, uint64_t *task, size_t n)
{
	for (size_t i = 0; i < n; i++)
		task[i] = UINT64_MAX;
	while ((text = strstr(text, "CPU#"))) {
		unsigned long index = strtoul(text + 4, NULL, 10);
		const char *next = strstr(text + 4, "CPU#"), *value = strstr(text, "CR3=");

		if (value && (!next || value < next) && index < n)
			task[index] = strtoull(value + 4, NULL, 16) & TASK_BITS;
		text += 4;
	}
	for (size_t i = 0; i < n; i++)
		if (task[i] == UINT64_MAX)
			return -EPROTO;
	return 0;
}

void registers_add(struct guest_registers *r, int64_t now_ns, const uint64_t *task, const int64_t *spent_ns)
{
	size_t slot = (size_t)(r->n % SAMPLES);

	r->at_ns[slot] = now_ns;
	for (size_t i = 0; i < r->vcpus; i++) {
		r->sample[slot * r->vcpus + i] = (struct task_time){ task[i], r->n ? spent_ns[i] - r->before_ns[i] : 0 };
		r->before_ns[i] = spent_ns[i];
	}
	r->n++;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task_time *x = a, *y = b;

	return (x->task > y->task) - (x->task < y->task);
}

size_t registers_judge(struct guest_registers *r, int64_t now_ns)
{
	int64_t kept = r->n < SAMPLES ? r->n : SAMPLES, oldest_ns = now_ns, ns = 0;
	size_t n = 0;

	for (int64_t k = 0; k < kept; k++)
		if (now_ns - r->at_ns[k] <= REGISTERS_BEFORE_NS)
			oldest_ns = clock_earlier(oldest_ns, r->at_ns[k]);
	for (int64_t k = 0; k < kept; k++) {
		if (r->at_ns[k] <= oldest_ns) /* too old; or the first, whose time is that before it */
			continue;
		memcpy(r->order + n, r->sample + (size_t)k * r->vcpus, r->vcpus * sizeof(*r->order));
		n += r->vcpus;
	}
	qsort(r->order, n, sizeof(*r->order), compare_tasks);
	r->tasks = 0;
	for (size_t i = 0; i < n; i++) {
		ns += r->order[i].ns;
		if (i + 1 < n && r->order[i + 1].task == r->order[i].task)
			continue;
		if ((double)ns > REGISTERS_THRESHOLD * (double)(now_ns - oldest_ns))
			r->background[r->tasks++] = r->order[i].task;
		ns = 0;
	}
	return r->tasks;
}

bool registers_background(const struct guest_registers *r, size_t vcpu)
{
	uint64_t task = r->n ? r->sample[(size_t)((r->n - 1) % SAMPLES) * r->vcpus + vcpu].task : 0;

	for (size_t i = 0; i < r->tasks; i++)
		if (r->background[i] == task)
			return true;
	return false;
}
