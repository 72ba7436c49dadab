// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"
#include "clock.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define IPV4_HEADER 20
#define MERGE_TOLERANCE 0.05

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static double ratio_of(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

static double to_ms(double ns)
{
	return ns / NS_PER_MS;
}

static void tell_channel(struct rec *r, const char *key, const struct channel_count *n)
{
	rec_object(r, key);
	rec_int(r, "packets", (int64_t)n->packets);
	rec_int(r, "wire_bytes", (int64_t)n->wire_bytes);
	rec_int(r, "ip_bytes", (int64_t)n->ip_bytes);
	rec_int(r, "payload_bytes", (int64_t)n->payload_bytes);
	rec_int(r, "messages", (int64_t)n->messages);
	rec_real(r, "mean_message_bytes", ratio_of(n->payload_bytes, n->messages), 2);
	rec_real(r, "mean_message_ip_bytes", ratio_of(n->ip_bytes, n->messages), 2);
	rec_int(r, "retransmitted_packets", (int64_t)n->retransmitted_packets);
	rec_int(r, "retransmitted_bytes", (int64_t)n->retransmitted_bytes);
	rec_int(r, "out_of_order_packets", (int64_t)n->out_of_order_packets);
	rec_int(r, "missing_bytes", (int64_t)n->missing_bytes);
	rec_end(r);
}

static const char *address(const uint8_t *bytes, char *text, size_t size)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	if (!memcmp(bytes, prefix, sizeof(prefix)))
		return inet_ntop(AF_INET, bytes + 12, text, (socklen_t)size);
	return inet_ntop(AF_INET6, bytes, text, (socklen_t)size);
}

/* NULL where nobody can tell: UDP has no word for begin and end. */
static const char *began(const struct flow *f)
{
	if (f->key.transport == TRANSPORT_UDP)
		return NULL;
	return f->begun[INPUT] || f->begun[DISPLAY] ? "in the capture" : "before";
}

static const char *how_ended(const struct flow *f)
{
	if (f->reset)
		return "reset";
	if (flow_ended(f))
		return "closed";
	if (f->evicted)
		return "given up: the flow table was full";
	return f->key.transport == TRANSPORT_UDP ? NULL : "open";
}

static void tell_flow(struct rec *r, const struct flow *f, int64_t capture_ns)
{
	struct channel_count both = f->count[INPUT];
	char text[INET6_ADDRSTRLEN];
	int server = f->server;

	channel_add(&both, &f->count[DISPLAY]);
	rec_object(r, NULL);
	rec_str(r, "transport", f->key.transport == TRANSPORT_UDP ? "udp" : "tcp");
	rec_str(r, "client", address(f->key.address[1 - server], text, sizeof(text)));
	rec_int(r, "client_port", f->key.port[1 - server]);
	rec_str(r, "server", address(f->key.address[server], text, sizeof(text)));
	rec_int(r, "server_port", f->key.port[server]);
	rec_str(r, "server_by", server_by_names[f->server_by]);
	rec_int(r, "start_ns", f->start_ns);
	rec_real(r, "from_s", (double)(f->start_ns - capture_ns) / NS_PER_S, 6);
	rec_real(r, "duration_s", (double)(f->last_ns - f->start_ns) / NS_PER_S, 6);
	rec_str(r, "began", began(f));
	rec_str(r, "ended", how_ended(f));
	rec_int(r, "packets", (int64_t)both.packets);
	rec_int(r, "wire_bytes", (int64_t)both.wire_bytes);
	rec_int(r, "ip_bytes", (int64_t)both.ip_bytes);
	rec_int(r, "payload_bytes", (int64_t)both.payload_bytes);
	rec_int(r, "messages", (int64_t)both.messages);
	tell_channel(r, "input", &f->count[INPUT]);
	tell_channel(r, "display", &f->count[DISPLAY]);
	rec_end(r);
}

/* Where the bytes on the wire go, retransmissions included; what is left over 100 % is padding of short frames. */
static void tell_headers(struct rec *r, const struct channel_count *n, uint64_t tls_bytes)
{
	uint64_t carried = n->ip_bytes - n->ip_header_bytes - n->tcp_header_bytes - n->udp_header_bytes;

	rec_object(r, "headers");
	rec_int(r, "ethernet_header_bytes", (int64_t)n->link_header_bytes);
	rec_int(r, "ip_header_bytes", (int64_t)n->ip_header_bytes);
	rec_int(r, "tcp_header_bytes", (int64_t)n->tcp_header_bytes);
	rec_int(r, "udp_header_bytes", (int64_t)n->udp_header_bytes);
	rec_int(r, "padding_bytes", (int64_t)(n->wire_bytes - n->link_header_bytes - n->ip_bytes));
	rec_real(r, "ethernet_percent", percent_of(n->link_header_bytes, n->wire_bytes), 3);
	rec_real(r, "ip_percent", percent_of(n->ip_header_bytes, n->wire_bytes), 3);
	rec_real(r, "transport_percent", percent_of(n->tcp_header_bytes + n->udp_header_bytes, n->wire_bytes), 3);
	rec_real(r, "tcp_percent", percent_of(n->tcp_header_bytes, n->wire_bytes), 3);
	rec_real(r, "udp_percent", percent_of(n->udp_header_bytes, n->wire_bytes), 3);
	rec_real(r, "tls_percent", percent_of(tls_bytes, n->wire_bytes), 3);	/* part of the payload */
	rec_real(r, "payload_percent", percent_of(carried, n->wire_bytes), 3);
	rec_real(r, "vip_saving_percent", percent_of(IPV4_HEADER * n->ipv4_packets, n->ipv4_bytes), 3);
	rec_end(r);
}

static void tell_session(struct rec *r, const struct meter *m, uint64_t wire_bytes)
{
	const struct setup *s = &m->setup;
	double after_s = (double)(s->last_ns - s->end_ns) / NS_PER_S;
	uint64_t setup = s->count[PLACE_SETUP][INPUT].wire_bytes + s->count[PLACE_SETUP][DISPLAY].wire_bytes;

	const char *why = setup_why_unknown(s);

	rec_object(r, "session");
	rec_real(r, "duration_s", (double)(s->last_ns - s->first_ns) / NS_PER_S, 6);
	rec_count(r, "setup_wire_bytes", why ? -1 : (int64_t)setup);
	rec_real(r, "setup_s", why ? NAN : (double)(s->end_ns - s->first_ns) / NS_PER_S, 6);
	rec_str(r, "setup_why_unknown", why);
	rec_real(r, "after_setup_wire_bytes_per_minute",
		 s->over && after_s > 0 ? (double)(wire_bytes - setup) / after_s * 60 : NAN, 1);
	rec_end(r);
}

static void tell_updates(struct rec *r, struct meter *m)
{
	const struct update_line *u = &m->update[0];
	bool differ = false;

	rec_object(r, "updates");
	rec_int(r, "count", (int64_t)u->count);
	rec_real(r, "merge_ms", to_ms((double)u->merge_ns), 3);
	rec_timing(r, "interarrival_ms", &m->gaps, NS_PER_MS);
	if (u->gaps.n > m->gaps.n)	/* the percentiles are from a choice of that many */
		rec_int(r, "interarrival_of", (int64_t)u->gaps.n);
	rec_array(r, "other_merges");
	for (int i = 1; i < MERGES; i++) {
		const struct update_line *o = &m->update[i];

		rec_object(r, NULL);
		rec_real(r, "merge_ms", to_ms((double)o->merge_ns), 3);
		rec_int(r, "count", (int64_t)o->count);
		rec_real(r, "mean_interarrival_ms", o->gaps.n ? to_ms(o->gaps.mean) : NAN, 3);
		rec_real(r, "jitter_sd_ms", to_ms(sqrt(gap_variance(&o->gaps))), 3);
		rec_end(r);
		if (fabs((double)o->count - (double)u->count) > MERGE_TOLERANCE * (double)u->count)
			differ = true;
	}
	rec_end(r);
	rec_bool(r, "depends_on_merge", differ);
	rec_end(r);
}

static void tell_stalls(struct rec *r, const struct update_line *u)
{
	const struct gap_account *g = &u->gaps;
	double variance = gap_variance(g);

	rec_real(r, "largest_gap_ms", g->n ? to_ms((double)g->max) : NAN, 3);
	rec_object(r, "stalls");
	rec_real(r, "period_ms", to_ms((double)u->period_ns), 3);
	rec_int(r, "intervals", (int64_t)g->n);
	rec_int(r, "count", (int64_t)g->stalls);
	rec_real(r, "mean_ms", g->n ? to_ms(g->mean - (double)u->period_ns) : NAN, 3);
	rec_real(r, "mean_positive_ms", g->n ? to_ms(g->stalls_sum / (double)g->n) : NAN, 3);
	rec_real(r, "max_ms", g->n ? to_ms((double)(g->max - u->period_ns)) : NAN, 3);
	rec_real(r, "jitter_sd_ms", to_ms(sqrt(variance)), 3);
	rec_real(r, "jitter_variance_ms2", variance / NS_PER_MS / NS_PER_MS, 6);
	rec_end(r);
}

void account_tell(struct rec *r, struct meter *m)
{
	struct channel_count total = m->sum[INPUT];

	channel_add(&total, &m->sum[DISPLAY]);
	rec_int(r, "flows_total", (int64_t)m->flows);
	rec_array(r, "flows");
	tell_flow(r, &(struct flow){ 0 }, 0);
	rec_make_header(r);
	for (uint32_t i = 0; i < m->top.n; i++)
		tell_flow(r, &m->top.flow[i], m->first_ns);
	rec_end(r);
	rec_object(r, "channels");
	tell_channel(r, "input", &m->sum[INPUT]);
	tell_channel(r, "display", &m->sum[DISPLAY]);
	tell_channel(r, "total", &total);
	rec_end(r);
	tell_headers(r, &total, findings_tls_bytes(&m->contents));
	tell_session(r, m, total.wire_bytes);
	tell_updates(r, m);
	tell_stalls(r, &m->update[0]);
}
