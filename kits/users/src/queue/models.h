/* SPDX-License-Identifier: GPL-3.0-or-later */
/* models - queueing models.
 *
 * A closed network of queues: N users who think for Z between a response and their next request, K stations that each serve one
 * request at a time. Solved by exact mean value analysis (MVA; Reiser & Lavenberg 1980, JACM 27(2)), or by Schweitzer's
 * approximation (1979; Bard 1979), which takes the queue found by an arrival as (N-1)/N of the mean queue. Service is exponential
 * (or processor sharing of any kind); a demand is the service time of one request at a station, over all its visits. Times in s,
 * rates in 1/s. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MVA_STATIONS 32

enum mva_method { MVA_EXACT, MVA_SCHWEITZER };
extern const char *const mva_methods[];

struct mva_network {
	double demand_s[MVA_STATIONS]; /* each >= 0, at least one > 0 */
	size_t stations;	       /* at most MVA_STATIONS */
	double delay_s;		       /* time of a request outside the stations, without queueing; part of the response time */
	double tolerance; /* Schweitzer: convergence threshold for the change of any queue in one iteration; 0: machine precision */
};

struct mva_solution {
	double x;		 /* throughput, requests per second */
	double r_s;		 /* response time, including delay_s */
	double q;		 /* requests in the system: x r_s (Little's law) */
	double u[MVA_STATIONS];	 /* utilization of each station, 0 to 1 */
	double at[MVA_STATIONS]; /* requests at each station, waiting or in service */
};

/* Solves the network for `n` users who think for z_s. n >= 0; a fraction only for Schweitzer: the exact method rounds down. The
 * exact method takes time proportional to n times the stations. */
void mva_solve(const struct mva_network *net, enum mva_method method, double n, double z_s, struct mva_solution *out);

/* Asymptotic bounds (Denning & Buzen 1978), which no method can exceed. */
struct mva_bounds {
	double demand_max_s;
	double x_max;	/* highest throughput: 1 / demand_max_s */
	double r_min_s; /* response time without queueing: sum of the demands and delay_s */
};
void mva_compute_bounds(const struct mva_network *net, struct mva_bounds *out);
/* upper bound of throughput: min(x_max, n / (r_min + z)) */
double mva_max_throughput(const struct mva_bounds *b, double n, double z_s);
/* lower bound of response time: max(r_min, n demand_max - z) */
double mva_min_response(const struct mva_bounds *b, double n, double z_s);

/* Single queues in closed form: M/M/1, M/M/m with Erlang's B and C (1917), M/M/1/N/N (machine repairman). Arrivals and service are
 * memoryless. Times in s, rates in 1/s. Figures of a queue without a steady state (overload) are INFINITY. */
struct erlang_figures {
	double x;	 /* throughput, requests per second */
	double u;	 /* utilization of each server */
	double r_s, w_s; /* response time; waiting time, which is part of it */
	double q;	 /* mean number of requests, waiting or in service */
	double blocked;	 /* Erlang B: share of requests lost if no request could wait */
	double waits;	 /* Erlang C: share of requests that have to wait (closed queue: that find the server busy) */
	bool steady;
};

/* load: rate times service time, in erlangs; servers: whole, >= 0 */
double erlang_b(double servers, double load);
double erlang_c(double servers, double load); /* 1 where load >= servers */

/* Open queue: `rate` requests per second, each served for `service_s` by one of `servers`. */
void erlang_open_queue(double rate, double service_s, double servers, struct erlang_figures *out);
/* Response time that a share p (below 1) of the requests does not exceed, first come first served. */
double erlang_quantile(double rate, double service_s, double servers, double p);

/* Closed queue: one server and `n` users (whole) who think for an exponential time of mean z_s > 0. */
void erlang_closed_queue(double n, double z_s, double service_s, struct erlang_figures *out);
