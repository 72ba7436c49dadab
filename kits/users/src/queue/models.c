// SPDX-License-Identifier: GPL-3.0-or-later
#include "models.h"

#include <math.h>
#include <string.h>

const char *const mva_methods[] = { "exact", "schweitzer", NULL };

#define TURNS 1000000
#define STILL 1e-14 /* convergence threshold relative to N: a double has no more digits */

/* One step of MVA: response times from the queues that an arrival finds, then throughput and queues. */
static void iterate_once(const struct mva_network *net, double n, double z_s, const double *found, struct mva_solution *p)
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

static void solve_exact(const struct mva_network *net, double n, double z_s, struct mva_solution *p)
{
	for (double i = 1; i <= n; i++) {
		double found[MVA_STATIONS];

		memcpy(found, p->at, sizeof(found));
		iterate_once(net, i, z_s, found, p);
	}
}

static void solve_schweitzer(const struct mva_network *net, double n, double z_s, struct mva_solution *p)
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
		iterate_once(net, n, z_s, found, p);
		change = 0;
		for (size_t k = 0; k < net->stations; k++)
			change = fmax(change, fabs(p->at[k] - last[k]));
	} while (change >= still && ++turn < TURNS);
}

void mva_solve(const struct mva_network *net, enum mva_method method, double n, double z_s, struct mva_solution *out)
{
	struct mva_bounds b;

	mva_compute_bounds(net, &b);
	*out = (struct mva_solution){ .r_s = b.r_min_s };
	(method == MVA_EXACT ? solve_exact : solve_schweitzer)(net, n, z_s, out);
	out->q = out->x * out->r_s;
	for (size_t k = 0; k < net->stations; k++)
		out->u[k] = out->x * net->demand_s[k];
}

void mva_compute_bounds(const struct mva_network *net, struct mva_bounds *out)
{
	*out = (struct mva_bounds){ .r_min_s = net->delay_s };
	for (size_t k = 0; k < net->stations; k++) {
		out->r_min_s += net->demand_s[k];
		if (net->demand_s[k] > out->demand_max_s)
			out->demand_max_s = net->demand_s[k];
	}
	out->x_max = 1 / out->demand_max_s;
}

double mva_max_throughput(const struct mva_bounds *b, double n, double z_s)
{
	return fmin(b->x_max, n / (b->r_min_s + z_s));
}

double mva_min_response(const struct mva_bounds *b, double n, double z_s)
{
	return fmax(b->r_min_s, n * b->demand_max_s - z_s);
}

/* --- single queues ------------------------------------------------------------------------------------------------ */

/* The usual recursion for 1/B, without factorials and overflow. */
double erlang_b(double servers, double load)
{
	double inverse = 1;

	if (!(load > 0))
		return servers > 0 ? 0 : 1;
	for (double m = 1; m <= servers && isfinite(inverse); m++)
		inverse = 1 + inverse * m / load;
	return 1 / inverse;
}

double erlang_c(double servers, double load)
{
	double b = erlang_b(servers, load);

	return load >= servers ? 1 : b * servers / (servers - load * (1 - b));
}

void erlang_open_queue(double rate, double service_s, double servers, struct erlang_figures *out)
{
	double load = rate * service_s;

	*out = (struct erlang_figures){ .steady = load < servers,
					.blocked = erlang_b(servers, load),
					.waits = erlang_c(servers, load) };
	out->x = out->steady ? rate : servers / service_s;
	out->u = out->x * service_s / servers;
	out->w_s = out->steady ? out->waits * service_s / (servers - load) : INFINITY;
	out->r_s = service_s + out->w_s;
	out->q = out->steady ? rate * out->r_s : INFINITY;
}

/* P(R > t) of service alone, or of waiting (exponential, rate (m - a)/S) and then service: exp(-s) + C (exp(-left s) - exp(-s)) /
 * (1 - left), written without cancellation where both rates are nearly equal, and without overflow where they are not. */
static double tail_probability(double t, double service_s, double servers, double load, double waits)
{
	double s = t / service_s, left = servers - load, more = 1 - left;

	if (more > 0)
		return exp(-s) - waits * exp(-left * s) * expm1(-more * s) / more;
	return exp(-s) * (1 + waits * (more < 0 ? expm1(more * s) / more : s));
}

double erlang_quantile(double rate, double service_s, double servers, double p)
{
	double load = rate * service_s, waits = erlang_c(servers, load), low = 0, high = service_s;

	if (load >= servers)
		return INFINITY;
	while (tail_probability(high, service_s, servers, load, waits) > 1 - p)
		high *= 2;
	for (int i = 0; i < 200 && high > low; i++) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			break;
		if (tail_probability(middle, service_s, servers, load, waits) > 1 - p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The server is idle if all N users think: Erlang's B of N servers with the load a = Z/S, computed as the odds (1 - B)/B, since 1 -
 * B loses its digits where B is near 1: odds(N) = (1 + odds(N - 1)) N/a. Response times come from the queue that an arrival finds,
 * the queue with N - 1 users (Sevcik & Mitrani 1981): N/X - Z loses its digits where Z is much longer than R. */
void erlang_closed_queue(double n, double z_s, double service_s, struct erlang_figures *out)
{
	double odds = 0, found = 0, r = service_s, busy = 0;

	*out = (struct erlang_figures){ .steady = true, .blocked = NAN };
	for (double i = 1; i <= n; i++) {
		out->waits = busy;
		odds = (1 + odds) * i * service_s / z_s;
		busy = isinf(odds) ? 1 : odds / (1 + odds);
		r = service_s * (1 + found);
		found = i * r / (r + z_s);
	}
	out->u = busy;
	out->x = busy / service_s;
	out->r_s = r;
	out->w_s = r - service_s;
	out->q = found;
}
