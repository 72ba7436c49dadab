// SPDX-License-Identifier: GPL-3.0-or-later
#include "second.h"
#include "clock.h"

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
