/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ticks - recognizes the kernel's tick among short gaps where there are no kernel records.
 *
 * While the loop runs, the tick comes at a fixed period and phase of CLOCK_MONOTONIC. The period is the resolution of the
 * kernel's coarse clocks. The phase is learned: it is the position of the window of 60 us, within the period, in which most short
 * gaps start. The phase is accepted once at least 30 and at least 70 % of the periods have a gap in the window (not counting
 * periods in which a longer gap hides the tick), and five times as many as gaps at random times would have. From then on a gap is
 * a tick if it is the first of its period that starts in the learned window (widened by 10 us on each side) and is no longer than
 * 4 times the median of the gaps learned from (at least 20 us, at most 100 us).
 *
 * Limits. Another short gap starts in the window by chance with probability window/period (2 % at 250 Hz). A tick that comes
 * late, that wakes a task, or that does much work counts as an event. On a CPU that is nearly always busy no tick is recognized
 * until it is less busy; ticks shorter than the threshold are not seen at all. A program that wakes once a tick looks like a
 * tick. Not needed with kernel records. Pure; fixed in size. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TICKS_LEARN 1024      /* number of gaps kept to learn from */
#define TICKS_SHORT_NS 100000 /* longer gaps are never ticks */

struct tick_detector {
	int64_t period_ns; /* set by the caller; 0: unknown, no tick is recognized */
	bool learned;	   /* the following four members are known */
	int64_t phase_ns;  /* a tick starts at this time modulo the period, or later */
	int64_t window_ns; /* a tick starts at most this long after phase_ns */
	int64_t longest_ns;
	int64_t slot;	  /* number of the period of the last tick */
	int64_t tried_ns; /* time of the last attempt to learn the phase */
	int n;		  /* number of gaps in `kept`, which is a ring */
	struct {
		int64_t start_ns, length_ns;
	} kept[TICKS_LEARN];
};

/* The tick's period in ns as the kernel says; 0: not known. */
int64_t ticks_period_ns(void);
/* Takes the next gap of one CPU, in ascending order, and tells whether it is a tick. False while the phase is being learned from
 * the gaps. */
bool ticks_classify_gap(struct tick_detector *t, int64_t start_ns, int64_t length_ns);
