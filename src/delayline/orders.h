/* SPDX-License-Identifier: GPL-3.0-or-later */
/* orders - the words that change a link while it runs, and how a rate and a share are written. Pure.
 *
 *   [forth|back] rate 10Mbit|none, queue 50ms, delay 40ms, jitter 5ms, loss 0.5%, shape uniform|normal, order kept|free
 *   seed 7     both sequences of losses and jitter from their beginning
 *   report     write the report now, too
 *
 * forth: from the first end to the second; back: the other way; neither: both. */
#ifndef THINPROBE_ORDERS_H
#define THINPROBE_ORDERS_H

#include "path.h"

#include <stddef.h>

#define ORDERS_MAX_NS (60 * 1000000000LL)

enum { ORDERS_FORTH = 1, ORDERS_BACK = 2 };

struct orders {
	struct path_cfg cfg[2];	/* as they are to be from now on */
	int changed;		/* of ORDERS_FORTH, ORDERS_BACK */
	bool seeded, report;
	uint64_t seed;
};

/* One line, without its end; an empty one changes nothing. 0, or -EINVAL or -ERANGE, and then nothing is changed. */
int orders_read(struct orders *o, const char *line);

/* "10Mbit", "2.5Gbit/s", "64kbit", "1000bit"; "none": 0. Bits per second from 1000 on, to 100 Gbit. 0, -EINVAL or -ERANGE. */
int orders_read_rate(const char *text, int64_t *bits);
/* "0.5%" or "0.5": percent; as a part of one. */
int orders_read_loss(const char *text, double *part);

#endif
