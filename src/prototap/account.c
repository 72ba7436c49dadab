// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "say.h"

#include <math.h>
#include <string.h>

#define IPV4_HEADER 20
#define MERGE_TOLERANCE 0.05 /* difference of update counts above which they depend on --merge */
#define HOLDS_SAID 10	     /* fewer waits for acknowledgements are in no text */
#define IDLE_LEAST_S 1.0     /* idle time below which there are no figures per minute */

double share_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static double divide_counts(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

static double milliseconds(double ns)
{
	return ns / NS_PER_MS;
}

void report_counters(struct rec_report *r, const struct report_counter *counts, size_t n, const void *from)
{
	for (size_t i = 0; i < n; i++)
		rec_add_int(r, counts[i].key, (int64_t) * (const uint64_t *)((const char *)from + counts[i].at));
}

#define CHANNEL(member) COUNTER_FIELD(#member, struct channel_counts, member)
static const struct report_counter carried[] = { CHANNEL(packets), CHANNEL(wire_bytes), CHANNEL(ip_bytes), CHANNEL(payload_bytes),
						 CHANNEL(messages) };

static void report_channel(struct rec_report *r, const char *key, const struct channel_counts *n)
{
	static const struct report_counter losses[] = { CHANNEL(retransmitted_packets), CHANNEL(retransmitted_bytes),
							CHANNEL(lost_before_packets),	CHANNEL(out_of_order_packets),
							CHANNEL(missing_bytes),		CHANNEL(holes) };

	rec_begin_object(r, key);
	REPORT_COUNTERS(r, carried, n);
	rec_add_real(r, "mean_message_bytes", divide_counts(n->payload_bytes, n->messages), 2);
	rec_add_real(r, "mean_message_ip_bytes", divide_counts(n->ip_bytes, n->messages), 2);
	REPORT_COUNTERS(r, losses, n);
	rec_end(r);
}

static const char *flow_end_text(const struct flow *f)
{
	if (f->reset)
		return "reset";
	if (flow_has_ended(f))
		return "closed";
	if (f->evicted)
		return "given up: the flow table was full";
	return f->key.transport == TRANSPORT_UDP ? NULL : "open";
}

static void report_flow(struct rec_report *r, const struct flow *f, int64_t capture_start_ns)
{
	struct channel_counts both = f->count[INPUT];
	char text[FLOW_ADDRESS];
	int server = f->server;

	counters_add(&both, &f->count[DISPLAY], sizeof(both));
	rec_begin_object(r, NULL);
	rec_add_str(r, "transport", f->key.transport == TRANSPORT_UDP ? "udp" : "tcp");
	rec_add_str(r, "client", flow_address(&f->key, 1 - server, text));
	rec_add_int(r, "client_port", f->key.port[1 - server]);
	rec_add_str(r, "server", flow_address(&f->key, server, text));
	rec_add_int(r, "server_port", f->key.port[server]);
	rec_add_str(r, "server_by", server_by_names[f->server_clue]);
	rec_add_int(r, "start_ns", f->start_ns);
	rec_add_real(r, "from_s", (double)(f->start_ns - capture_start_ns) / NS_PER_S, 6);
	rec_add_real(r, "duration_s", (double)(f->last_ns - f->start_ns) / NS_PER_S, 6);
	/* UDP has no beginning that could be seen. */
	rec_add_str(r, "began",
		    f->key.transport == TRANSPORT_UDP	   ? NULL
		    : f->begun[INPUT] || f->begun[DISPLAY] ? "in the capture"
							   : "before");
	rec_add_str(r, "ended", flow_end_text(f));
	REPORT_COUNTERS(r, carried, &both);
	report_channel(r, "input", &f->count[INPUT]);
	report_channel(r, "display", &f->count[DISPLAY]);
	rec_end(r);
}

/* What the bytes on the wire consist of, retransmissions included; what is missing to 100 % is the padding of short frames. */
static void report_headers(struct rec_report *r, const struct channel_counts *n, uint64_t tls_bytes)
{
	static const struct report_counter headers[] = {
		COUNTER_FIELD("ethernet_header_bytes", struct channel_counts, link_header_bytes),
		CHANNEL(ip_header_bytes),
		CHANNEL(tcp_header_bytes),
		CHANNEL(udp_header_bytes),
	};
	uint64_t transport = n->tcp_header_bytes + n->udp_header_bytes;
	const struct {
		const char *key;
		uint64_t bytes;
	} shares[] = {
		{ "ethernet_percent", n->link_header_bytes },
		{ "ip_percent", n->ip_header_bytes },
		{ "transport_percent", transport },
		{ "tcp_percent", n->tcp_header_bytes },
		{ "udp_percent", n->udp_header_bytes },
		{ "tls_percent", tls_bytes }, /* TLS is part of the payload */
		{ "payload_percent", n->ip_bytes - n->ip_header_bytes - transport },
	};

	rec_begin_object(r, "headers");
	REPORT_COUNTERS(r, headers, n);
	rec_add_int(r, "padding_bytes", (int64_t)(n->wire_bytes - n->link_header_bytes - n->ip_bytes));
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		rec_add_real(r, shares[i].key, share_percent(shares[i].bytes, n->wire_bytes), 3);
	rec_add_real(r, "vip_saving_percent", share_percent(IPV4_HEADER * n->ipv4_packets, n->ipv4_bytes), 3);
	rec_end(r);
}

static void report_session(struct rec_report *r, const struct capture_meter *m, uint64_t wire_bytes)
{
	const struct session_phases *s = &m->setup;
	double after_s = (double)(s->last_ns - s->end_ns) / NS_PER_S;
	uint64_t setup = s->count[PLACE_SETUP][INPUT].wire_bytes + s->count[PLACE_SETUP][DISPLAY].wire_bytes;
	const char *why = session_why_unknown(s);

	rec_begin_object(r, "session");
	rec_add_real(r, "duration_s", (double)(s->last_ns - s->first_ns) / NS_PER_S, 6);
	rec_add_known_int(r, "setup_wire_bytes", !why, (int64_t)setup);
	rec_add_real(r, "setup_s", why ? NAN : (double)(s->end_ns - s->first_ns) / NS_PER_S, 6);
	rec_add_str(r, "setup_why_unknown", why);
	rec_add_real(r, "after_setup_wire_bytes_per_minute",
		     s->over && after_s > 0 ? (double)(wire_bytes - setup) / after_s * 60 : NAN, 1);
	rec_end(r);
}

static void report_updates(struct rec_report *r, struct capture_meter *m)
{
	const struct update_series *u = &m->update[0];
	bool differ = false;

	rec_begin_object(r, "updates");
	rec_add_int(r, "count", (int64_t)update_count_all(u));
	rec_add_real(r, "merge_ms", milliseconds((double)u->merge_ns), 3);
	rec_add_sample(r, "interarrival_ms", &m->gaps, NS_PER_MS);
	if (u->gaps.n > m->gaps.n) /* the percentiles are of a random choice among this many gaps */
		rec_add_int(r, "interarrival_of", (int64_t)u->gaps.n);
	rec_begin_array(r, "other_merges");
	for (int i = 1; i < MERGES; i++) {
		const struct update_series *o = &m->update[i];

		rec_begin_object(r, NULL);
		rec_add_real(r, "merge_ms", milliseconds((double)o->merge_ns), 3);
		rec_add_int(r, "count", (int64_t)update_count_all(o));
		rec_add_real(r, "mean_interarrival_ms", o->gaps.n ? milliseconds(o->gaps.mean) : NAN, 3);
		rec_add_real(r, "jitter_sd_ms", milliseconds(sqrt(gaps_variance(&o->gaps))), 3);
		rec_end(r);
		if (fabs((double)update_count_all(o) - (double)update_count_all(u)) > MERGE_TOLERANCE * (double)update_count_all(u))
			differ = true;
	}
	rec_end(r);
	rec_add_bool(r, "depends_on_merge", differ);
	rec_begin_object(r, "pauses_within");
	rec_add_ints(r, { "messages", (int64_t)m->went_on[MORE_MESSAGE] },
		     { "held_senders", (int64_t)(m->went_on[MORE_UNPUSHED] + m->went_on[MORE_FULL]) });
	rec_end(r);
	rec_end(r);
}

/* The gap that is open at the end is a lower bound: it counts where it is a stall, and is the largest where no other is longer. */
static void report_stalls(struct rec_report *r, const struct capture_meter *m)
{
	const struct update_series *u = &m->update[0];
	const struct update_gaps *g = &u->gaps;
	int64_t open = meter_open_gap(m), largest = open > g->max ? open : g->max;
	double variance = gaps_variance(g);

	rec_add_real(r, "largest_gap_ms", largest ? milliseconds((double)largest) : NAN, 3);
	rec_add_bool(r, "largest_gap_is_least", open > g->max);
	rec_begin_object(r, "stalls");
	rec_add_real(r, "period_ms", milliseconds((double)u->period_ns), 3);
	rec_add_int(r, "intervals", (int64_t)g->n);
	rec_add_int(r, "count", (int64_t)g->stalls + (open > 0));
	rec_add_real(r, "mean_ms", g->n ? milliseconds(g->mean - (double)u->period_ns) : NAN, 3);
	rec_add_real(r, "mean_positive_ms", g->n ? milliseconds(g->stalls_sum / (double)g->n) : NAN, 3);
	rec_add_real(r, "max_ms", largest ? milliseconds((double)(largest - u->period_ns)) : NAN, 3);
	rec_add_real(r, "open_ms", open ? milliseconds((double)open) : NAN, 3);
	rec_add_known_int(r, "open_inputs", open > 0, (int64_t)m->open_inputs);
	rec_add_real(r, "jitter_sd_ms", milliseconds(sqrt(variance)), 3);
	rec_add_real(r, "jitter_variance_ms2", variance / NS_PER_MS / NS_PER_MS, 6);
	rec_end(r);
}

void report_traffic(struct rec_report *r, struct capture_meter *m)
{
	struct channel_counts total = m->sum[INPUT];

	counters_add(&total, &m->sum[DISPLAY], sizeof(total));
	rec_add_int(r, "flows_total", (int64_t)m->flows);
	rec_begin_array(r, "flows");
	report_flow(r, &(struct flow){ 0 }, 0);
	rec_set_header(r);
	for (uint32_t i = 0; i < m->top.n; i++)
		report_flow(r, &m->top.flow[i], m->first_ns);
	rec_end(r);
	rec_begin_object(r, "channels");
	report_channel(r, "input", &m->sum[INPUT]);
	report_channel(r, "display", &m->sum[DISPLAY]);
	report_channel(r, "total", &total);
	rec_end(r);
	report_headers(r, &total, payload_tls_overhead(&m->contents));
	report_session(r, m, total.wire_bytes);
	report_updates(r, m);
	report_stalls(r, m);
}

/* --- set-up, idle time, keys and acknowledgements --- */

static void report_setup(struct rec_report *r, const struct session_phases *s)
{
	const struct phase_counts *n = s->count[PLACE_SETUP];
	const char *why = session_why_unknown(s);
	struct phase_counts both = n[INPUT];
	const struct {
		const char *keys[3];
		const struct phase_counts *n;
	} channels[] = {
		{ { "packets", "wire_bytes", "payload_bytes" }, &both },
		{ { "input_packets", "input_wire_bytes", "input_payload_bytes" }, &n[INPUT] },
		{ { "display_packets", "display_wire_bytes", "display_payload_bytes" }, &n[DISPLAY] },
	};

	counters_add(&both, &n[DISPLAY], sizeof(both));
	rec_begin_object(r, "setup");
	rec_add_real(r, "seconds", why ? NAN : (double)(s->end_ns - s->first_ns) / NS_PER_S, 6);
	rec_add_str(r, "ended_by", s->begun ? setup_ends[s->ended_by] : setup_ends[SETUP_BEFORE]);
	rec_add_str(r, "why_unknown", why);
	for (size_t i = 0; i < sizeof(channels) / sizeof(*channels); i++) {
		rec_add_known_int(r, channels[i].keys[0], !why, (int64_t)channels[i].n->packets);
		rec_add_known_int(r, channels[i].keys[1], !why, (int64_t)channels[i].n->wire_bytes);
		rec_add_known_int(r, channels[i].keys[2], !why, (int64_t)channels[i].n->payload_bytes);
	}
	rec_end(r);
}

static void report_idle(struct rec_report *r, const struct session_phases *s, const struct idle_traffic *idle)
{
	double minutes = idle->seconds >= IDLE_LEAST_S ? idle->seconds / 60 : NAN;
	struct phase_counts both = idle->count[INPUT];

	counters_add(&both, &idle->count[DISPLAY], sizeof(both));
	rec_begin_object(r, "idle");
	rec_add_real(r, "seconds", idle->seconds, 3);
	rec_add_str(r, "of",
		    s->typed ? "all but set-up and a second after each key"
			     : "all but set-up: nothing tells whether keys were typed");
	rec_add_real(r, "packets_per_minute", (double)both.packets / minutes, 2);
	rec_add_real(r, "bytes_per_minute", (double)both.wire_bytes / minutes, 1);
	rec_add_real(r, "input_bytes_per_minute", (double)idle->count[INPUT].wire_bytes / minutes, 1);
	rec_add_real(r, "display_bytes_per_minute", (double)idle->count[DISPLAY].wire_bytes / minutes, 1);
	rec_add_real(r, "payload_bytes_per_minute", (double)both.payload_bytes / minutes, 1);
	rec_end(r);
}

static void report_key_channel(struct rec_report *r, const char *name, const struct phase_counts *n, double keys)
{
	rec_begin_object(r, name);
	rec_add_reals(r, { "packets", (double)n->packets / keys, 3 }, { "payload_packets", (double)n->payload_packets / keys, 3 },
		      { "pure_acks", (double)n->pure_acks / keys, 3 }, { "wire_bytes", (double)n->wire_bytes / keys, 3 },
		      { "payload_bytes", (double)n->payload_bytes / keys, 3 });
	rec_end(r);
}

/* Unsolicited traffic is not subtracted; its share at the rate of idle time is reported beside it. */
static void report_key_traffic(struct rec_report *r, const struct session_phases *s, const struct idle_traffic *idle,
			       int64_t from_ns, int64_t to_ns)
{
	struct phase_counts both = idle->count[INPUT];
	struct key_time_total keys;
	double n, share;

	session_sum_keys(s, from_ns, to_ns, &keys);
	counters_add(&both, &idle->count[DISPLAY], sizeof(both));
	n = keys.keys ? (double)keys.keys : NAN;
	share = idle->seconds >= IDLE_LEAST_S ? keys.seconds / idle->seconds / n : NAN;
	rec_begin_object(r, "per_key");
	rec_add_int(r, "keys", (int64_t)keys.keys);
	rec_add_real(r, "seconds", keys.seconds / n, 6);
	report_key_channel(r, "input", &s->count[PLACE_KEYS][INPUT], n);
	report_key_channel(r, "display", &s->count[PLACE_KEYS][DISPLAY], n);
	rec_add_real(r, "unsolicited_packets", (double)both.packets * share, 3);
	rec_add_real(r, "unsolicited_wire_bytes", (double)both.wire_bytes * share, 3);
	rec_end(r);
}

void report_phases(struct rec_report *r, const struct capture_meter *m, int64_t from_ns, int64_t to_ns)
{
	/* The last counter is not added up over both channels. */
	static const struct report_counter acks[] = {
		COUNTER_FIELD("pure", struct channel_counts, pure_acks),
		COUNTER_FIELD("fresh", struct channel_counts, fresh_acks),
		COUNTER_FIELD("delayed", struct channel_counts, delayed_acks),
		COUNTER_FIELD("wire_bytes", struct channel_counts, ack_wire_bytes),
	};
	static const char *const channels[CHANNELS] = { "input", "display" };
	struct channel_counts total = m->sum[INPUT];
	struct idle_traffic idle;

	counters_add(&total, &m->sum[DISPLAY], sizeof(total));
	session_sum_idle(&m->setup, from_ns, to_ns, &idle);
	report_setup(r, &m->setup);
	report_idle(r, &m->setup, &idle);
	if (m->setup.typed)
		report_key_traffic(r, &m->setup, &idle, from_ns, to_ns);
	rec_begin_object(r, "acks");
	report_counters(r, acks, 3, &total);
	for (int c = 0; c < CHANNELS; c++) {
		rec_begin_object(r, channels[c]);
		REPORT_COUNTERS(r, acks, &m->sum[c]);
		rec_end(r);
	}
	rec_end(r);
}

void report_holds(struct rec_report *r, const struct capture_meter *m)
{
	static const struct report_counter holds[] = { CHANNEL(zero_windows),	CHANNEL(closed_ns),	    CHANNEL(window_waits),
						       CHANNEL(window_wait_ns), CHANNEL(window_wait_bytes), CHANNEL(delayed_rests),
						       CHANNEL(delayed_rest_ns) };

	rec_begin_object(r, "holds");
	for (int c = 0; c < CHANNELS; c++) {
		rec_begin_object(r, c == INPUT ? "input" : "display");
		REPORT_COUNTERS(r, holds, &m->sum[c]);
		rec_end(r);
	}
	rec_end(r);
}

void say_holds(struct rec_report *r, const struct capture_meter *m)
{
	static const char *const side[CHANNELS] = { "client", "server" };

	for (int c = CHANNELS - 1; c >= 0; c--) {
		const struct channel_counts *n = &m->sum[c];

		if (n->zero_windows)
			rec_say(r, "the %s's window was closed for %s (zero windows: %s)", side[1 - c],
				ns_text((double)n->closed_ns), count_text((int64_t)n->zero_windows));
		if (n->window_waits >= HOLDS_SAID)
			rec_say(r, "the %s sent %s a round trip, and waited: %s, %s each", side[c],
				bytes_text((double)n->window_wait_bytes / (double)n->window_waits),
				counted_text((int64_t)n->window_waits, "time"),
				ns_text((double)n->window_wait_ns / (double)n->window_waits));
		if (n->delayed_rests >= HOLDS_SAID)
			rec_say(r, "delayed acknowledgements held the %s up %s, %s each (TCP_NODELAY)", side[c],
				counted_text((int64_t)n->delayed_rests, "time"),
				ns_text((double)n->delayed_rest_ns / (double)n->delayed_rests));
	}
}
