// SPDX-License-Identifier: GPL-3.0-or-later
#include "setup.h"

#include <math.h>
#include <string.h>

const char *const setup_ends[] = { "the end of the capture", "a second of silence", "the first key", "it is not in the capture" };

static int64_t key_typed_ns(const struct key_log *t, size_t i)
{
	return t->key[i].sent_ns ? t->key[i].sent_ns : t->key[i].due_ns;
}

/* Time during which traffic counts as that of key `i`. */
static int64_t key_duration_ns(const struct key_log *t, size_t i)
{
	int64_t until = i + 1 < t->n ? key_typed_ns(t, i + 1) - key_typed_ns(t, i) : SETUP_KEY_NS;

	return until < 0 ? 0 : until < SETUP_KEY_NS ? until : SETUP_KEY_NS;
}

static enum setup_place find_key_phase(struct session_phases *s, int64_t time_ns)
{
	const struct key_log *t = s->typed;
	int64_t now = key_log_convert(t, time_ns);

	while (s->key < t->n && key_typed_ns(t, s->key) <= now)
		s->key++;
	if (!s->key || now - key_typed_ns(t, s->key - 1) >= SETUP_KEY_NS)
		return PLACE_IDLE;
	return t->key[s->key - 1].skipped ? PLACE_WARM_UP : PLACE_KEYS;
}

static void end_setup(struct session_phases *s, enum setup_end by)
{
	s->over = true;
	s->ended_by = by;
}

void session_turn_channels(struct session_phases *s, const struct channel_counts *sent)
{
	for (int c = 0; c < CHANNELS && s->place == PLACE_SETUP; c++) {
		s->count[PLACE_SETUP][c].packets += sent[1 - c].packets - sent[c].packets;
		s->count[PLACE_SETUP][c].pure_acks += sent[1 - c].pure_acks - sent[c].pure_acks;
		s->count[PLACE_SETUP][c].wire_bytes += sent[1 - c].wire_bytes - sent[c].wire_bytes;
	}
}

static enum setup_place find_phase(struct session_phases *s, const struct segment *segment, int64_t time_ns)
{
	enum setup_place place = s->typed ? find_key_phase(s, time_ns) : PLACE_IDLE;

	if (!s->begun) {
		s->begun = true;
		s->first_ns = s->end_ns = s->last_ns = time_ns;
		if (segment->transport == TRANSPORT_TCP && !(segment->flags & TCP_SYN))
			end_setup(s, SETUP_BEFORE);
	} else if (!s->over && time_ns - s->last_ns >= SETUP_SILENCE_NS) {
		end_setup(s, SETUP_SILENCE);
	}
	if (!s->over && s->key)
		end_setup(s, SETUP_KEY);
	if (s->over)
		return place;
	s->end_ns = time_ns > s->end_ns ? time_ns : s->end_ns;
	return PLACE_SETUP;
}

/* Idle time ends when the last connection begins to close. A new connection or data shows that it was not the last. */
static void detect_close(struct session_phases *s, const struct segment *segment, int64_t time_ns)
{
	if (segment->flags & (TCP_FIN | TCP_RST)) {
		if (s->open)
			return;
		if (!s->closing) {
			memcpy(s->before, s->count[PLACE_IDLE], sizeof(s->before));
			s->closing_ns = time_ns;
		}
		s->closing = true;
	} else if (segment->payload_bytes || segment->flags & TCP_SYN) {
		s->closing = false;
	}
}

void session_count_packet(struct session_phases *s, int channel, const struct segment *segment, bool pure_ack, int64_t time_ns)
{
	struct phase_counts *n;

	s->place = find_phase(s, segment, time_ns);
	s->last_ns = time_ns > s->last_ns ? time_ns : s->last_ns;
	detect_close(s, segment, time_ns);
	n = &s->count[s->place][channel];
	n->packets++;
	n->payload_packets += segment->payload_bytes > 0;
	n->pure_acks += pure_ack;
	n->wire_bytes += segment->wire_bytes;
}

void session_count_payload(struct session_phases *s, int channel, uint64_t bytes)
{
	s->count[s->place][channel].payload_bytes += bytes;
}

void session_end_setup(struct session_phases *s, int64_t to_ns)
{
	if (s->begun && !s->over && to_ns - s->last_ns >= SETUP_SILENCE_NS)
		end_setup(s, SETUP_SILENCE);
}

const char *session_why_unknown(const struct session_phases *s)
{
	if (!s->begun || s->ended_by == SETUP_BEFORE)
		return "the capture has no packet that opens the session";
	return s->over ? NULL : "no second without a packet, and no key, ended the set-up";
}

/* Length of the part of [at, at + length) within [from, to). */
static int64_t overlap_ns(int64_t at, int64_t length, int64_t from, int64_t to)
{
	int64_t end = at + length < to ? at + length : to;

	at = at > from ? at : from;
	return end > at ? end - at : 0;
}

void session_sum_keys(const struct session_phases *s, int64_t from_ns, int64_t to_ns, struct key_time_total *out)
{
	const struct key_log *t = s->typed;
	int64_t from = t ? key_log_convert(t, from_ns) : 0, to = t ? key_log_convert(t, to_ns) : 0;

	*out = (struct key_time_total){ 0 };
	for (size_t i = 0; t && i < t->n; i++) {
		if (t->key[i].skipped || key_typed_ns(t, i) < from || key_typed_ns(t, i) > to)
			continue;
		out->keys++;
		out->seconds += (double)overlap_ns(key_typed_ns(t, i), key_duration_ns(t, i), from, to) / NS_PER_S;
	}
}

void session_sum_idle(const struct session_phases *s, int64_t from_ns, int64_t to_ns, struct idle_traffic *out)
{
	const struct key_log *t = s->typed;
	int64_t from, to = s->closing ? s->closing_ns : to_ns, idle;

	memcpy(out->count, s->closing ? s->before : s->count[PLACE_IDLE], sizeof(out->count));
	out->seconds = NAN;
	if (s->begun && !s->over)
		return;
	/* Without packets, or with a session set up before the capture, idle time begins with the capture. */
	from = s->begun && s->ended_by != SETUP_BEFORE ? s->end_ns : from_ns;
	idle = to > from ? to - from : 0;
	if (t) {
		int64_t begin = key_log_convert(t, from);

		for (size_t i = 0; i < t->n; i++)
			idle -= overlap_ns(key_typed_ns(t, i), key_duration_ns(t, i), begin, begin + (to > from ? to - from : 0));
	}
	out->seconds = (double)idle / NS_PER_S;
}
