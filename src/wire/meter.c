// SPDX-License-Identifier: GPL-3.0-or-later
#include "meter.h"
#include "memory.h"

#define PORTS 65536
#define TRANSLATION_LOOK 16	       /* packets of each direction; all of them cost a fifth of the speed */
#define CLOSING_INPUTS 3	       /* messages with which a client takes its leave, as of TLS and ssh */
#define WINDOW_WAIT_NS (5 * NS_PER_MS) /* a shorter round trip holds up nobody */
#define IN_FLIGHT_NS NS_PER_S	       /* data sent before the capture began is acknowledged by then */
#define OVERTAKEN_NS (3 * NS_PER_MS)   /* as tshark: what is later by less was overtaken on the way */
#define HOLE_NS (3 * NS_PER_S)	       /* what was lost on the way is sent again within this, most often */
#define STRAY_BYTES (16 << 20)	       /* numbers so far off are another connection's, where one has ended */

static const int64_t merge_beside_ns[MERGES] = { 0, 5 * NS_PER_MS, 20 * NS_PER_MS };

int meter_init(struct capture_meter *m, const struct meter_cfg *cfg)
{
	memset(m, 0, sizeof(*m));
	m->cfg = *cfg;
	m->setup.typed = cfg->typed;
	for (int i = 0; i < MERGES; i++) {
		update_start(&m->update[i], i ? merge_beside_ns[i] : cfg->merge_ns, cfg->period_ns, i ? NULL : &m->gaps);
		m->update[i].warmup = cfg->warmup;
	}
	if (cfg->watch)
		m->update[0].keep_most = UPDATE_GAPS_WATCH;
	m->passed = memory_new(PORTS, sizeof(*m->passed));
	m->duplicates = memory_new(1, sizeof(*m->duplicates));
	stream_pool_init(&m->pool, cfg->waits_max + 1);
	ranking_init(&m->top, cfg->flows_shown);
	payload_totals_init(&m->contents, cfg->decode);
	return flow_table_init(&m->table, cfg->flows_max, cfg->seed);
}

void meter_free(struct capture_meter *m)
{
	flow_table_free(&m->table);
	stream_pool_free(&m->pool);
	ranking_free(&m->top);
	sample_free(&m->gaps);
	free(m->passed);
	free(m->duplicates);
	payload_totals_free(&m->contents);
}

static void notify_observers(const struct capture_meter *m, const struct flow *f, int c, int64_t time_ns, uint64_t bytes)
{
	for (int i = 0; i < m->cfg.taps; i++)
		m->cfg.tap[i].data(m->cfg.tap[i].context, f, c, time_ns, bytes);
}

/* A segment with a PSH is a message's last, most often; one as large as those without PSH is so by chance only. These are full,
 * of so many bytes at least (RFC 9293, 3.7.1); with offloads several at once, so the smallest size of two in a row is taken. */
#define FULL_LEAST 536

static void note_what_follows(struct flow *f, uint32_t bytes, bool unpushed)
{
	int inside = payload_in_message(f, DISPLAY);

	f->pushed |= !unpushed;
	unpushed &= bytes >= FULL_LEAST;
	if (unpushed) {
		if (f->unpushed_bytes == bytes && (!f->full_bytes || bytes < f->full_bytes))
			f->full_bytes = bytes;
		f->unpushed_bytes = bytes;
	}
	f->more_before = f->more;
	if (inside >= 0)
		f->more = inside ? MORE_MESSAGE : MORE_UNKNOWN;
	else if (unpushed && f->pushed)
		f->more = MORE_UNPUSHED;
	else
		f->more = f->full_bytes && bytes && bytes % f->full_bytes == 0 ? MORE_FULL : MORE_UNKNOWN;
}

/* Counts new data in order: messages, and on the display channel updates. `bytes`: payload of the segment that completed it.
 * `late`: its time may have passed. */
static void count_ordered_data(struct capture_meter *m, struct flow *f, int c, int64_t time_ns, const struct stream_result *t,
			       uint32_t bytes, bool late)
{
	struct channel_counts *n = &f->count[c];
	uint32_t begun;
	bool fresh, goes_on = false;

	n->missing_bytes += t->missing_bytes;
	n->holes += t->missing_bytes > 0;
	if (!t->ready.bytes)
		return;
	n->payload_bytes += t->ready.bytes;
	begun = message_count_begun(&f->run, c, time_ns, &t->ready, &fresh);
	n->messages += begun;
	m->open_inputs = c == DISPLAY ? 0 : m->open_inputs + begun;
	session_count_payload(&m->setup, c, t->ready.bytes);
	if (c == DISPLAY) {
		note_what_follows(f, bytes, t->ready.open);
		goes_on = f->update[0] && update_goes_on(f->more_before, time_ns - f->display_ns, f->spoken);
		m->went_on[f->more_before] += goes_on && fresh && !update_continues(&m->update[0], time_ns);
		f->display_ns = time_ns;
	}
	f->spoken = c == INPUT;
	for (int i = 0; c == DISPLAY && i < MERGES; i++) {
		if (!fresh || goes_on)
			update_extend(&m->update[i], f->update[i], time_ns);
		/* Further messages in this part begin at the same instant, so they belong to the same update. */
		if (!goes_on && (fresh || t->ready.ends + t->ready.open > 1))
			f->update[i] = (late ? update_add_late : update_add_message)(&m->update[i], time_ns);
	}
	notify_observers(m, f, c, time_ns, t->ready.bytes);
}

/* Whether the capture has nothing of the other side since early data came, which tells whether that was received. */
static bool is_unheard(const struct flow *f, int c, int64_t since_ns)
{
	return !f->count[1 - c].packets || f->heard_ns[1 - c] < since_ns;
}

/* Gives up holes of which the other side says nothing, before early data that came until `until_ns`, or is in too many parts. What
 * was behind them counts at the time at which it came. */
static void give_up_holes(struct capture_meter *m, struct flow *f, int c, int64_t until_ns)
{
	struct tcp_stream *s = &f->stream[c];
	struct stream_result t;
	int64_t since;

	while (s->first && is_unheard(f, c, since = stream_early_since(s, &m->pool)) &&
	       (since <= until_ns || s->count >= STREAM_HOLES_MAX || stream_is_ready(s, &m->pool))) {
		stream_take_early(s, &m->pool, &t);
		count_ordered_data(m, f, c, since, &t, 0, true);
	}
}

static void end_flow(struct capture_meter *m, struct flow *f)
{
	struct stream_result t;

	m->setup.open -= f->open;
	m->unanswered += f->begun[INPUT] && !f->count[DISPLAY].packets && !f->stream[DISPLAY].known;
	for (int c = 0; c < CHANNELS; c++) {
		give_up_holes(m, f, c, INT64_MAX);
		m->one_way += !f->count[c].packets && stream_unseen_bytes(&f->stream[c]);
		stream_drop_holes(&f->stream[c], &m->pool, &t);
		count_ordered_data(m, f, c, f->last_ns, &t, 0, true);
		counters_add(&m->sum[c], &f->count[c], sizeof(m->sum[c]));
	}
	payload_end_flow(&m->contents, f);
	if (!f->translated)
		ranking_offer(&m->top, f);
	flow_remove(&m->table, f);
	if (m->latest == f)
		m->latest = NULL;
}

static struct flow *begin_flow(struct capture_meter *m, const struct flow_key *key, uint32_t hash, int source,
			       const struct segment *s, int64_t time_ns)
{
	struct flow *f, *victim;
	enum server_clue by;
	int end;

	if (!ports_find_server(m->cfg.ports, m->cfg.server, s, &end, &by))
		return NULL;
	victim = flow_find_victim(&m->table);
	if (victim) {
		if (!flow_has_ended(victim)) {
			victim->evicted = true;
			m->flows_evicted++;
		}
		end_flow(m, victim);
	}
	f = flow_new(&m->table, key, hash);
	f->server = (uint8_t)(end ? 1 - source : source);
	f->server_clue = (uint8_t)by;
	f->start_ns = f->last_ns = time_ns;
	m->flows++;
	return f;
}

/* Whether a segment on a known flow begins a new connection between the same ends, and is no retransmission. */
static bool is_new_connection(const struct flow *f, int source, const struct segment *s)
{
	int c = f->server == source ? DISPLAY : INPUT;
	bool ended = (f->reset && !f->translated) || (f->finished[c] && (f->finished[1 - c] || !f->count[1 - c].packets));
	bool used = ended || f->count[INPUT].payload_packets || f->count[DISPLAY].payload_packets;
	int32_t off = (int32_t)(s->seq - (uint32_t)f->stream[c].next);

	if (!(s->flags & TCP_SYN))
		return ended && f->stream[c].known && !(s->flags & TCP_RST) && (off > STRAY_BYTES || off < -STRAY_BYTES);
	if (f->begun[c] && f->first_seq[c] == s->seq) /* after both ends, with the same number: a replay */
		return f->finished[INPUT] && f->finished[DISPLAY] && !(s->flags & TCP_ACK);
	if (f->begun[c])
		return used || !(s->flags & TCP_ACK); /* until then SYN cookies may change */
	if (s->flags & TCP_ACK && f->begun[1 - c] && s->ack == f->first_seq[1 - c] + 1)
		return false;
	return ended || f->count[c].packets || (f->translated && !(s->flags & TCP_ACK));
}

static struct flow *ensure_flow(struct capture_meter *m, const struct segment *s, int64_t time_ns, int *source)
{
	struct flow_key key;
	struct flow *f;
	uint32_t hash;

	*source = flow_make_key(s, &key);
	if (m->latest && flow_keys_equal(&m->latest->key, &key)) {
		f = m->latest;
		hash = f->hash;
	} else {
		hash = flow_hash(&m->table, &key);
		f = flow_find(&m->table, &key, hash);
	}
	if (f && s->transport == TRANSPORT_TCP && is_new_connection(f, *source, s)) {
		end_flow(m, f);
		f = NULL;
	}
	if (!f)
		f = begin_flow(m, &key, hash, *source, s, time_ns);
	if (f)
		m->latest = f;
	return f;
}

static void count_packet(struct channel_counts *n, const struct segment *s)
{
	n->packets++;
	n->wire_bytes += s->wire_bytes;
	n->ip_bytes += s->ip_bytes;
	n->link_header_bytes += s->link_bytes;
	n->ip_header_bytes += s->ip_header_bytes;
	*(s->transport == TRANSPORT_TCP ? &n->tcp_header_bytes : &n->udp_header_bytes) += s->transport_header_bytes;
	if (s->ipv4) {
		n->ipv4_packets++;
		n->ipv4_bytes += s->ip_bytes;
	}
}

/* A client that closes its connection says so, which no update answers. */
static void note_waiting_input(struct capture_meter *m, const struct segment *s, int64_t time_ns)
{
	if (s->flags & (TCP_FIN | TCP_RST) && time_ns - m->waiting_ns < IN_FLIGHT_NS && m->open_inputs <= CLOSING_INPUTS)
		m->waiting_ns = 0;
	else if (s->payload_bytes || (!s->window && s->flags & TCP_ACK && !(s->flags & TCP_RST)))
		m->waiting_ns = time_ns;
}

/* Counts a TCP segment's acknowledgement. */
static struct ack_seen count_ack(struct flow *f, int c, const struct segment *s, int64_t time_ns)
{
	struct channel_counts *n = &f->count[c];
	struct ack_seen ack;

	if (s->transport != TRANSPORT_TCP)
		return (struct ack_seen){ .took_ns = -1 };
	ack = acks_add_segment(f->ack, c, s, time_ns);
	n->payload_packets += s->payload_bytes > 0;
	n->pure_acks += ack.pure;
	n->fresh_acks += ack.fresh;
	n->delayed_acks += ack.delayed;
	n->ack_wire_bytes += ack.pure ? s->wire_bytes : 0;
	f->count[1 - c].zero_windows += ack.closes;
	f->count[1 - c].closed_ns += (uint64_t)ack.closed_ns;
	if (ack.held_back) {
		n->delayed_rests++;
		n->delayed_rest_ns += (uint64_t)ack.held_ns;
	} else if (ack.held_ns >= WINDOW_WAIT_NS && ack.held_bytes >= ACKS_WINDOW_BYTES) {
		n->window_waits++;
		n->window_wait_ns += (uint64_t)ack.held_ns;
		n->window_wait_bytes += ack.held_bytes;
	}
	return ack;
}

/* RFC 9293, 3.8.4: it repeats the last byte of a connection all of whose data was acknowledged. */
static bool is_keep_alive(const struct ack_receiver *receiver, const struct segment *s)
{
	return s->payload_bytes == 1 && receiver->known && !receiver->waiting_ns && s->seq + 1 == receiver->acked;
}

static void add_payload(struct capture_meter *m, struct flow *f, int c, const struct segment *s, const struct packet *p)
{
	uint32_t there = p->captured > s->payload_at ? p->captured - s->payload_at : 0;
	struct stream_segment segment = { .seq = s->seq + (s->flags & TCP_SYN ? 1 : 0),
					  .bytes = s->payload_bytes,
					  .captured = there < s->payload_bytes ? there : s->payload_bytes,
					  .push = s->flags & TCP_PSH,
					  .payload = there ? p->bytes + s->payload_at : NULL };
	struct channel_counts *n = &f->count[c];
	struct stream_result t;

	give_up_holes(m, f, c, p->time_ns - HOLE_NS);
	f->stream[c].now_ns = p->time_ns;
	f->stream[c].apart = is_unheard(f, c, p->time_ns - HOLE_NS);
	payload_seek_protocol(&m->contents, f, c, &segment);
	stream_add_segment(&f->stream[c], &m->pool, &segment, &t);
	if (t.old_bytes && is_keep_alive(&f->ack[1 - c], s)) {
		n->keep_alives++;
	} else if (t.old_bytes) {
		n->retransmitted_packets++;
		n->retransmitted_bytes += t.old_bytes;
	}
	n->out_of_order_packets += t.out_of_order;
	n->resynchronized += t.resynchronized;
	/* where it filled a hole, the last segment is another, which ended a message */
	count_ordered_data(m, f, c, p->time_ns, &t, t.ready.bytes > s->payload_bytes && !t.ready.open ? 0 : s->payload_bytes,
			   false);
}

/* Whether the segment fills a hole so late that its sender was asked for it: it was lost between its sender and here. What is lost
 * behind the capture point comes here twice. */
static bool was_lost_before(const struct capture_meter *m, const struct flow *f, int c, const struct segment *s, int64_t time_ns)
{
	int64_t since =
		s->payload_bytes && f->stream[c].first ? stream_overtaken_since(&f->stream[c], &m->pool, s->seq) : INT64_MAX;
	int64_t trip = f->ack[c].quickest_ns; /* from here to the sender, and back */

	return since != INT64_MAX && time_ns - since > (trip > OVERTAKEN_NS ? trip : OVERTAKEN_NS);
}

/* Each datagram is a message; repeated or missing datagrams cannot be recognised. */
static void add_datagram(struct capture_meter *m, struct flow *f, int c, const struct segment *s, int64_t time_ns)
{
	struct channel_counts *n = &f->count[c];

	n->payload_packets += s->payload_bytes > 0;
	session_count_payload(&m->setup, c, s->payload_bytes);
	n->payload_bytes += s->payload_bytes;
	n->beyond_bytes += s->beyond_bytes;
	n->messages++;
	m->open_inputs = c == DISPLAY ? 0 : m->open_inputs + 1;
	for (int i = 0; c == DISPLAY && i < MERGES; i++)
		f->update[i] = update_add_message(&m->update[i], time_ns);
	notify_observers(m, f, c, time_ns, s->payload_bytes);
}

static void count_unselected(struct capture_meter *m, const struct segment *s)
{
	uint16_t port = s->port[0] < s->port[1] ? s->port[0] : s->port[1];

	m->unasked++;
	m->passed[port].packets++;
	m->passed[port].wire_bytes += s->wire_bytes;
	m->passed[port].port = port;
}

/* Notes by an acknowledgement what the receiver of channel `c` has, also of a direction without any packet. */
static void note_received_ack(struct flow *f, int c, const struct segment *s, int64_t time_ns)
{
	struct tcp_stream *stream = &f->stream[c];
	bool strayed = f->begun[c] && !f->begun[1 - c]; /* the answer to a SYN may be of an earlier connection */

	if ((s->flags & (TCP_ACK | TCP_RST)) != TCP_ACK || strayed)
		return;
	if (!stream->known && (f->begun[INPUT] || f->begun[DISPLAY] || time_ns - f->start_ns >= IN_FLIGHT_NS))
		stream_begin(stream, s->ack);
	if (stream->known)
		stream_note_ack(stream, s->ack - f->finished[c]);
	if (c == DISPLAY && stream->known && stream_unseen_bytes(stream)) /* the capture has lost what ended the update */
		f->more = MORE_UNKNOWN;
}

/* Whether the packet came before with another address, as its whole flow then did. */
static bool is_translated(struct capture_meter *m, struct flow *f, int c, const struct segment *s, const struct packet *p)
{
	bool fresh = !f->count[INPUT].packets && !f->count[DISPLAY].packets;

	if (!f->translated && f->count[c].packets >= TRANSLATION_LOOK)
		return false;
	if (!f->translated && !duplicate_detect_translation(m->duplicates, p, s, c == INPUT ? 0 : 1))
		return false;
	if (!f->translated && fresh)
		m->flows--;
	f->translated = f->reset = true; /* it makes room first */
	m->setup.open -= f->open;
	f->open = false;
	m->duplicates->copies++;
	m->translated++;
	m->translated_key = f->key;
	m->translated_server = f->server;
	return true;
}

/* A UDP conversation has no end, and counts as none that is open. */
static void note_open(struct capture_meter *m, struct flow *f, const struct segment *s)
{
	bool open = s->transport == TRANSPORT_TCP && !f->finished[INPUT] && !f->finished[DISPLAY] && !f->reset &&
		    (f->open || !(s->flags & TCP_SYN));

	m->setup.open += (uint64_t)open - f->open;
	f->open = open;
}

/* Before the observers, which take a connection without a SYN for one that is older than the capture. */
static void note_begin(struct flow *f, int c, const struct segment *s)
{
	if (!(s->flags & TCP_SYN) || f->begun[c])
		return;
	f->begun[c] = true;
	f->first_seq[c] = s->seq;
	if (!f->stream[c].known)
		stream_begin(&f->stream[c], s->seq + 1);
}

/* RFC 6143, 7.1.1: the server speaks first, also where it connected to a viewer that listens. */
static bool greets_as_server(const struct flow *f, int c, const struct segment *s, const struct packet *p)
{
	static const char greeting[] = "RFB 003.";
	uint32_t n = sizeof(greeting) - 1;

	return c == INPUT && s->transport == TRANSPORT_TCP && s->payload_bytes >= n && s->payload_at + n <= p->captured &&
	       f->server_clue != BY_ADDRESS && f->begun[DISPLAY] && s->ack == f->first_seq[DISPLAY] + 1 &&
	       !f->count[INPUT].payload_packets && !f->count[DISPLAY].payload_packets &&
	       !memcmp(p->bytes + s->payload_at, greeting, n);
}

static void swap_halves(void *both, size_t bytes)
{
	uint8_t half[sizeof(struct channel_counts)];

	memcpy(half, both, bytes / 2);
	memcpy(both, (uint8_t *)both + bytes / 2, bytes / 2);
	memcpy((uint8_t *)both + bytes / 2, half, bytes / 2);
}

/* Makes the client the server, and the other way round, before any payload. */
static void turn_flow(struct capture_meter *m, struct flow *f)
{
	_Static_assert(sizeof(struct channel_counts) >= sizeof(struct tcp_stream), "the largest half");
	_Static_assert(sizeof(struct channel_counts) >= sizeof(struct ack_receiver), "the largest half");
	session_turn_channels(&m->setup, f->count);
	f->server = !f->server;
	f->server_clue = BY_GREETING;
	swap_halves(f->begun, sizeof(f->begun));
	swap_halves(f->finished, sizeof(f->finished));
	swap_halves(f->first_seq, sizeof(f->first_seq));
	swap_halves(f->heard_ns, sizeof(f->heard_ns));
	swap_halves(f->count, sizeof(f->count));
	swap_halves(f->stream, sizeof(f->stream));
	swap_halves(f->ack, sizeof(f->ack));
}

static void add_segment(struct capture_meter *m, const struct segment *s, const struct packet *p)
{
	struct meter_packet seen = { .segment = s, .packet = p };
	int64_t time_ns = p->time_ns;
	struct stream_result t;
	struct flow *f;
	int c, source;

	f = ensure_flow(m, s, time_ns, &source);
	if (!f) {
		count_unselected(m, s);
		return;
	}
	c = f->server == source ? DISPLAY : INPUT;
	if (is_translated(m, f, c, s, p))
		return;
	if (greets_as_server(f, c, s, p)) {
		turn_flow(m, f);
		c = DISPLAY;
	}
	count_packet(&f->count[c], s);
	note_begin(f, c, s);
	f->finished[c] |= !!(s->flags & TCP_FIN);
	f->reset |= !!(s->flags & TCP_RST);
	seen.ack = count_ack(f, c, s, time_ns);
	note_open(m, f, s);
	seen.lost_before = was_lost_before(m, f, c, s, time_ns);
	f->count[c].lost_before_packets += seen.lost_before;
	session_count_packet(&m->setup, c, s, seen.ack.pure, time_ns);
	for (int i = 0; i < m->cfg.taps; i++)
		if (m->cfg.tap[i].packet)
			m->cfg.tap[i].packet(m->cfg.tap[i].context, f, c, &seen);
	if (c == INPUT)
		note_waiting_input(m, s, time_ns);
	m->set_back |= f->last_ns - time_ns >= METER_PAUSE_NS;
	f->start_ns = time_ns < f->start_ns ? time_ns : f->start_ns;
	f->last_ns = time_ns > f->last_ns ? time_ns : f->last_ns;
	f->heard_ns[c] = time_ns > f->heard_ns[c] ? time_ns : f->heard_ns[c];
	if (s->wire_bytes > m->largest_frame_bytes)
		m->largest_frame_bytes = s->wire_bytes;
	m->first_fragments += s->fragmented;
	if (s->transport == TRANSPORT_UDP) {
		add_datagram(m, f, c, s, time_ns);
		return;
	}
	note_received_ack(f, 1 - c, s, time_ns);
	/* The receiver has acknowledged the data, so bytes missing before it were lost by the capture: stop waiting for them. */
	if (s->flags & TCP_ACK && f->stream[1 - c].first) {
		stream_drop_acked_holes(&f->stream[1 - c], &m->pool, s->ack, &t);
		count_ordered_data(m, f, 1 - c, time_ns, &t, 0, false);
	}
	if (s->payload_bytes)
		add_payload(m, f, c, s, p);
}

/* A clock that was set back stays so. Where the packets behind a step go on from those before it, one packet has a wrong time. */
static void note_packet_order(struct capture_meter *m, int64_t time_ns)
{
	int64_t back = m->before_ns - time_ns, stray = 0, from_ns = 0;

	if (back > 0) {
		m->steps_back++;
		if (m->packets > 2 && time_ns >= m->earlier_ns)
			stray = back; /* the packet before was late */
		else
			from_ns = m->before_ns;
	} else {
		if (-back > m->pause_ns)
			m->pause_ns = -back;
		if (m->stray_from_ns && time_ns >= m->stray_from_ns)
			stray = m->stray_from_ns - m->before_ns;
	}
	m->strays += stray > 0;
	m->stray_ns = stray > m->stray_ns ? stray : m->stray_ns;
	m->stray_from_ns = from_ns;
	m->earlier_ns = m->before_ns;
	m->before_ns = time_ns;
}

void meter_add_packet(struct capture_meter *m, enum link_type link, const struct packet *p)
{
	struct segment s;
	enum decoded what = decode_packet(link, p, &s);

	if (!m->packets++)
		m->first_ns = m->last_ns = m->before_ns = p->time_ns;
	else
		note_packet_order(m, p->time_ns);
	m->first_ns = p->time_ns < m->first_ns ? p->time_ns : m->first_ns;
	m->last_ns = p->time_ns > m->last_ns ? p->time_ns : m->last_ns;
	m->truncated += p->captured < p->original;
	m->overlong += p->captured > p->original;
	m->decoded[what]++;
	if (what == DECODED_SEGMENT && duplicate_detect_copy(m->duplicates, p, &s))
		return;
	if (what == DECODED_SEGMENT) {
		add_segment(m, &s, p);
	} else if (what == DECODED_FRAGMENT) {
		m->fragment_wire_bytes += s.wire_bytes;
		m->fragment_ip_bytes += s.ip_bytes;
	}
}

void meter_finish(struct capture_meter *m)
{
	for (uint32_t i = 1; i <= m->table.size && m->table.used; i++)
		if (m->table.flow[i].used)
			end_flow(m, &m->table.flow[i]);
	ranking_sort(&m->top);
}

int64_t meter_open_gap(const struct capture_meter *m)
{
	const struct update_series *u = &m->update[0];
	int64_t open = m->waiting_ns > u->last_ns ? m->waiting_ns - u->first_ns : 0;

	return u->count && open > u->period_ns ? open : 0;
}

int meter_rank_ports(const struct capture_meter *m, struct port_count top[static METER_PORTS])
{
	int n = 0;

	for (size_t port = 0; port < PORTS; port++) {
		const struct port_count *p = &m->passed[port];
		int at = n;

		if (!p->packets)
			continue;
		while (at > 0 && top[at - 1].wire_bytes < p->wire_bytes)
			at--;
		if (at == METER_PORTS)
			continue;
		n += n < METER_PORTS;
		memmove(top + at + 1, top + at, (size_t)(n - at - 1) * sizeof(*top));
		top[at] = *p;
	}
	return n;
}
