/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rt - makes this process punctual: memory locked, real-time priority, no timer slack. Each where allowed. */
#ifndef THINPROBE_RT_H
#define THINPROBE_RT_H

#include <stdbool.h>
#include <stddef.h>

struct rt_state {
	bool locked;	/* mlockall succeeded */
	int fifo;	/* SCHED_FIFO priority got, 0: none */
	int why;	/* errno of the refused priority */
};

/* Asks for SCHED_FIFO at `priority` (0: don't ask), locks memory, sets the timer slack to 1 ns.
 * Never fails: `got` says what was granted. */
void rt_setup(int priority, struct rt_state *got);
/* "memory locked, SCHED_FIFO 20" or "memory not locked, normal priority (Operation not permitted)". */
void rt_describe(const struct rt_state *got, char *text, size_t size);

#endif
