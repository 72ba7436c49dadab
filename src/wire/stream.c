// SPDX-License-Identifier: GPL-3.0-or-later
#include "stream.h"
#include "memory.h"

#include <stdlib.h>

#define FAR (1LL << 30)	    /* largest TCP window (RFC 7323, 2.3) */
#define MOMENT_NS 1000000LL /* early data is joined only where it came within this time, if the times matter */

void stream_pool_init(struct stream_pool *p, uint32_t size)
{
	*p = (struct stream_pool){ .size = size, .fresh = 1, .wait = memory_new(size, sizeof(*p->wait)) };
}

void stream_pool_free(struct stream_pool *p)
{
	for (uint32_t i = 0; p->wait && i < p->fresh; i++)
		free(p->wait[i].bytes);
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
	free(p->wait[i].bytes);
	p->held -= p->wait[i].room;
	p->wait[i].bytes = NULL;
	p->wait[i].room = 0;
	p->wait[i].next = p->free;
	p->free = i;
}

/* Offset of sequence number `seq`: the one nearest to the expected offset. */
static int64_t find_offset(const struct tcp_stream *s, uint32_t seq)
{
	return s->next + (int32_t)(seq - (uint32_t)s->next);
}

/* Passes the bytes of interval `w` to the listener, after a call without bytes if some are missing before it. */
static void tell_bytes(const struct tcp_stream *s, const struct early_interval *w)
{
	if (w->start > s->next)
		s->listen(s->listener, s->channel, NULL, 0, 0);
	s->listen(s->listener, s->channel, w->bytes, w->captured, (uint32_t)(w->end - w->start));
}

/* Appends [start, end) to the part that is returned, and gives up the hole before it. An open end and the data after it are one
 * message. */
static void append_data(struct tcp_stream *s, int64_t start, int64_t end, uint32_t ends, bool open, struct stream_result *out)
{
	out->missing_bytes += (uint64_t)(start - s->next);
	out->ready.bytes += (uint64_t)(end - start);
	out->ready.ends += ends;
	out->ready.open = open;
	s->next = end;
}

/* Returns the first interval of early data. */
static void deliver_first(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out)
{
	struct early_interval *w = &p->wait[s->first];
	uint32_t next = w->next;

	if (s->listen)
		tell_bytes(s, w);
	append_data(s, w->start, w->end, w->ends, w->open, out);
	free_interval(p, s->first);
	s->first = next;
	s->count--;
}

bool stream_is_ready(const struct tcp_stream *s, const struct stream_pool *p)
{
	return s->first && p->wait[s->first].start <= s->next;
}

static void deliver_ready(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out)
{
	while (stream_is_ready(s, p))
		deliver_first(s, p, out);
}

static void deliver_all(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out)
{
	while (s->first)
		deliver_first(s, p, out);
}

/* Keeps bytes at the end of interval `w`, as yet without them. Bytes that find no room, and all bytes after them, are a length
 * only, as are those after bytes that were not captured. */
static void keep_bytes(struct stream_pool *p, struct early_interval *w, const uint8_t *bytes, uint32_t captured)
{
	uint32_t bytes_all = w->captured + captured, room = bytes_all > 2 * w->room ? bytes_all : 2 * w->room;
	uint8_t *larger;

	if (!captured || w->captured != w->end - w->start)
		return;
	if (p->held + room - w->room > STREAM_BYTES_MAX)
		room = bytes_all;
	if (bytes_all > w->room) {
		larger = p->held + room - w->room > STREAM_BYTES_MAX ? NULL : realloc(w->bytes, room);
		if (!larger)
			return;
		p->held += room - w->room;
		w->bytes = larger;
		w->room = room;
	}
	memcpy(w->bytes + w->captured, bytes, captured);
	w->captured = bytes_all;
}

/* Appends `more`, which begins where interval `w` ends. */
static void extend_interval(struct stream_pool *p, struct early_interval *w, const struct early_interval *more)
{
	keep_bytes(p, w, more->bytes, more->captured);
	w->end = more->end;
	w->ends += more->ends;
	w->open = more->open;
}

static bool is_continued(const struct tcp_stream *s, const struct early_interval *w, const struct early_interval *next)
{
	return next->start == w->end && (!s->apart || llabs(next->time_ns - w->time_ns) < MOMENT_NS);
}

/* Joins interval `i` with the next one if they touch. */
static void join_next(struct tcp_stream *s, struct stream_pool *p, uint32_t i)
{
	struct early_interval *w = &p->wait[i];
	uint32_t next = w->next;

	if (!next || !is_continued(s, w, &p->wait[next]))
		return;
	extend_interval(p, w, &p->wait[next]);
	w->next = p->wait[next].next;
	free_interval(p, next);
	s->count--;
}

/* Keeps a copy of `new`, which overlaps no interval, after interval `before` (0: as the first). False: no room. */
static bool insert_interval(struct tcp_stream *s, struct stream_pool *p, uint32_t before, const struct early_interval *new)
{
	uint32_t i;

	if (before && is_continued(s, &p->wait[before], new)) {
		extend_interval(p, &p->wait[before], new);
		join_next(s, p, before);
		return true;
	}
	i = s->count < STREAM_HOLES_MAX ? alloc_interval(p) : 0;
	if (!i)
		return false;
	p->wait[i] = (struct early_interval){
		.start = new->start, .end = new->start, .time_ns = new->time_ns, .next = before ? p->wait[before].next : s->first
	};
	extend_interval(p, &p->wait[i], new);
	*(before ? &p->wait[before].next : &s->first) = i;
	s->count++;
	join_next(s, p, i);
	return true;
}

/* Makes an interval of the part of a segment from `start` to before `end`; its bytes stay the segment's. */
static struct early_interval cut_segment(const struct tcp_stream *s, const struct stream_segment *segment, int64_t start,
					 int64_t end)
{
	int64_t from = find_offset(s, segment->seq), there = from + segment->captured;
	bool last = end == from + segment->bytes, listens = s->listen && there > start;

	return (struct early_interval){ .start = start,
					.end = end,
					.time_ns = s->now_ns,
					.ends = segment->push && last,
					.open = !(segment->push && last),
					.bytes = listens ? (uint8_t *)(uintptr_t)(segment->payload + (start - from)) : NULL,
					.captured = listens ? (uint32_t)((there < end ? there : end) - start) : 0 };
}

static void append_segment(struct tcp_stream *s, const struct stream_segment *segment, int64_t start, int64_t end,
			   struct stream_result *out)
{
	struct early_interval part;

	if (s->listen) {
		part = cut_segment(s, segment, start, end);
		tell_bytes(s, &part);
	}
	append_data(s, start, end, segment->push, !segment->push, out);
}

/* Keeps the parts of [*from, end) of a segment that are not kept yet, and counts the others as old. False: no room from *from
 * on. */
static bool hold_early(struct tcp_stream *s, struct stream_pool *p, const struct stream_segment *segment, int64_t *from,
		       int64_t end, struct stream_result *out)
{
	uint32_t before = 0, i = s->first;

	while (*from < end) {
		struct early_interval part;
		int64_t stop = end;

		while (i && p->wait[i].end <= *from) {
			before = i;
			i = p->wait[i].next;
		}
		if (i && p->wait[i].start <= *from) {
			stop = p->wait[i].end < end ? p->wait[i].end : end;
			out->old_bytes += (uint64_t)(stop - *from);
			*from = stop;
			continue;
		}
		if (i && p->wait[i].start < end)
			stop = p->wait[i].start;
		part = cut_segment(s, segment, *from, stop);
		if (!insert_interval(s, p, before, &part))
			return false;
		/* Joining may have changed the list: search again from its start (it is short). */
		before = 0;
		i = s->first;
		*from = stop;
	}
	return true;
}

void stream_begin(struct tcp_stream *s, uint32_t seq)
{
	s->next = s->highest = s->acked = seq;
	s->known = true;
}

void stream_add_segment(struct tcp_stream *s, struct stream_pool *p, const struct stream_segment *segment,
			struct stream_result *out)
{
	int64_t start, end;

	*out = (struct stream_result){ 0 };
	if (!s->known)
		stream_begin(s, segment->seq);
	start = find_offset(s, segment->seq);
	if (start - s->next > FAR || s->next - start > FAR) {
		deliver_all(s, p, out);
		if (s->listen)
			s->listen(s->listener, s->channel, NULL, 0, 0);
		start = s->next = s->highest = s->acked = segment->seq;
		out->resynchronized = true;
	}
	end = start + segment->bytes;
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
		append_segment(s, segment, start, end, out);
		return;
	}
	while (!hold_early(s, p, segment, &start, end, out)) {
		/* No room: give up this stream's oldest hole; if it has none, accept the data as being in order. */
		if (s->first) {
			deliver_first(s, p, out);
		} else {
			append_segment(s, segment, start, end, out);
			break;
		}
		if (start < s->next) {
			out->old_bytes += (uint64_t)((end < s->next ? end : s->next) - start);
			start = end < s->next ? end : s->next;
		}
	}
	if (out->old_bytes == segment->bytes)
		out->out_of_order = false;
	deliver_ready(s, p, out);
}

int64_t stream_overtaken_since(const struct tcp_stream *s, const struct stream_pool *p, uint32_t seq)
{
	int64_t start = find_offset(s, seq);
	uint32_t i = s->first;

	while (i && p->wait[i].end <= start)
		i = p->wait[i].next;
	return i && start >= s->next && p->wait[i].start > start ? p->wait[i].time_ns : INT64_MAX;
}

void stream_note_ack(struct tcp_stream *s, uint32_t ack)
{
	int32_t further = (int32_t)(ack - (uint32_t)s->acked);

	if (further > 0 && further <= FAR)
		s->acked += further;
}

uint64_t stream_unseen_bytes(const struct tcp_stream *s)
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

int64_t stream_early_since(const struct tcp_stream *s, const struct stream_pool *p)
{
	return s->first ? p->wait[s->first].time_ns : INT64_MAX;
}

void stream_take_early(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out)
{
	*out = (struct stream_result){ 0 };
	deliver_first(s, p, out);
}

void stream_drop_holes(struct tcp_stream *s, struct stream_pool *p, struct stream_result *out)
{
	*out = (struct stream_result){ 0 };
	deliver_all(s, p, out);
	out->missing_bytes += stream_unseen_bytes(s);
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
