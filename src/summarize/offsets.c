// SPDX-License-Identifier: GPL-3.0-or-later
#include "offsets.h"
#include "clock.h"

#include <stdlib.h>

const char *const probe_names[PROBES] = { "patch", "wire" };

/* Packet times are converted from another clock; a drawing takes longer than that can be off before its first packet is out. */
#define CONVERSION_NS (20 * NS_PER_US)

static int64_t update_from(const struct traces *t, int64_t since)
{
	for (size_t i = 0; i < t->updates; i++)
		if (t->update[i].first >= since)
			return t->update[i].first;
	return TRACE_NONE;
}

void offsets_add(struct offsets *o, enum probe probe, const struct keys *keys, const struct traces *t)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct key *k = &keys->key[i];
		const struct trace_echo *e = traces_echo(t, k->number);
		int64_t sent = k->sent, answer = k->answer, there, back;

		if (!e || e->received == TRACE_NONE || e->flushed == TRACE_NONE) {
			o->lost++;
			continue;
		}
		if (probe == PROBE_WIRE) {
			const struct trace_key *seen = traces_key(t, k->number);

			sent = seen ? seen->seen : TRACE_NONE;
			answer = e->draw == TRACE_NONE ? TRACE_NONE : update_from(t, e->draw - CONVERSION_NS);
		}
		if (sent == TRACE_NONE || answer == TRACE_NONE) {
			o->lost++;
			continue;
		}
		there = e->received - sent;
		back = answer - e->flushed;
		sample_add(&o->there, there);
		sample_add(&o->back, back);
		sample_add(&o->offset, there + back);
		sample_add(&o->magnitude, llabs(there + back));
		sample_add(&o->measured, answer - sent);
		sample_add(&o->injected, e->flushed - e->received);
	}
}

void offsets_free(struct offsets *o)
{
	sample_free(&o->offset);
	sample_free(&o->magnitude);
	sample_free(&o->measured);
	sample_free(&o->injected);
	sample_free(&o->there);
	sample_free(&o->back);
	*o = (struct offsets){ 0 };
}

int offsets_tail(const struct offsets *o)
{
	static const int percent[] = { 99, 95, 90 };

	for (size_t i = 0; i < sizeof(percent) / sizeof(*percent); i++)
		if (sample_supports(&o->offset, percent[i] / 100.0))
			return percent[i];
	return o->offset.n ? 75 : 0;
}
