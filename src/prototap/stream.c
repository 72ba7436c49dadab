// SPDX-License-Identifier: GPL-3.0-or-later
#include "stream.h"

#include <errno.h>
#include <stdlib.h>

#define FAR (1LL << 30) /* largest TCP window (RFC 7323, 2.3) */

int stream_pool_init(struct stream_pool *p, uint32_t size)
{
	*p = (struct stream_pool){ .size = size, .fresh = 1 };
	p->wait = calloc(size, sizeof(*p->wait));
	return p->wait ? 0 : -ENOMEM;
}

void stream_pool_free(struct stream_pool *p)
{
	free(p->wait);
	*p = (struct stream_pool){ 0 };
}

static uint32_t alloc_interval(struct stream_pool *p)
{
	uint32_t i = p->free;

	if (i)
		p->free = p->wait[i].next;
	else if (p->fresh < p->size)
		i = p->fresh++;
	return i;
}

static void free_interval(struct stream_pool *p, uint32_t i)
{
	p->wait[i].next = p->free;
	p->free = i;
}

/* Offset of sequence number `seq`: the one nearest to the expected offset. */
static int64_t find_offset(const struct tcp_stream *s, uint32_t seq)
{
	return s->next + (int32_t)(seq - (uint32_t)s->next);
}

/* Appends data to the part that is returned. An open end and the data after it are one message. */
static void append_data(struct stream_data *to, uint64_t bytes, uint32_t ends, bool open)
{
	to->bytes += bytes;
	to->ends += ends;
	to->open = open;
}

/* Returns the first interval of early data, and gives up the hole before it. */
static void deliver_first(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out)
{
	struct early_interval *w = &p->wait[s->first];
	uint32_t next = w->next;

	out->missing_bytes += (uint64_t)(w->start - s->next);
	append_data(&out->ready, (uint64_t)(w->end - w->start), w->ends, w->open);
	s->next = w->end;
	free_interval(p, s->first);
	s->first = next;
	s->count--;
}

static void deliver_ready(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out)
{
	while (s->first && p->wait[s->first].start <= s->next)
		deliver_first(s, p, out);
}

static void deliver_all(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out)
{
	while (s->first)
		deliver_first(s, p, out);
}

/* Joins interval `i` with the next one if they touch. */
static void join_next(struct tcp_stream *s, struct stream_pool *p, uint32_t i)
{
	struct early_interval *w = &p->wait[i], *n;
	uint32_t next = w->next;

	if (!next || p->wait[next].start != w->end)
		return;
	n = &p->wait[next];
	w->end = n->end;
	w->ends += n->ends;
	w->open = n->open;
	w->next = n->next;
	free_interval(p, next);
	s->count--;
}

/* Keeps [start, end), which overlaps no interval, after interval `before` (0: as the first). False: no room. */
static bool insert_interval(struct tcp_stream *s, struct stream_pool *p, uint32_t before, int64_t start, int64_t end, bool push)
{
	uint32_t i;

	if (before && p->wait[before].end == start) {
		struct early_interval *w = &p->wait[before];

		w->end = end;
		w->ends += push;
		w->open = !push;
		join_next(s, p, before);
		return true;
	}
	i = s->count < STREAM_HOLES_MAX ? alloc_interval(p) : 0;
	if (!i)
		return false;
	p->wait[i] = (struct early_interval){ .start = start, .end = end, .ends = push, .open = !push };
	if (before) {
		p->wait[i].next = p->wait[before].next;
		p->wait[before].next = i;
	} else {
		p->wait[i].next = s->first;
		s->first = i;
	}
	s->count++;
	join_next(s, p, i);
	return true;
}

/* Keeps the parts of [*from, end) that are not kept yet, and counts the others as old. False: no room from *from on. */
static bool hold_early(struct tcp_stream *s, struct stream_pool *p, int64_t *from, int64_t end, bool push,
		       struct stream_result *out)
{
	uint32_t before = 0, i = s->first;
	int64_t start = *from;

	while (start < end) {
		int64_t stop = end;

		while (i && p->wait[i].end <= start) {
			before = i;
			i = p->wait[i].next;
		}
		if (i && p->wait[i].start <= start) {
			stop = p->wait[i].end < end ? p->wait[i].end : end;
			out->old_bytes += (uint64_t)(stop - start);
			start = stop;
			continue;
		}
		if (i && p->wait[i].start < end)
			stop = p->wait[i].start;
		*from = start;
		if (!insert_interval(s, p, before, start, stop, push && stop == end))
			return false;
		/* Joining may have changed the list: search again from its start (it is short). */
		before = 0;
		i = s->first;
		start = stop;
	}
	*from = end;
	return true;
}

void stream_begin(struct tcp_stream *s, uint32_t seq)
{
	s->next = s->highest = s->acked = seq;
	s->known = true;
}

void stream_add_segment(struct tcp_stream *s, struct stream_pool *p, uint32_t seq, uint32_t bytes, bool push,
			struct stream_result *out)
{
	int64_t start, end;

	*out = (struct stream_result){ 0 };
	if (!s->known)
		stream_begin(s, seq);
	start = find_offset(s, seq);
	if (start - s->next > FAR || s->next - start > FAR) {
		deliver_all(s, p, out);
		start = s->next = s->highest = s->acked = seq;
		out->resynchronized = true;
	}
	end = start + bytes;
	out->start = start;
	if (start < s->next) {
		int64_t old = (end < s->next ? end : s->next) - start;

		out->old_bytes = (uint64_t)old;
		start += old;
		if (start == end)
			return;
	}
	out->out_of_order = start < s->highest;
	if (end > s->highest)
		s->highest = end;
	if (start == s->next && !s->first) { /* the usual case */
		append_data(&out->ready, (uint64_t)(end - start), push, !push);
		s->next = end;
		return;
	}
	while (!hold_early(s, p, &start, end, push, out)) {
		/* No room: give up this stream's oldest hole; if it has none, accept the data as being in order. */
		if (s->first) {
			deliver_first(s, p, out);
		} else {
			out->missing_bytes += (uint64_t)(start - s->next);
			append_data(&out->ready, (uint64_t)(end - start), push, !push);
			s->next = end;
			break;
		}
		if (start < s->next) {
			out->old_bytes += (uint64_t)((end < s->next ? end : s->next) - start);
			start = end < s->next ? end : s->next;
		}
	}
	if (out->old_bytes == bytes)
		out->out_of_order = false;
	deliver_ready(s, p, out);
}

void stream_note_ack(struct tcp_stream *s, uint32_t ack)
{
	int32_t further = (int32_t)(ack - (uint32_t)s->acked);

	if (further > 0 && further <= FAR)
		s->acked += further;
}

uint64_t stream_unseen(const struct tcp_stream *s)
{
	return s->acked - s->highest > 1 ? (uint64_t)(s->acked - s->highest) : 0;
}

void stream_drop_acked_holes(struct tcp_stream *s, struct stream_pool *p, uint32_t ack, struct stream_result *out)
{
	*out = (struct stream_result){ 0 };
	while (s->first && find_offset(s, ack) >= p->wait[s->first].start)
		deliver_first(s, p, out);
	deliver_ready(s, p, out);
}

void stream_drop_holes(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out)
{
	*out = (struct stream_result){ 0 };
	deliver_all(s, p, out);
	out->missing_bytes += stream_unseen(s);
}

void message_reset(struct message_state *m)
{
	*m = (struct message_state){ .direction = -1 };
}

uint32_t message_count_begun(struct message_state *m, int direction, int64_t time_ns, const struct stream_data *part, bool *fresh)
{
	uint32_t runs = part->ends + part->open;

	*fresh = m->direction != direction || time_ns - m->last_ns > MESSAGE_PAUSE_NS;
	m->last_ns = time_ns;
	m->direction = part->open ? (int8_t)direction : -1;
	return *fresh ? runs : runs - 1;
}
