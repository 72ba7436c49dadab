// SPDX-License-Identifier: GPL-3.0-or-later
#include "offsets.h"
#include "clock.h"
#include "memory.h"

const char *const probe_names[PROBES] = { "patch", "wire" };

/* tolerance for packet times, which are converted from another clock; drawing takes longer than this before its first packet is
 * sent */
#define CONVERSION_NS (20 * NS_PER_US)

void offsets_add_train(struct probe_offsets *o, enum probe probe, const struct key_samples *keys, const struct train_traces *t)
{
	for (size_t i = 0; i < keys->n; i++) {
		const struct key_times *k = &keys->key[i];
		const struct trace_app_echo *e = traces_find_echo(t, k->number);
		int64_t sent = k->sent_ns ? k->sent_ns : TRACE_NONE, answer = k->answer_ns ? k->answer_ns : TRACE_NONE,
			value[OFFSETS];

		if (!e || e->received == TRACE_NONE || e->flushed == TRACE_NONE) {
			o->lost++;
			continue;
		}
		if (probe == PROBE_WIRE) {
			const struct trace_wire_key *seen = traces_find_key(t, k->number);
			size_t next;

			sent = seen ? seen->seen : TRACE_NONE;
			next = e->draw == TRACE_NONE ? t->updates : traces_count_updates(t, e->draw - CONVERSION_NS - 1);
			answer = next < t->updates ? t->update[next].first : TRACE_NONE;
		}
		if (sent == TRACE_NONE || answer == TRACE_NONE) {
			o->lost++;
			continue;
		}
		value[THERE] = e->received - sent;
		value[BACK] = answer - e->flushed;
		value[OFFSET] = value[THERE] + value[BACK];
		value[MAGNITUDE] = llabs(value[OFFSET]);
		value[MEASURED] = answer - sent;
		value[INJECTED] = e->flushed - e->received;
		for (int f = 0; f < OFFSETS; f++)
			sample_add(&o->of[f], value[f]);
	}
}

int offsets_tail_percentile(const struct sample *offset)
{
	static const int percent[] = { 99, 95, 90 };

	for (size_t i = 0; i < sizeof(percent) / sizeof(*percent); i++)
		if (sample_supports(offset, percent[i] / 100.0))
			return percent[i];
	return offset->n ? 75 : 0;
}
