// SPDX-License-Identifier: GPL-3.0-or-later
#include "backlog.h"

#include <math.h>

/* Each half of the train is cut into so many parts, and their mean backlog taken: neighbours in a sawtooth are not
 * independent, parts longer than a tooth nearly are. */
#define PARTS 8
/* One-sided Student t, 6 degrees of freedom, 0.1 %. */
#define T_LIMIT 5.21
/* A rise of less than so many keys is not "growing", however straight. */
#define RISE_MIN 2.0

struct fitted_line {
	double slope, t;	/* t: slope over its standard error, infinite on a perfect line */
};

static struct fitted_line fit_line(const double *x, const double *y, size_t n)
{
	double mx = 0, my = 0, sxx = 0, sxy = 0, rest = 0;
	struct fitted_line line = { NAN, 0 };

	for (size_t i = 0; i < n; i++) {
		mx += x[i] / (double)n;
		my += y[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		sxx += (x[i] - mx) * (x[i] - mx);
		sxy += (x[i] - mx) * (y[i] - my);
	}
	if (!(sxx > 0))
		return line;
	line.slope = sxy / sxx;
	for (size_t i = 0; i < n; i++) {
		double d = y[i] - my - line.slope * (x[i] - mx);

		rest += d * d;
	}
	if (n > 2 && line.slope > 0)
		line.t = line.slope / sqrt(rest / (double)(n - 2) / sxx);
	return line;
}

/* Backlog just after key j fell due, j from `first` to `last` - 1: mean time (s from the train's start) and mean backlog. */
struct backlog_part {
	double at_s, backlog;
};

static struct backlog_part mean_part(const int64_t *due_ns, const int64_t *answer_ns, size_t n, size_t first, size_t last,
				     size_t *answered)
{
	struct backlog_part p = { 0, 0 };

	for (size_t j = first; j < last; j++) {
		while (*answered < n && answer_ns[*answered] <= due_ns[j])
			++*answered;
		p.at_s += (double)(due_ns[j] - due_ns[0]) / 1e9 / (double)(last - first);
		p.backlog += ((double)(j + 1) - (double)*answered) / (double)(last - first);
	}
	return p;
}

/* The slope over all points of the last half; parts are only for the judgement. */
static double slope(const int64_t *due_ns, const int64_t *answer_ns, size_t n)
{
	double mx = 0, my = 0, sxx = 0, sxy = 0, count = 0;
	size_t answered = 0;

	for (size_t j = n / 2; j < n; j++) {	/* running means and products (Welford) */
		double x = (double)(due_ns[j] - due_ns[0]) / 1e9, y, dx;

		while (answered < n && answer_ns[answered] <= due_ns[j])
			answered++;
		y = (double)(j + 1) - (double)answered;
		count++;
		dx = x - mx;
		mx += dx / count;
		my += (y - my) / count;
		sxx += dx * (x - mx);
		sxy += dx * (y - my);
	}
	return count >= 4 && sxx > 0 ? sxy / sxx : NAN;
}

void backlog_judge(const int64_t *due_ns, const int64_t *answer_ns, size_t n, struct backlog *out)
{
	double x[PARTS], y[PARTS], before = 0;
	size_t answered = 0, half = n / 2;
	struct fitted_line line;

	out->per_s = slope(due_ns, answer_ns, n);
	out->overloaded = false;
	if (n < 4 * PARTS)
		return;
	for (size_t i = 0; i < PARTS; i++) {
		struct backlog_part p = mean_part(due_ns, answer_ns, n, half * i / PARTS, half * (i + 1) / PARTS, &answered);

		if (p.backlog > before)
			before = p.backlog;
	}
	for (size_t i = 0; i < PARTS; i++) {
		struct backlog_part p = mean_part(due_ns, answer_ns, n, half + (n - half) * i / PARTS,
					  half + (n - half) * (i + 1) / PARTS, &answered);

		x[i] = p.at_s;
		y[i] = p.backlog;
	}
	line = fit_line(x, y, PARTS);
	/* Steady, by a real amount, and to where it has never been: a wave that happens to rise at the end has been there. */
	out->overloaded = line.t > T_LIMIT && line.slope * (x[PARTS - 1] - x[0]) >= RISE_MIN && y[PARTS - 1] > before;
}
