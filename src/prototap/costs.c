// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "clock.h"

#include <math.h>

#define IDLE_LEAST_S 1.0	/* less idle time than this tells nothing of a minute */

static void add_setup_count(struct setup_count *to, const struct setup_count *from)
{
	to->packets += from->packets;
	to->payload_packets += from->payload_packets;
	to->pure_acks += from->pure_acks;
	to->wire_bytes += from->wire_bytes;
	to->payload_bytes += from->payload_bytes;
}

/* A count, or that there is none. */
static void tell_known(struct rec *r, const char *key, bool known, uint64_t n)
{
	rec_count(r, key, known ? (int64_t)n : -1);
}

static void tell_setup(struct rec *r, const struct setup *s)
{
	const struct setup_count *n = s->count[PLACE_SETUP];
	const char *why = setup_why_unknown(s);
	bool known = !why;
	struct setup_count both = n[INPUT];

	add_setup_count(&both, &n[DISPLAY]);
	rec_object(r, "setup");
	rec_real(r, "seconds", known ? (double)(s->end_ns - s->first_ns) / NS_PER_S : NAN, 6);
	rec_str(r, "ended_by", s->begun ? setup_ends[s->ended_by] : setup_ends[SETUP_BEFORE]);
	rec_str(r, "why_unknown", why);
	tell_known(r, "packets", known, both.packets);
	tell_known(r, "wire_bytes", known, both.wire_bytes);
	tell_known(r, "payload_bytes", known, both.payload_bytes);
	tell_known(r, "input_packets", known, n[INPUT].packets);
	tell_known(r, "input_wire_bytes", known, n[INPUT].wire_bytes);
	tell_known(r, "input_payload_bytes", known, n[INPUT].payload_bytes);
	tell_known(r, "display_packets", known, n[DISPLAY].packets);
	tell_known(r, "display_wire_bytes", known, n[DISPLAY].wire_bytes);
	tell_known(r, "display_payload_bytes", known, n[DISPLAY].payload_bytes);
	rec_end(r);
}

static void tell_idle(struct rec *r, const struct setup *s, const struct setup_idle *idle)
{
	double minutes = idle->seconds >= IDLE_LEAST_S ? idle->seconds / 60 : NAN;
	struct setup_count both = idle->count[INPUT];

	add_setup_count(&both, &idle->count[DISPLAY]);
	rec_object(r, "idle");
	rec_real(r, "seconds", idle->seconds, 3);
	rec_str(r, "of", s->typed ? "all but set-up and a second after each key" :
		"all but set-up: nothing tells whether keys were typed");
	rec_real(r, "packets_per_minute", (double)both.packets / minutes, 2);
	rec_real(r, "bytes_per_minute", (double)both.wire_bytes / minutes, 1);
	rec_real(r, "input_bytes_per_minute", (double)idle->count[INPUT].wire_bytes / minutes, 1);
	rec_real(r, "display_bytes_per_minute", (double)idle->count[DISPLAY].wire_bytes / minutes, 1);
	rec_real(r, "payload_bytes_per_minute", (double)both.payload_bytes / minutes, 1);
	rec_end(r);
}

static void tell_key_channel(struct rec *r, const char *name, const struct setup_count *n, double keys)
{
	rec_object(r, name);
	rec_real(r, "packets", (double)n->packets / keys, 3);
	rec_real(r, "payload_packets", (double)n->payload_packets / keys, 3);
	rec_real(r, "pure_acks", (double)n->pure_acks / keys, 3);
	rec_real(r, "wire_bytes", (double)n->wire_bytes / keys, 3);
	rec_real(r, "payload_bytes", (double)n->payload_bytes / keys, 3);
	rec_end(r);
}

/* Nothing is taken off for what would have come without a key; how much that may be stands beside it. */
static void tell_per_key(struct rec *r, const struct setup *s, const struct setup_idle *idle, int64_t from_ns, int64_t to_ns)
{
	struct setup_count beside = idle->count[INPUT];
	struct setup_keys keys;
	double n, share;

	setup_keys(s, from_ns, to_ns, &keys);
	add_setup_count(&beside, &idle->count[DISPLAY]);
	n = keys.keys ? (double)keys.keys : NAN;
	share = idle->seconds >= IDLE_LEAST_S ? keys.seconds / idle->seconds / n : NAN;
	rec_object(r, "per_key");
	rec_int(r, "keys", (int64_t)keys.keys);
	rec_real(r, "seconds", keys.seconds / n, 6);
	tell_key_channel(r, "input", &s->count[PLACE_KEYS][INPUT], n);
	tell_key_channel(r, "display", &s->count[PLACE_KEYS][DISPLAY], n);
	rec_real(r, "unsolicited_packets", (double)beside.packets * share, 3);
	rec_real(r, "unsolicited_wire_bytes", (double)beside.wire_bytes * share, 3);
	rec_end(r);
}

static void tell_acks(struct rec *r, const char *name, const struct channel_count *n)
{
	rec_object(r, name);
	rec_int(r, "pure", (int64_t)n->pure_acks);
	rec_int(r, "fresh", (int64_t)n->fresh_acks);
	rec_int(r, "delayed", (int64_t)n->delayed_acks);
	rec_int(r, "wire_bytes", (int64_t)n->ack_wire_bytes);
	rec_end(r);
}

void costs_tell(struct rec *r, const struct meter *m, int64_t from_ns, int64_t to_ns)
{
	struct setup_idle idle;

	setup_idle(&m->setup, from_ns, to_ns, &idle);
	tell_setup(r, &m->setup);
	tell_idle(r, &m->setup, &idle);
	if (m->setup.typed)
		tell_per_key(r, &m->setup, &idle, from_ns, to_ns);
	rec_object(r, "acks");
	rec_int(r, "pure", (int64_t)(m->sum[INPUT].pure_acks + m->sum[DISPLAY].pure_acks));
	rec_int(r, "fresh", (int64_t)(m->sum[INPUT].fresh_acks + m->sum[DISPLAY].fresh_acks));
	rec_int(r, "delayed", (int64_t)(m->sum[INPUT].delayed_acks + m->sum[DISPLAY].delayed_acks));
	tell_acks(r, "input", &m->sum[INPUT]);
	tell_acks(r, "display", &m->sum[DISPLAY]);
	rec_end(r);
}
