// SPDX-License-Identifier: GPL-3.0-or-later
#include "mva.h"

#include <math.h>
#include <string.h>

const char *const mva_methods[] = { "exact", "schweitzer", NULL };

#define TURNS 1000000
#define STILL 1e-14	/* of N: where a double has no more digits */

/* One step: response times from the queues that an arrival finds, then rate and queues from these. */
static void mva_step(const struct mva_net *net, double n, double z_s, const double *found, struct mva_point *p)
{
	double r = net->delay_s, at[MVA_STATIONS];

	for (size_t k = 0; k < net->stations; k++) {
		at[k] = net->demand_s[k] * (1 + found[k]);
		r += at[k];
	}
	p->x = n > 0 ? n / (r + z_s) : 0;
	p->r_s = r;
	for (size_t k = 0; k < net->stations; k++)
		p->at[k] = p->x * at[k];
}

static void exact(const struct mva_net *net, double n, double z_s, struct mva_point *p)
{
	for (double i = 1; i <= n; i++) {
		double found[MVA_STATIONS];

		memcpy(found, p->at, sizeof(found));
		mva_step(net, i, z_s, found, p);
	}
}

static void schweitzer(const struct mva_net *net, double n, double z_s, struct mva_point *p)
{
	double found[MVA_STATIONS], last[MVA_STATIONS], change, still = fmax(net->tolerance, STILL * n);
	int turn = 0;

	if (!(n > 0))
		return;
	for (size_t k = 0; k < net->stations; k++)
		p->at[k] = n / (double)net->stations;
	do {
		memcpy(last, p->at, sizeof(last));
		for (size_t k = 0; k < net->stations; k++)
			found[k] = n > 1 ? last[k] * (n - 1) / n : 0;
		mva_step(net, n, z_s, found, p);
		change = 0;
		for (size_t k = 0; k < net->stations; k++)
			change = fmax(change, fabs(p->at[k] - last[k]));
	} while (change >= still && ++turn < TURNS);
}

void mva_solve(const struct mva_net *net, enum mva_method method, double n, double z_s, struct mva_point *out)
{
	struct mva_bounds b;

	mva_bounds(net, &b);
	*out = (struct mva_point){ .r_s = b.r_min_s };
	(method == MVA_EXACT ? exact : schweitzer)(net, n, z_s, out);
	out->q = out->x * out->r_s;
	for (size_t k = 0; k < net->stations; k++)
		out->u[k] = out->x * net->demand_s[k];
}

void mva_bounds(const struct mva_net *net, struct mva_bounds *out)
{
	*out = (struct mva_bounds){ .r_min_s = net->delay_s };
	for (size_t k = 0; k < net->stations; k++) {
		out->r_min_s += net->demand_s[k];
		if (net->demand_s[k] > out->demand_max_s)
			out->demand_max_s = net->demand_s[k];
	}
	out->x_max = 1 / out->demand_max_s;
}

double mva_bound_x(const struct mva_bounds *b, double n, double z_s)
{
	return fmin(b->x_max, n / (b->r_min_s + z_s));
}

double mva_bound_r(const struct mva_bounds *b, double n, double z_s)
{
	return fmax(b->r_min_s, n * b->demand_max_s - z_s);
}
