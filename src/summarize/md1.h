/* SPDX-License-Identifier: GPL-3.0-or-later */
/* md1 - how long who comes at any time waits in a queue of frames of one length that come at
 * random. */
#ifndef THINPROBE_SUMMARIZE_MD1_H
#define THINPROBE_SUMMARIZE_MD1_H

/* A queue with one server, frames of one length and arrivals at random (M/D/1), in units of the
 * time that one frame takes on the link: how much work is ahead of who comes at any time, of that
 * what exceeds `credit` (a token bucket lets so much through at once), its mean and its variance.
 * Credit 0: Pollaczek and Khinchine; above that from the distribution (Crommelin 1932; Erlang
 * 1909). `load` below 1 and credit up to MD1_CREDIT_MOST, else NAN. */
#define MD1_CREDIT_MOST 12
struct md1 {
	double mean, variance;
};
struct md1 md1_wait(double load, double credit);
/* Chance that no more work than x is ahead. */
double md1_share(double load, double x);

#endif
