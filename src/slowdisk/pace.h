/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pace - how long a disk takes for what it is asked, and the words that change it while it turns. Pure. */
#ifndef THINPROBE_PACE_H
#define THINPROBE_PACE_H

#include <stddef.h>
#include <stdint.h>

#define PACE_MAX_NS (60 * 1000000000LL)	/* slower than that, the kernel takes it for dead */

struct pace {
	int64_t read_ns, write_ns;	/* from taking up a request to its answer, at least */
};

/* One line, without its end: "read-delay TIME", "write-delay TIME", or "delay TIME" for both. An empty one changes nothing.
 * 0, or -EINVAL or -ERANGE, and then nothing is changed. */
int pace_order(struct pace *pace, const char *line);

#endif
