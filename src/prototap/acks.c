// SPDX-License-Identifier: GPL-3.0-or-later
#include "acks.h"

void acks_init(struct ack_receiver side[2])
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
	/* Data that this acknowledgement left out goes on waiting, from its newest part on. */
	by->waiting_ns = is_seq_later(by->newest, s->ack) ? by->newest_ns : 0;
	return seen;
}

struct ack_seen acks_add_segment(struct ack_receiver side[2], int from, const struct segment *s, int64_t time_ns)
{
	struct ack_seen seen = { .took_ns = -1 };
	uint32_t length = s->payload_bytes + !!(s->flags & TCP_SYN) + !!(s->flags & TCP_FIN);

	if (s->flags & TCP_ACK)
		seen = classify_ack(&side[from], s, time_ns, !s->payload_bytes && !(s->flags & (TCP_SYN | TCP_FIN | TCP_RST)));
	if (length)
		note_sent_data(&side[1 - from], s->seq + length, time_ns);
	return seen;
}
