/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rt - prepares this process for precise timing: locked memory, real-time priority, no timer slack, each if permitted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct rt_granted {
	bool locked; /* the memory is */
	int fifo;    /* SCHED_FIFO priority granted; 0: none */
	int why;     /* errno if the priority was refused; 0: not refused */
};

/* Requests SCHED_FIFO at `priority` (0: not requested), locks the memory (but for that which cannot be used), and sets the timer
 * slack to 1 ns. *got: what was granted. */
void rt_setup(int priority, struct rt_granted *got);
/* Locks memory that was made so that the kernel does not lock it with the rest, if rt_setup() has locked the rest. */
void rt_lock(const void *at, size_t bytes);
/* What was requested and refused, with its cure, as a part of a sentence; NULL: nothing. Valid until the next call. */
const char *rt_refused_words(int priority, const struct rt_granted *got);
/* Describes what was granted: "memory locked, SCHED_FIFO 20", "memory not locked, normal priority (Operation not permitted)". */
void rt_describe(const struct rt_granted *got, char *text, size_t size);
