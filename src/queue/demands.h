/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demands - what each request needs of each resource, from measured rows: least squares, with 95 % intervals.
 *
 * The only file of this room that names GSL. Two sources, which may both be there:
 *  - busy times: U = X D for each resource (utilization law; Denning & Buzen 1978), a line through the origin;
 *  - response times: stations and a delay for which the model (models.h where rows have n and z, else
 *    an open M/M/1 each) gives what was measured; relative errors alike, by Levenberg and Marquardt
 *    from several beginnings. Demands stay positive (they are fitted as logarithms). */
#ifndef THINPROBE_QUEUE_DEMANDS_H
#define THINPROBE_QUEUE_DEMANDS_H

#include "models.h"
#include "observed.h"

struct demands_cfg {
	size_t first;		/* only so many rows, in their order; 0: all */
	int stations;		/* beside those with a busy time, that response times tell of; -1: none beside such, else one */
	bool no_delay;		/* there is no time that nobody waits for */
	enum mva_method method;
};

struct demands {
	struct mva_net net;			/* stations with a busy time first, in the order of the columns */
	double low[MVA_STATIONS], high[MVA_STATIONS];	/* NAN: no interval */
	double delay_low, delay_high;
	size_t busy;				/* stations from busy times */
	size_t rows;				/* used */
	size_t response_rows;			/* of them, with a response time that was fitted; 0: busy times alone */
	double error;				/* root mean square of log(predicted / measured) response time there; NAN */
};

/* 0; -EINVAL with `why` where the rows do not allow it; -ENOMEM. */
int demands_fit(const struct observed *o, const struct demands_cfg *cfg, struct demands *out, const char **why);

/* What the model says of a load: closed where n and z_s are numbers, else open at `rate` (x, r_s,
 * q, u; r_s INFINITY where it is too much). */
void demands_predict(const struct mva_net *net, enum mva_method method, double n, double z_s, double rate, struct mva_point *out);

/* The most users whose response time is not above this, up to `most` and then INFINITY; 0: not even
 * one. They think for z_s, or where nz is a number for n / nz. */
double demands_most_users(const struct mva_net *net, enum mva_method method, double r_s, double nz, double z_s, double most);
/* The most requests a second of an open stream whose response time is not above this; 0: even one alone takes longer. */
double demands_most_rate(const struct mva_net *net, double r_s);

#endif
