/* SPDX-License-Identifier: GPL-3.0-or-later */
/* models - queueing models.
 *
 * A closed network of queues: N users who think for Z and then ask, K stations that each serve one request at a time.
 *
 * Exact mean value analysis (Reiser & Lavenberg 1980, JACM 27(2)) and the approximation of Schweitzer (1979; Bard 1979), which
 * takes the queue that an arrival finds for (N-1)/N of what is there on average. Service is exponential (or processor sharing of
 * any kind); a demand is the time that one request needs of a station, over all its visits. Times in s, rates in 1/s. */
#ifndef THINPROBE_QUEUE_MODELS_H
#define THINPROBE_QUEUE_MODELS_H

#include <stdbool.h>
#include <stddef.h>

#define MVA_STATIONS 32

enum mva_method { MVA_EXACT, MVA_SCHWEITZER };
extern const char *const mva_methods[];

struct mva_net {
	double demand_s[MVA_STATIONS];	/* each >= 0, one of them above */
	size_t stations;		/* up to MVA_STATIONS */
	double delay_s;			/* of a request at no station: nobody waits for anybody there; counts as response */
	double tolerance;		/* Schweitzer: ends where no queue changes by more in a turn; 0: as far as a double goes */
};

struct mva_point {
	double x;			/* requests a second that leave, and that arrive */
	double r_s;			/* response time, delay_s in it */
	double q;			/* requests under way: x r_s (Little) */
	double u[MVA_STATIONS];		/* of each station, 0 to 1 */
	double at[MVA_STATIONS];	/* requests there, waiting or served */
};

/* `n` users (0 or more; a fraction only for Schweitzer: exact goes to the whole number below) who
 * think for `z_s`. Of the exact one, the work grows with n times the stations. */
void mva_solve(const struct mva_net *net, enum mva_method method, double n, double z_s, struct mva_point *out);

/* What no method can pass (asymptotic bounds; Denning & Buzen 1978): the rate that the busiest station allows, the time of a
 * request that never waits, the number of users where the two lines meet. */
struct mva_bounds {
	double demand_max_s;
	double x_max;		/* 1 / demand_max_s */
	double r_min_s;		/* the sum of the demands, and delay_s */
};
void mva_bounds(const struct mva_net *net, struct mva_bounds *out);
double mva_bound_x(const struct mva_bounds *b, double n, double z_s);	/* at most: min(x_max, n / (r_min + z)) */
double mva_bound_r(const struct mva_bounds *b, double n, double z_s);	/* at least: max(r_min, n demand_max - z) */

/* Single queues in closed form: M/M/1, M/M/m with Erlang's B and C (1917), M/M/1/N/N (the repairman).
 *
 * Arrivals and service are memoryless. Times in s, rates in 1/s. Where a queue has no steady state
 * (it gets more than it can serve), what would be infinite is INFINITY. */
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
