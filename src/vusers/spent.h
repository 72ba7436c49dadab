/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spent - what the calling thread had of its CPU, and the process of memory. */
#ifndef THINPROBE_VUSERS_SPENT_H
#define THINPROBE_VUSERS_SPENT_H

#include <stdint.h>

struct spent {
	int64_t cpu_ns, waited_ns;	/* on a CPU; ready but not on one, -1: not known */
};

/* Since the thread began. */
struct spent spent_now(void);
/* Between two of these. */
struct spent spent_between(const struct spent *first, const struct spent *last);
/* Bytes that this process has resident; 0: not known. */
int64_t spent_memory(void);

#endif
