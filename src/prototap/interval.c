// SPDX-License-Identifier: GPL-3.0-or-later
#include "interval.h"
#include "reader.h"

#include <stdlib.h>

#define HIST_SHIFT 5		/* 32 bins an octave */
#define HIST_FLOOR 14		/* of 1 << 14 ns and above */
#define SKIP_MAX 3600		/* more empty intervals in a row are skipped */
#define LATE_NS 200000000LL	/* what waits by so much longer than usual is taken as it stands (least TCP timeout of Linux) */
#define REPLIES_LEAST 8
#define IGNORED_SHARE 10	/* with every tenth input ignored, an input that waits shows nothing */

/* --- histogram --- */

void response_histogram_add_time(struct response_time_histogram *h, int64_t ns)
{
	uint64_t scaled = ns < 0 ? 0 : (uint64_t)ns >> (HIST_FLOOR - HIST_SHIFT);
	int octave = scaled < 1 << (HIST_SHIFT + 1) ? 0 : 63 - __builtin_clzll(scaled) - HIST_SHIFT;
	int64_t at = (int64_t)octave * (1 << HIST_SHIFT) + (int64_t)(scaled >> octave);

	h->bin[at < INTERVAL_BINS ? at : INTERVAL_BINS - 1]++;
	if (!h->n || ns < h->min_ns)
		h->min_ns = ns;
	if (!h->n || ns > h->max_ns)
		h->max_ns = ns;
	h->n++;
}

int64_t response_histogram_quantile(const struct response_time_histogram *h, double p)
{
	double rank = p * h->n, before = 0;
	int64_t low, width, ns;
	int at = 0, octave;

	if (!h->n)
		return -1;
	while (at < INTERVAL_BINS - 1 && (before += h->bin[at]) < rank)
		at++;
	octave = at < 1 << (HIST_SHIFT + 1) ? 0 : at / (1 << HIST_SHIFT) - 1;
	width = (int64_t)1 << (octave + HIST_FLOOR - HIST_SHIFT);
	low = (at - octave * (1 << HIST_SHIFT)) * width;
	ns = low + width / 2;
	return ns < h->min_ns ? h->min_ns : ns > h->max_ns ? h->max_ns : ns;
}

/* --- what is input --- */

static bool has_rfb_key_or_button_press(struct bounded_reader *r)
{
	for (size_t at = 0; at < r->n && !r->over;) {
		switch (read_u8(r, at)) {
		case 0: at += 20; break;
		case 2: at += 4 + 4 * (size_t)read_be16(r, at + 2); break;
		case 3: case 150: at += 10; break;
		case 4: case 5:		/* a key or a button that is down */
			if (read_u8(r, at + 1))
				return true;
			at += read_u8(r, at) == 4 ? 8 : 6;
			break;
		case 255:		/* QEMU's key events */
			if (read_u8(r, at + 1) || read_be16(r, at + 2))
				return !read_u8(r, at + 1);
			at += 12;
			break;
		case 248: at += 9 + (size_t)read_u8(r, at + 8); break;
		default: return false;
		}
	}
	return false;
}

static bool has_x11_key_or_button_event(struct bounded_reader *r)
{
	for (size_t at = 0; at < r->n; at += 32) {
		uint8_t type = read_u8(r, at) & 0x7f;

		if (type == 2 || type == 4 || type == 35)	/* a key, a button, an event of an extension such as XInput */
			return true;
		if (type == 1)
			at += 4 * (size_t)read_be32(r, at + 4);
	}
	return false;
}

bool is_payload_user_input(enum interval_protocol kind, const uint8_t *bytes, size_t n)
{
	struct bounded_reader r = { .bytes = bytes, .n = n };

	if (kind == INTERVAL_OPAQUE || !n ||
	    (n > 1 && (bytes[0] == 22 || bytes[0] == 23) && bytes[1] == 3))	/* not captured; a record of TLS */
		return true;
	return kind == INTERVAL_RFB ? has_rfb_key_or_button_press(&r) : has_x11_key_or_button_event(&r);
}

static bool interval_packet_is_input(const struct intervals *t, const struct interval_flow *f,
				     const struct meter_observed_packet *seen)
{
	const struct segment *s = seen->segment;
	const struct interval_row *r = &f->row;
	uint16_t port = r->key.port[r->server];
	enum interval_protocol kind = t->ports->use[r->key.port[1 - r->server]] == PORT_DISPLAY ? INTERVAL_X11 :
				  t->rfb || (port >= 5900 && port <= 5999) ? INTERVAL_RFB : INTERVAL_OPAQUE;
	uint32_t there = seen->packet->captured > s->payload_at ? seen->packet->captured - s->payload_at : 0;

	if (s->transport != TRANSPORT_TCP)
		return true;
	return is_payload_user_input(kind, there ? seen->packet->bytes + s->payload_at : NULL,
				 there < s->payload_bytes ? there : s->payload_bytes);
}

/* --- connections --- */

static struct interval_flow *interval_find_or_add_flow(struct intervals *t, const struct flow *f)
{
	struct interval_flow **bucket = &t->bucket[f->hash % INTERVAL_FLOWS], *new;

	for (new = *bucket; new; new = new->next)
		if (!memcmp(&new->row.key, &f->key, sizeof(f->key)))
			return new;
	if (t->flows == INTERVAL_FLOWS || !(new = calloc(1, sizeof(*new)))) {
		t->beyond++;
		return NULL;
	}
	new->row = (struct interval_row){ .key = f->key, .server = f->server, .gap = -1 };
	new->next = *bucket;
	screen_update_series_start(&new->updates, t->merge_ns, t->period_ns, NULL);
	verdict_baseline_init(&new->base);
	t->flows++;
	return *bucket = new;
}

static void interval_drop_inputs(struct interval_flow *f, int n)
{
	f->waits -= n;
	memmove(f->waiting, f->waiting + n, (size_t)f->waits * sizeof(*f->waiting));
}

/* Inputs leave that need not wait any longer: the display rests after an update, or none came for too long. */
static void interval_finish_settled_inputs(struct interval_flow *f, int64_t time_ns)
{
	int64_t last = f->updates.first_ns;

	while (f->waits) {
		const struct interval_input *in = &f->waiting[0];

		if (in->answerable && time_ns - f->updates.last_ns >= INTERVAL_REST_NS) {
			response_histogram_add_time(&f->to_latest, last - in->time_ns);
		} else if (!in->answerable && time_ns - in->time_ns >= INTERVAL_PATIENCE_NS) {
			f->row.unanswered++;
			f->ignored++;
		} else {
			return;
		}
		interval_drop_inputs(f, 1);
	}
}

static void interval_add_input(struct interval_flow *f, int64_t time_ns)
{
	if (f->waits == INTERVAL_WAITING)
		interval_drop_inputs(f, 1);
	f->waiting[f->waits++] = (struct interval_input){ .time_ns = time_ns };
	f->row.inputs++;
}

static void interval_add_update(struct interval_flow *f, int64_t time_ns, int64_t before_ns)
{
	f->row.updates++;
	if (before_ns && time_ns - before_ns > f->row.gap)
		f->row.gap = time_ns - before_ns;
	for (int i = 0; i < f->waits; i++)
		if (!f->waiting[i].answerable) {
			f->waiting[i].answerable = true;
			f->answered++;
			response_histogram_add_time(&f->to_next, time_ns - f->waiting[i].time_ns);
		}
	if (f->waits) {
		response_histogram_add_time(&f->to_latest, time_ns - f->waiting[0].time_ns);
		interval_drop_inputs(f, 1);
	}
}

void interval_observe_packet(void *intervals, const struct flow *flow, int channel, const struct meter_observed_packet *seen)
{
	const struct segment *s = seen->segment;
	struct intervals *t = intervals;
	struct interval_flow *f;

	intervals_advance(t, seen->packet->time_ns);
	f = interval_find_or_add_flow(t, flow);
	if (!f)
		return;
	interval_finish_settled_inputs(f, seen->packet->time_ns);
	f->last_ns = seen->packet->time_ns;
	f->ended = has_flow_ended(flow);
	f->row.packets++;
	f->row.wire_bytes[channel] += s->wire_bytes;
	if (f->resent > flow->count[INPUT].retransmitted_packets + flow->count[DISPLAY].retransmitted_packets)
		f->resent_before = 0;	/* another connection between the same ends */
	f->resent = flow->count[INPUT].retransmitted_packets + flow->count[DISPLAY].retransmitted_packets;
	f->row.zero_windows += channel == INPUT && !s->window && !(s->flags & TCP_RST);
	if (seen->ack.took_ns >= 0) {
		response_histogram_add_time(&f->to_ack[1 - channel], seen->ack.took_ns);
		f->server_is_near |= channel == DISPLAY && seen->ack.took_ns < INTERVAL_NEAR_NS;
	}
	for (int c = 0; c < CHANNELS; c++)
		f->unacked_ns[c] = flow->ack[1 - c].waiting_ns;
	if (channel == INPUT && s->payload_bytes)
		f->input = interval_packet_is_input(t, f, seen);
}

void interval_observe_data(void *intervals, const struct flow *flow, int channel, int64_t time_ns, uint64_t bytes)
{
	struct interval_flow *f = interval_find_or_add_flow(intervals, flow);
	uint64_t number;
	int64_t before;

	(void)bytes;
	if (!f)
		return;
	if (channel == DISPLAY) {
		number = f->updates.count;
		before = f->updates.first_ns;
		if (screen_update_add_message(&f->updates, time_ns) != number)
			interval_add_update(f, time_ns, before);
		else if (!f->asks_ns)
			return;
		f->asks_ns = time_ns;
	} else if (f->input) {
		interval_add_input(f, time_ns);
	} else if (f->asks_ns) {
		response_histogram_add_time(&f->to_reply, time_ns - f->asks_ns);
		f->replies++;
		f->asks_ns = 0;
	}
}

/* --- rows --- */

/* The median, or the age of what waits since `open_ns`, if that is late. */
static int64_t median_or_age_of_open_response(const struct response_time_histogram *h, int64_t open_ns, int64_t end_ns)
{
	int64_t median = response_histogram_quantile(h, 0.5), age = open_ns ? end_ns - open_ns : 0;

	return age > LATE_NS + (median > 0 ? median : 0) ? age : median;
}

static struct verdict interval_compute_verdict(struct interval_flow *f, const struct interval_row *row)
{
	bool trusted = f->ignored * IGNORED_SHARE <= f->answered;
	struct verdict_interval_readings seen = { .packets = row->packets, .retransmitted = row->retransmitted,
		.zero_windows = row->zero_windows,
				     .server_is_near = f->server_is_near };

	seen.part[PART_WAIT] = trusted && row->waiting > LATE_NS && row->waiting > row->next_p50 ? row->waiting : row->next_p50;
	seen.part[PART_CLIENT_ACK] = row->ack[DISPLAY];
	seen.part[PART_SERVER_ACK] = row->ack[INPUT];
	seen.part[PART_REPLY] = row->reply;
	return verdict_judge_and_learn(&f->base, row->start_ns, &seen);
}

static void interval_emit_row_of_flow(struct intervals *t, struct interval_flow *f)
{
	int64_t end = t->start_ns + t->every_ns;
	struct interval_row *row = &f->row;

	interval_finish_settled_inputs(f, end);
	row->start_ns = t->start_ns;
	row->length_ns = t->every_ns;
	row->waiting = -1;
	for (int i = 0; i < f->waits && row->waiting < 0; i++)
		if (!f->waiting[i].answerable)
			row->waiting = end - f->waiting[i].time_ns;
	if (!row->packets && row->waiting < 0 && !row->unanswered)
		return;
	row->next_p50 = response_histogram_quantile(&f->to_next, 0.5);
	row->next_p95 = response_histogram_quantile(&f->to_next, 0.95);
	row->next_max = f->to_next.n ? f->to_next.max_ns : -1;
	row->latest_p50 = response_histogram_quantile(&f->to_latest, 0.5);
	row->latest_p95 = response_histogram_quantile(&f->to_latest, 0.95);
	for (int c = 0; c < CHANNELS; c++)
		row->ack[c] = median_or_age_of_open_response(&f->to_ack[c], f->unacked_ns[c], end);
	row->reply = f->replies < REPLIES_LEAST ? -1 : median_or_age_of_open_response(&f->to_reply, f->asks_ns, end);
	row->retransmitted = f->resent - f->resent_before;
	row->verdict = interval_compute_verdict(f, row);
	t->row(t->context, row);
	f->row = (struct interval_row){ .key = row->key, .server = row->server, .gap = -1 };
	f->resent_before = f->resent;
	f->to_next = f->to_latest = f->to_reply = f->to_ack[INPUT] = f->to_ack[DISPLAY] = (struct response_time_histogram){ 0 };
}

static void intervals_close_current(struct intervals *t)
{
	for (int i = 0; i < INTERVAL_FLOWS; i++)
		for (struct interval_flow **link = &t->bucket[i], *f; (f = *link);) {
			interval_emit_row_of_flow(t, f);
			if (f->ended || t->start_ns - f->last_ns > INTERVAL_SILENT_NS) {
				*link = f->next;
				free(f);
				t->flows--;
			} else {
				link = &f->next;
			}
		}
	t->end(t->context, t->start_ns, t->every_ns);
	t->start_ns += t->every_ns;
}

void intervals_advance(struct intervals *t, int64_t time_ns)
{
	int64_t start = time_ns - time_ns % t->every_ns;

	if (!t->start_ns || t->start_ns - start > t->every_ns)
		t->start_ns = start;	/* the first packet, or the clock was set back */
	for (int n = 0; t->start_ns < start && n < SKIP_MAX; n++)
		intervals_close_current(t);
	t->start_ns = start > t->start_ns ? start : t->start_ns;
}

void intervals_free(struct intervals *t)
{
	for (int i = 0; i < INTERVAL_FLOWS; i++)
		for (struct interval_flow *f = t->bucket[i], *next; f; f = next) {
			next = f->next;
			free(f);
		}
	memset(t->bucket, 0, sizeof(t->bucket));
	t->flows = 0;
}
