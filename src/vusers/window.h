/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window - the time whose requests count, and what is summed over it while the run lasts: how many
 * are under way, and the gaps between sends. Pure. */
#ifndef THINPROBE_VUSERS_WINDOW_H
#define THINPROBE_VUSERS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct window {
	int64_t from_ns, end_ns;	/* end: INT64_MAX while nobody knows */
	int64_t asked, asked_most;	/* at once: now, and within the window (those of before it are among them) */
	double asked_ns;		/* integral over the window */
	int64_t seen_ns;		/* it goes up to here */
	int64_t gaps;			/* between sends: how many, mean, and sum of squares about it */
	double gap_mean, gap_square;
	int64_t last_sent_ns;
};

/* All else 0. */
void window_open(struct window *w, int64_t now_ns, int64_t from_ns, int64_t end_ns);
/* Whether what is due then is measured. */
bool window_holds(const struct window *w, int64_t due_ns);
/* A request goes; one that went is over. Times ascend. */
void window_asked(struct window *w, int64_t now_ns);
void window_over(struct window *w, int64_t now_ns);
/* It ends now, if it has not. */
void window_close(struct window *w, int64_t now_ns);
double window_seconds(const struct window *w);	/* 0 where it never began */

#endif
