// SPDX-License-Identifier: GPL-3.0-or-later
#include "erlang.h"

#include <math.h>

/* The usual recursion, in 1/B: no factorial, no overflow. */
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

void erlang_open(double rate, double service_s, double servers, struct erlang_queue *out)
{
	double load = rate * service_s;

	*out = (struct erlang_queue){ .steady = load < servers, .blocked = erlang_b(servers, load), .waits = erlang_c(servers, load) };
	out->x = out->steady ? rate : servers / service_s;
	out->u = out->x * service_s / servers;
	out->w_s = out->steady ? out->waits * service_s / (servers - load) : INFINITY;
	out->r_s = service_s + out->w_s;
	out->q = out->steady ? rate * out->r_s : INFINITY;
}

/* P(R > t): service alone, or waiting (exponential, rate (m - a)/S) and then service: exp(-s) + C
 * (exp(-left s) - exp(-s)) / (1 - left), without the cancellation where both have nearly the same
 * rate, and without overflow where they have not. */
static double tail_probability(double t, double service_s, double servers, double load, double waits)
{
	double s = t / service_s, left = servers - load, more = 1 - left;

	if (more > 0)
		return exp(-s) - waits * exp(-left * s) * expm1(-more * s) / more;
	return exp(-s) * (1 + waits * (more < 0 ? expm1(more * s) / more : s));
}

double erlang_open_quantile(double rate, double service_s, double servers, double p)
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

/* Nobody at the server is all N thinking: Erlang's B of N servers with the load a = Z/S, here as
 * the odds (1 - B)/B, since 1 - B has no digits where B is near 1: odds(N) = (1 + odds(N - 1)) N/a.
 * Times by the queue that an arrival finds, which is that of N - 1 (Sevcik & Mitrani 1981): N/X - Z
 * has none where Z is much longer than R. */
void erlang_closed(double n, double z_s, double service_s, struct erlang_queue *out)
{
	double odds = 0, found = 0, r = service_s, busy = 0;

	*out = (struct erlang_queue){ .steady = true, .blocked = NAN };
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
