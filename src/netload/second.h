/* SPDX-License-Identifier: GPL-3.0-or-later */
/* second - the lowest and the highest rate of all whole seconds of a run, from a total that is read now and then. Pure. */
#ifndef THINPROBE_NETLOAD_SECOND_H
#define THINPROBE_NETLOAD_SECOND_H

#include <stdint.h>

struct second {
	int64_t from_ns, from_bits;	/* of the second that runs */
	int64_t low, high, last, seconds;	/* bit/s in the slowest, the fastest and the last second; number of seconds */
};

void second_start(struct second *s, int64_t now_ns, int64_t bits);
/* Is it time to read the total? */
static inline int second_over(const struct second *s, int64_t now_ns)
{
	return now_ns - s->from_ns >= 1000000000;
}
/* The total was `bits` at `now_ns`. Read late, the second is that much longer, and its rate is that of the longer time. */
void second_read(struct second *s, int64_t now_ns, int64_t bits);

#endif
