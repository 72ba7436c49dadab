// SPDX-License-Identifier: GPL-3.0-or-later
#include "mdm.h"
#include "interval.h"

#include <math.h>

#define USERS_MAX 10000
#define STEPS 200		/* of an interval: no double has more */
#define TAIL 0.05		/* beyond p95 */

bool mdm_line_fit(const double *x, const double *y, size_t n, struct mdm_line *out)
{
	struct interval i;
	double mx = 0, my = 0, xx = 0, xy = 0;

	if (!interval_slope(x, y, n, &i))
		return false;
	for (size_t k = 0; k < n; k++) {
		mx += x[k] / (double)n;
		my += y[k] / (double)n;
	}
	for (size_t k = 0; k < n; k++) {
		xx += (x[k] - mx) * (x[k] - mx);
		xy += (x[k] - mx) * (y[k] - my);
	}
	*out = (struct mdm_line){ .slope = xy / xx, .low = i.low, .high = i.high, .start = my - xy / xx * mx, .mean_x = mx,
		.spread = xx / (double)n, .n = n };
	return true;
}

/* The variance of the height at x is that of the slope times (Sxx / n + (x - mean)^2). */
double mdm_line_at(const struct mdm_line *l, double x, int side)
{
	double half = (l->high - l->low) / 2, off = x - l->mean_x;

	return l->start + l->slope * x + side * half * sqrt(l->spread + off * off);
}

double mdm_line_reaches(const struct mdm_line *l, double full, int side)
{
	double low = l->mean_x, high = fmax(2 * fabs(l->mean_x), 1);

	if (mdm_line_at(l, low, side) >= full)
		return low;
	while (mdm_line_at(l, high, side) < full)
		if ((high *= 2) > 1e9)
			return INFINITY;
	for (int i = 0; i < STEPS; i++) {
		double middle = (low + high) / 2;

		if (mdm_line_at(l, middle, side) >= full)
			high = middle;
		else
			low = middle;
	}
	return high;
}

static double keys(const struct mdm *m, double users)
{
	return m->rate + m->typing * (users - 1);
}

double mdm_users(const struct mdm *m, double all)
{
	return 1 + (all - m->rate) / m->typing;
}

/* The wait with so many users: how many wait at all, and for how long these do. False: the CPUs are full. */
static bool wait_of(const struct mdm *m, double users, int side, double *p, double *theta_ms)
{
	double slope = side > 0 ? m->cpu.high : side < 0 ? m->cpu.low : m->cpu.slope;
	double u = mdm_line_at(&m->cpu, keys(m, users), side), others;

	if (!(u < 1))
		return false;
	others = users > 1 ? fmin(fmax(u - m->rate * slope, 0), 1) : 0;
	*p = pow(others, sqrt(2 * (m->servers + 1)) - 1);
	*theta_ms = 1000 * fmax(slope, 0) / (1 - u) / 2;	/* the slope is D / m */
	return true;
}

double mdm_p95(const struct mdm *m, double users, int side)
{
	double p, theta, mean, late;

	if (!wait_of(m, users, side, &p, &theta))
		return INFINITY;
	mean = p * theta;
	late = p > TAIL ? fmax(theta * log(p / TAIL) - mean, 0) : 0;
	return m->mean_ms + mean + hypot(m->p95_ms - m->mean_ms, late);
}

static double beyond(double p, double theta, double ms)
{
	return ms < 0 ? 1 : theta > 0 ? p * exp(-ms / theta) : 0;
}

double mdm_apdex(const struct mdm *m, double users, double t_ms, int side)
{
	double p, theta;

	if (!wait_of(m, users, side, &p, &theta))
		return 0;
	return 1 - (beyond(p, theta, t_ms - m->mean_ms) + beyond(p, theta, 4 * t_ms - m->mean_ms)) / 2;
}

double mdm_most(const struct mdm *m, bool apdex, double value, double t_ms, int side)
{
	for (double users = 1; users <= USERS_MAX; users++) {
		bool holds = apdex ? mdm_apdex(m, users, t_ms, side) >= value : mdm_p95(m, users, side) <= value;

		if (!holds)
			return users - 1;
	}
	return INFINITY;
}
