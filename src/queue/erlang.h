/* SPDX-License-Identifier: GPL-3.0-or-later */
/* erlang - single queues in closed form: M/M/1, M/M/m with Erlang's B and C (1917), M/M/1/N/N (the repairman).
 *
 * Arrivals and service are memoryless. Times in s, rates in 1/s. Where a queue has no steady state
 * (it gets more than it can serve), what would be infinite is INFINITY. */
#ifndef THINPROBE_QUEUE_ERLANG_H
#define THINPROBE_QUEUE_ERLANG_H

#include <stdbool.h>

struct erlang_queue {
	double x;		/* requests a second that leave */
	double u;		/* of each server */
	double r_s, w_s;	/* in the queue as a whole; of it, waiting */
	double q;		/* requests there, waiting or served */
	double blocked;		/* Erlang B: the share lost if nobody could wait */
	double waits;		/* Erlang C: the share that has to wait (finite N: that finds the server busy) */
	bool steady;
};

double erlang_b(double servers, double load);	/* load: rate times service time, in erlangs; servers whole, >= 0 */
double erlang_c(double servers, double load);	/* 1 where load >= servers */

/* `rate` requests a second, each served for `service_s` by one of `servers`. */
void erlang_open(double rate, double service_s, double servers, struct erlang_queue *out);
/* The response time that a share p (below 1) of the requests does not exceed, first come first served. */
double erlang_open_quantile(double rate, double service_s, double servers, double p);

/* `n` users (whole) who think for an exponential time of mean z_s > 0, and one server. */
void erlang_closed(double n, double z_s, double service_s, struct erlang_queue *out);

#endif
