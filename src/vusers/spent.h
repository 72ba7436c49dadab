/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spent - what the calling thread had of its CPU, and the process of memory. */
#ifndef THINPROBE_VUSERS_SPENT_H
#define THINPROBE_VUSERS_SPENT_H

#include <stdint.h>

struct thread_usage {
	int64_t cpu_ns, waited_ns;	/* on a CPU; ready but not on one, -1: not known */
};

/* Since the thread began. */
struct thread_usage thread_usage_now(void);
/* Between two of these. */
struct thread_usage thread_usage_between(const struct thread_usage *first, const struct thread_usage *last);
/* Bytes that this process has resident; 0: not known. */
int64_t thread_usage_memory(void);

#endif
