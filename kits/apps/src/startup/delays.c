// SPDX-License-Identifier: GPL-3.0-or-later
#include "delays.h"
#include "array.h"

#include <stdlib.h>

bool is_delay_plausible(uint64_t ns, int64_t elapsed_ns, int threads)
{
	return elapsed_ns >= 0 && threads > 0 && ns <= (uint64_t)elapsed_ns * (uint64_t)threads;
}

static struct delays_of_process *find_or_add_delays_of_process(struct delays_of_all_processes *d, pid_t pid, int64_t began)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->process[i].pid == pid && d->process[i].began == began)
			return &d->process[i];
	if (array_room(&d->process, d->n))
		return NULL;
	d->process[d->n] = (struct delays_of_process){ .pid = pid, .began = began };
	return &d->process[d->n++];
}

bool delays_add_process_reading(struct delays_of_all_processes *d, pid_t pid, int64_t began, int threads, int64_t elapsed_ns,
				const struct delay_reading *reading)
{
	struct delays_of_process *p = find_or_add_delays_of_process(d, pid, began);
	bool all = true;

	if (!p)
		return false;
	if (threads > p->threads)
		p->threads = threads;
	for (int k = 0; k < DELAY_KINDS; k++) {
		d->readings++;
		if (!is_delay_plausible(reading->ns[k], elapsed_ns, p->threads)) {
			d->discarded++;
			all = false;
		} else if (reading->ns[k] > p->last.ns[k]) {
			p->last.ns[k] = reading->ns[k];
		}
	}
	return all;
}

void delays_sum_over_processes(const struct delays_of_all_processes *d, struct delay_reading *out)
{
	*out = (struct delay_reading){ { 0 } };
	for (size_t i = 0; i < d->n; i++)
		for (int k = 0; k < DELAY_KINDS; k++)
			out->ns[k] += d->process[i].last.ns[k];
}

void delays_free(struct delays_of_all_processes *d)
{
	free(d->process);
	*d = (struct delays_of_all_processes){ 0 };
}
