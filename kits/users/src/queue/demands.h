/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demands - service demand of a request at each resource, estimated from measured rows by least squares, with 95 % intervals.
 *
 * The only file of this room that includes GSL. Two sources, which can be combined:
 *	busy times: U = X D for each resource (utilization law; Denning & Buzen 1978), a line through the origin;
 *	response times: stations and a delay for which the model (models.h where rows have n and z, else an open M/M/1 each)
 *		gives the measured times; relative errors, by the Levenberg-Marquardt method from several starting points.
 * Demands stay positive (their logarithms are fitted). */
#pragma once

#include "observed.h"

struct demands_fit_cfg {
	size_t first; /* number of rows to use, from the first on; 0: all */
	int stations; /* stations to fit to response times, beside those with a busy time; -1: none if there are busy times, else one */
	bool no_delay; /* do not fit a constant delay */
	enum mva_method method;
};

struct service_demands {
	struct mva_network net;			      /* stations with a busy time first, in the order of their columns */
	double low[MVA_STATIONS], high[MVA_STATIONS]; /* ends of the demands' intervals; NAN: no interval */
	double delay_low, delay_high;
	size_t busy;	      /* number of stations with a busy time */
	size_t rows;	      /* number of rows used */
	size_t response_rows; /* rows with a response time that was fitted; 0: busy times alone */
	double error;	      /* root mean square of log(predicted / measured) response time; NAN: none */
};

/* Fits the demands. 0; -EINVAL with the reason in `why` if the rows are not sufficient. */
int demands_estimate(const struct observed_rows *o, const struct demands_fit_cfg *cfg, struct service_demands *out,
		     const char **why);

/* Predicts with the model: closed if n and z_s are numbers, else open at `rate` (x, r_s, q, u; r_s is INFINITY beyond
 * saturation). */
void demands_predict(const struct mva_network *net, enum mva_method method, double n, double z_s, double rate,
		     struct mva_solution *out);

/* Returns the largest number of users whose response time is at most r_s; 0: not even one; INFINITY: more than `most`. Users think
 * for z_s, or for n / nz if nz is a number. */
double demands_max_users(const struct mva_network *net, enum mva_method method, double r_s, double nz, double z_s, double most);
/* Returns the highest rate of an open stream whose response time is at most r_s; 0: even a single request takes longer. */
double demands_max_rate(const struct mva_network *net, double r_s);
