// SPDX-License-Identifier: GPL-3.0-or-later
#include "acks.h"

void acks_init(struct ack_receiver side[static 2])
{
	for (int i = 0; i < 2; i++)
		side[i] = (struct ack_receiver){ .quickest_ns = -1 };
}

static bool is_seq_later(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/* Notes data sent to a side, which should acknowledge it. */
static void note_sent_data(struct ack_receiver *to, uint32_t end, int64_t time_ns)
{
	if (to->known && !is_seq_later(end, to->acked))
		return; /* a retransmission of acknowledged data: answered at once, by an acknowledgement that is not fresh */
	if (to->waiting_ns && is_seq_later(end, to->newest)) {
		to->newest = end;
		to->newest_ns = time_ns;
		return;
	}
	/* The first data that waits, or a retransmission: the delay is counted from here. */
	if (!to->waiting_ns)
		to->newest = end;
	to->waiting_ns = to->newest_ns = time_ns;
}

static struct ack_seen classify_ack(struct ack_receiver *by, const struct segment *s, int64_t time_ns, bool pure)
{
	struct ack_seen seen = { .took_ns = -1,
				 .pure = pure,
				 .fresh = pure && (by->known ? is_seq_later(s->ack, by->acked) : by->waiting_ns != 0) };
	uint32_t in_flight = by->known && by->waiting_ns ? by->newest - by->acked : 0;
	int64_t took;

	if (by->known && !is_seq_later(s->ack, by->acked))
		return seen;
	by->known = true;
	by->acked = s->ack;
	if (!by->waiting_ns)
		return seen;
	seen.took_ns = took = time_ns - by->waiting_ns;
	if (took >= 0 && (by->quickest_ns < 0 || took < by->quickest_ns))
		by->quickest_ns = took;
	seen.delayed = pure && took - by->quickest_ns >= ACKS_DELAYED_NS && took - by->quickest_ns < ACKS_LATEST_NS;
	if (seen.fresh) {
		by->answered_ns = time_ns;
		by->held_ns = time_ns - by->sent_ns;
		by->held_bytes = in_flight;
		by->delayed = seen.delayed;
	}
	/* Data that this acknowledgement left out goes on waiting, from its newest part on. */
	by->waiting_ns = is_seq_later(by->newest, s->ack) ? by->newest_ns : 0;
	return seen;
}

static void note_window(struct ack_receiver *by, const struct segment *s, int64_t time_ns, struct ack_seen *seen)
{
	seen->closes = !s->window && !(s->flags & (TCP_SYN | TCP_RST));
	seen->closed_ns = by->closed_ns && time_ns > by->closed_ns ? time_ns - by->closed_ns : 0;
	by->closed_ns = seen->closes ? time_ns : 0;
}

static void detect_held_data(struct ack_receiver *to, int64_t time_ns, struct ack_seen *seen)
{
	if (to->answered_ns && to->held_ns > 0 && time_ns - to->answered_ns <= to->held_ns / 8) {
		seen->held_ns = to->held_ns;
		seen->held_bytes = to->held_bytes;
		seen->held_back = to->delayed && to->held_bytes < ACKS_WINDOW_BYTES;
	}
	to->answered_ns = 0;
	to->sent_ns = time_ns;
}

struct ack_seen acks_add_segment(struct ack_receiver side[static 2], int from, const struct segment *s, int64_t time_ns)
{
	struct ack_seen seen = { .took_ns = -1 };
	uint32_t length = s->payload_bytes + !!(s->flags & TCP_SYN) + !!(s->flags & TCP_FIN);

	if (s->flags & TCP_ACK)
		seen = classify_ack(&side[from], s, time_ns, !s->payload_bytes && !(s->flags & (TCP_SYN | TCP_FIN | TCP_RST)));
	if (s->flags & TCP_ACK)
		note_window(&side[from], s, time_ns, &seen);
	if (s->payload_bytes) {
		side[from].answered_ns = 0; /* what follows may answer this */
		detect_held_data(&side[1 - from], time_ns, &seen);
	}
	if (length)
		note_sent_data(&side[1 - from], s->seq + length, time_ns);
	return seen;
}
