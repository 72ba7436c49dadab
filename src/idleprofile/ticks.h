/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ticks - tells the kernel's tick from other short parts where no kernel record does.
 *
 * While the loop runs the kernel's tick comes at a fixed period and phase of CLOCK_MONOTONIC. The period is what the
 * kernel says (it is the resolution of its coarse clocks); the phase is learned: it is where a window of 60 us, moved
 * along the period, holds the most of the starts of short parts. It is taken once at least 70 % of the slots are met (those
 * that begin while a longer part holds the CPU do not count), at least 30, and five times as many as parts at random
 * times would meet. From then on the first part in a slot that starts within the window that was learned (and 10 us
 * around it), and is no longer than 4 times the median of those learned from (at least 20 us, at most 100 us), is a tick.
 *
 * Limits. Some other short part starts in the window by chance: with probability window/period (2 % at 250 Hz) for each.
 * A tick that comes late, that leads to a task, or that does much work counts as an event. On a CPU that is nearly always
 * busy none is told apart until it is less so; and a tick shorter than the threshold is not there at all. A program
 * that wakes once a tick looks like one. With kernel records nothing of this is needed. Pure; fixed in size.
 */
#ifndef THINPROBE_TICKS_H
#define THINPROBE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#define TICKS_LEARN 1024		/* parts kept to learn from */
#define TICKS_SHORT_NS 100000		/* longer ones are no ticks */

struct tick_detector {
	int64_t period_ns;		/* set by the caller; 0: no tick is told apart */
	bool learned;			/* the rest is known */
	int64_t phase_ns;		/* a tick starts at this time modulo the period, at the earliest */
	int64_t window_ns;		/* and within this time after it */
	int64_t longest_ns;
	int64_t slot;			/* of the last tick */
	int64_t tried_ns;		/* when an estimate was last tried */
	int n;				/* how many are kept, the last in a circle */
	struct { int64_t start_ns, length_ns; } kept[TICKS_LEARN];
};

/* The tick's period as the kernel says; 0: it does not. */
int64_t ticks_kernel_period_ns(void);
/* Is it a tick? Parts of one CPU in ascending order. Until the phase is known it learns, and the answer is no. */
bool ticks_is_tick(struct tick_detector *t, int64_t start_ns, int64_t length_ns);

#endif
