/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace - how long a disk takes for what it is asked, and the words that change it while it turns. Pure. */
#ifndef THINPROBE_PACE_H
#define THINPROBE_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACE_MAX_NS (60 * 1000000000LL)	/* slower than that, the kernel takes it for dead */
#define PACE_LEAST_BITS 150000		/* per second: the largest request, of 1 MiB, takes 56 s */

struct pace {
	int64_t read_ns, write_ns;	/* from taking up a request to its answer, at least */
	int64_t read_bits, write_bits;	/* per second: the data of a request takes so much longer. 0: no time */
};

/* One line, without its end: "read-delay TIME", "write-delay TIME", or "delay TIME" for both; "read-rate RATE", "write-rate RATE",
 * or "rate RATE" (1500Kbit, none). An empty one changes nothing. 0, or -EINVAL or -ERANGE, and then nothing is changed. */
int pace_order(struct pace *pace, const char *line);
/* "1500Kbit", "none" (0). 0, or -EINVAL or -ERANGE. */
int pace_read_rate(const char *text, int64_t *bits);
/* How long a request takes. */
int64_t pace_takes(const struct pace *pace, bool write, int64_t bytes);

#endif
