// SPDX-License-Identifier: GPL-3.0-or-later
#include "load.h"

#define FRAMES_PER_S 400		/* the least frames a second of a chosen frame size */
#define PAYLOAD_LEAST 64	/* bytes of the least chosen payload */

int64_t frame_header(bool udp, bool ipv6, bool timestamps)
{
	return 14 + (ipv6 ? 40 : 20) + (udp ? 8 : 20 + (timestamps ? 12 : 0));
}

int64_t frame_size(int64_t rate, int64_t header, int64_t most)
{
	int64_t size = rate / 8 / FRAMES_PER_S - header;

	if (!rate || size > most)
		return most;
	return size < PAYLOAD_LEAST ? PAYLOAD_LEAST : size;
}

static uint64_t *seen_word(struct arrive *a, int64_t n)
{
	return &a->seen[n % ARRIVE_WINDOW / 64];
}

static void forget_up_to(struct arrive *a, int64_t n)
{
	if (n - a->next >= ARRIVE_WINDOW)
		a->next = n - ARRIVE_WINDOW + 1;
	for (; a->next <= n; a->next++)
		*seen_word(a, a->next) &= ~(1ULL << (a->next % 64));
}

enum arrive_kind arrive_add(struct arrive *a, uint64_t number)
{
	int64_t n = (int64_t)number;
	bool late;

	if (n < 0 || n - a->next > ARRIVE_JUMP)
		return ARRIVE_STRANGER;
	late = n < a->next;
	if (!late)
		forget_up_to(a, n);
	if (late && a->next - n <= ARRIVE_WINDOW && (*seen_word(a, n) >> (n % 64) & 1)) {
		a->duplicate++;
		return ARRIVE_AGAIN;
	}
	if (a->next - n <= ARRIVE_WINDOW)
		*seen_word(a, n) |= 1ULL << (n % 64);
	a->reordered += late;
	a->got++;
	return ARRIVE_NEW;
}

void second_start(struct second *s, int64_t now_ns, int64_t bits)
{
	*s = (struct second){ .from_ns = now_ns, .from_bits = bits, .low = -1, .high = -1 };
}

void second_read(struct second *s, int64_t now_ns, int64_t bits)
{
	int64_t rate;

	if (!second_over(s, now_ns))
		return;
	rate = (int64_t)((double)(bits - s->from_bits) * (double)NS_PER_S / (double)(now_ns - s->from_ns) + 0.5);
	if (!s->seconds || rate < s->low)
		s->low = rate;
	if (!s->seconds || rate > s->high)
		s->high = rate;
	s->last = rate;
	s->seconds++;
	s->from_ns = now_ns;
	s->from_bits = bits;
}
