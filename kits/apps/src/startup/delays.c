// SPDX-License-Identifier: GPL-3.0-or-later
#include "delays.h"
#include "array.h"

#include <stdlib.h>

bool delays_plausible(uint64_t ns, int64_t elapsed_ns, int threads)
{
	return elapsed_ns >= 0 && threads > 0 && ns <= (uint64_t)elapsed_ns * (uint64_t)threads;
}

static struct process_delays *ensure_delays(struct all_delays *d, pid_t pid, int64_t began)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->process[i].pid == pid && d->process[i].began == began)
			return &d->process[i];
	if (array_room(&d->process, d->n))
		return NULL;
	d->process[d->n] = (struct process_delays){ .pid = pid, .began = began };
	return &d->process[d->n++];
}

bool delays_add_reading(struct all_delays *d, pid_t pid, int64_t began, int threads, int64_t elapsed_ns,
			const struct delay_reading *reading)
{
	struct process_delays *p = ensure_delays(d, pid, began);
	bool all = true;

	if (!p)
		return false;
	if (threads > p->threads)
		p->threads = threads;
	for (int k = 0; k < DELAY_KINDS; k++) {
		d->readings++;
		if (!delays_plausible(reading->ns[k], elapsed_ns, p->threads)) {
			d->discarded++;
			all = false;
		} else if (reading->ns[k] > p->last.ns[k]) {
			p->last.ns[k] = reading->ns[k];
		}
	}
	return all;
}

void delays_sum(const struct all_delays *d, struct delay_reading *out)
{
	*out = (struct delay_reading){ { 0 } };
	for (size_t i = 0; i < d->n; i++)
		for (int k = 0; k < DELAY_KINDS; k++)
			out->ns[k] += d->process[i].last.ns[k];
}

void delays_free(struct all_delays *d)
{
	free(d->process);
	*d = (struct all_delays){ 0 };
}
