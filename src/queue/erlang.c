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

/* P(R > t): service alone, or waiting (exponential, rate (m - a)/S) and then service. */
static double later(double t, double service_s, double servers, double load, double waits)
{
	double s = t / service_s, left = servers - load;

	if (fabs(left - 1) < 1e-9)	/* both phases have the same rate */
		return exp(-s) * (1 + waits * s);
	return exp(-s) + waits * (exp(-left * s) - exp(-s)) / (1 - left);
}

double erlang_open_quantile(double rate, double service_s, double servers, double p)
{
	double load = rate * service_s, waits = erlang_c(servers, load), low = 0, high = service_s;

	if (load >= servers)
		return INFINITY;
	while (later(high, service_s, servers, load, waits) > 1 - p)
		high *= 2;
	for (int i = 0; i < 200 && high > low; i++) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			break;
		if (later(middle, service_s, servers, load, waits) > 1 - p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Nobody at the server is all N thinking: Erlang's B of N servers with the load Z/S. */
void erlang_closed(double n, double z_s, double service_s, struct erlang_queue *out)
{
	double idle = erlang_b(n, z_s / service_s);

	*out = (struct erlang_queue){ .steady = true, .u = 1 - idle, .blocked = NAN };
	out->x = out->u / service_s;
	out->r_s = n > 0 ? n / out->x - z_s : service_s;
	out->w_s = out->r_s - service_s;
	out->q = out->x * out->r_s;
	/* who arrives sees the queue of N - 1 (Sevcik & Mitrani 1981) */
	out->waits = n > 1 ? 1 - erlang_b(n - 1, z_s / service_s) : 0;
}
