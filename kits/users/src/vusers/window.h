/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window - the measuring window: requests due in it are measured; counts requests in flight and the gaps between sends. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct measuring_window {
	int64_t from_ns, end_ns;     /* CLOCK_MONOTONIC; end_ns INT64_MAX: until a signal */
	int64_t asked, asked_most;   /* requests in flight: now, and the most within the window */
	double asked_ns;	     /* integral of the requests in flight over the window */
	int64_t seen_ns;	     /* the end of that integral so far */
	int64_t gaps;		     /* number of gaps between sends */
	double gap_mean, gap_square; /* their mean in ns, and the sum of squared deviations from it */
	int64_t last_sent_ns;
};

/* Initialises *w at the time now_ns. */
void window_init(struct measuring_window *w, int64_t now_ns, int64_t from_ns, int64_t end_ns);
/* Whether a request that is due at due_ns is measured. */
bool window_contains(const struct measuring_window *w, int64_t due_ns);
/* A request is sent; a request has ended. Times ascend over all calls. */
void window_note_sent(struct measuring_window *w, int64_t now_ns);
void window_note_end(struct measuring_window *w, int64_t now_ns);
/* Ends the window now, if it has not ended before. */
void window_end_now(struct measuring_window *w, int64_t now_ns);
double window_seconds(const struct measuring_window *w); /* its length; 0 if it never began */
