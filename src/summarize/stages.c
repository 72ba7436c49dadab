// SPDX-License-Identifier: GPL-3.0-or-later
#include "stages.h"

#define NUMBER_BITS 0xffffff /* largest number that a patch of pixels shows */

const char *const stage_names[STAGES] = {
	"due_sent", "sent_wire", "wire_app", "app_drawn", "drawn_wire", "wire_wire", "wire_pixels", "latency",
};

void stages_compute_lengths(const struct stage_times *t, int64_t ns[static STAGES])
{
	bool logged = t->app != TRACE_NONE && t->drawn != TRACE_NONE;

	ns[DUE_SENT] = t->sent - t->due;
	ns[SENT_WIRE] = t->wire - t->sent;
	ns[WIRE_APP] = logged ? t->app - t->wire : TRACE_NONE;
	ns[APP_DRAWN] = logged ? t->drawn - t->app : TRACE_NONE;
	ns[DRAWN_WIRE] = logged ? t->reply - t->drawn : TRACE_NONE;
	ns[WIRE_WIRE] = logged ? TRACE_NONE : t->reply - t->wire;
	ns[WIRE_PIXELS] = t->pixels - t->reply;
	ns[LATENCY] = t->pixels - t->due;
}

/* Finds the times of one key at all places. False: some time is not known. */
static bool find_times(const struct key_times *k, const struct train_traces *t, int64_t base, struct stage_times *out)
{
	const struct trace_wire_key *on_wire = traces_find_key(t, k->number);
	const struct trace_screen_update *reply;
	const struct trace_app_echo *echo;

	if (!k->exact || !k->sent_ns || !on_wire || on_wire->seen == TRACE_NONE)
		return false;
	reply = traces_last_update(t, k->answer_ns);
	if (!reply || reply->first < on_wire->seen)
		return false;
	*out = (struct stage_times){ k->due_ns, k->sent_ns, on_wire->seen, TRACE_NONE, TRACE_NONE, reply->first, k->answer_ns };
	if (base < 0 || !t->echoes)
		return true;
	echo = traces_find_echo(t, base + k->number);
	if (!echo || echo->received == TRACE_NONE || echo->flushed == TRACE_NONE)
		return false;
	/* this update began before the answer was drawn: its first packet does not carry the answer */
	if (echo->draw != TRACE_NONE && reply->first < echo->draw)
		return false;
	out->app = echo->received;
	/* an application that is also the display server writes to the link before it logs that it has */
	out->drawn = echo->flushed < reply->first ? echo->flushed : reply->first;
	return true;
}

struct stage_samples stages_split_train(const struct key_samples *keys, const struct train_traces *t, int64_t base)
{
	struct stage_samples out = { .keys = keys->n };

	/* the patch counts modulo 2^24, the log does not */
	if (base >= 0 && t->echoes)
		base += (t->echo[0].number - 1 - base + NUMBER_BITS / 2) / (NUMBER_BITS + 1) * (NUMBER_BITS + 1);
	for (size_t i = 0; i < keys->n; i++) {
		struct stage_times times;
		int64_t ns[STAGES];

		if (!find_times(&keys->key[i], t, base, &times))
			continue;
		stages_compute_lengths(&times, ns);
		for (int s = 0; s < STAGES; s++)
			if (ns[s] != TRACE_NONE)
				sample_add(&out.of[s], ns[s]);
		out.split++;
	}
	return out;
}
