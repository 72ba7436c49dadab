// SPDX-License-Identifier: GPL-3.0-or-later
#include "load.h"
#include "scale.h"

#define FRAMES_PER_S 400 /* least frames a second that load_payload_bytes() aims at */
#define PAYLOAD_LEAST 64 /* least payload bytes that load_payload_bytes() chooses */

struct stream_counts load_sum_streams(const struct stream_counts *stream, int64_t n)
{
	struct stream_counts all = { 0 };
	int64_t *to = (int64_t *)&all;

	for (int64_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(all) / sizeof(*to); k++)
			to[k] += ((const int64_t *)&stream[i])[k]; /* all members are int64_t */
	return all;
}

int64_t load_header_bytes(bool udp, bool ipv6, bool timestamps)
{
	return 14 + (ipv6 ? 40 : 20) + (udp ? 8 : 20 + (timestamps ? 12 : 0));
}

int64_t load_burst_bytes(const struct load_cfg *load)
{
	return scale_down(load->burst_ns, load->rate, 8 * NS_PER_S);
}

int64_t load_payload_bytes(int64_t rate, int64_t header, int64_t most)
{
	int64_t size = rate / 8 / FRAMES_PER_S - header;

	if (!rate || size > most)
		return most;
	return size < PAYLOAD_LEAST ? PAYLOAD_LEAST : size;
}

static uint64_t *bitmap_word(struct stream_arrivals *a, int64_t n)
{
	return &a->seen[n % SEQ_WINDOW / 64];
}

static void advance_window(struct stream_arrivals *a, int64_t n)
{
	if (n - a->next >= SEQ_WINDOW)
		a->next = n - SEQ_WINDOW + 1;
	for (; a->next <= n; a->next++)
		*bitmap_word(a, a->next) &= ~(1ULL << (a->next % 64));
}

enum seq_kind arrivals_add_datagram(struct stream_arrivals *a, uint64_t number)
{
	int64_t n = (int64_t)number;
	bool late;

	if (n < 0 || n - a->next > SEQ_JUMP_MAX)
		return SEQ_FOREIGN;
	late = n < a->next;
	if (!late)
		advance_window(a, n);
	if (late && a->next - n <= SEQ_WINDOW && (*bitmap_word(a, n) >> (n % 64) & 1)) {
		a->duplicate++;
		return SEQ_DUPLICATE;
	}
	if (a->next - n <= SEQ_WINDOW)
		*bitmap_word(a, n) |= 1ULL << (n % 64);
	a->reordered += late;
	a->got++;
	return SEQ_NEW;
}

void second_range_start(struct second_range *s, int64_t now_ns, int64_t bits)
{
	*s = (struct second_range){ .from_ns = now_ns, .from_bits = bits, .low = -1, .high = -1 };
}

void second_range_close(struct second_range *s, int64_t now_ns, int64_t bits)
{
	int64_t rate;

	if (!second_range_is_over(s, now_ns))
		return;
	rate = (int64_t)((double)(bits - s->from_bits) * (double)NS_PER_S / (double)(now_ns - s->from_ns) + 0.5);
	if (!s->seconds || rate < s->low)
		s->low = rate;
	if (!s->seconds || rate > s->high)
		s->high = rate;
	if (now_ns - s->from_ns >= 2 * NS_PER_S) /* nobody looked, and nothing was sent, for at least one whole second of it */
		s->low = 0;
	s->last = rate;
	s->seconds += (now_ns - s->from_ns) / NS_PER_S;
	s->from_ns = now_ns;
	s->from_bits = bits;
}
