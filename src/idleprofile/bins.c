// SPDX-License-Identifier: GPL-3.0-or-later
#include "bins.h"

__extension__ typedef __int128 wide_ns;

void bins_init(struct bins *b, int64_t start_ns, int64_t bin_ns,
	       void (*each)(void *, int64_t, int64_t, int64_t, int64_t), void *arg)
{
	*b = (struct bins){ .bin_ns = bin_ns, .start_ns = start_ns, .each = each, .arg = arg };
}

static void next(struct bins *b, int64_t length_ns)
{
	b->each(b->arg, b->start_ns, length_ns, b->lost_ns, b->tick_ns);
	b->start_ns += length_ns;
	b->lost_ns = b->tick_ns = 0;
}

void bins_until(struct bins *b, int64_t now_ns)
{
	while (now_ns - b->start_ns >= b->bin_ns)
		next(b, b->bin_ns);
}

void bins_part(struct bins *b, int64_t start_ns, int64_t end_ns, int64_t lost_ns, bool tick)
{
	int64_t *sum = tick ? &b->tick_ns : &b->lost_ns;
	int64_t length = end_ns - start_ns, given = 0;

	bins_until(b, start_ns);
	while (end_ns - b->start_ns > b->bin_ns) {
		/* what the part has lost up to the end of this bin, so that nothing is lost to rounding in the end; rounded
		 * down exactly, since a bin cannot lose more than its length, not even a nanosecond */
		int64_t upto = (int64_t)((wide_ns)lost_ns * (b->start_ns + b->bin_ns - start_ns) / length);

		*sum += upto - given;
		given = upto;
		next(b, b->bin_ns);
	}
	*sum += lost_ns - given;
}

void bins_end(struct bins *b, int64_t end_ns)
{
	bins_until(b, end_ns);
	if (end_ns > b->start_ns)
		next(b, end_ns - b->start_ns);
}
