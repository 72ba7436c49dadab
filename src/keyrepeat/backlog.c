// SPDX-License-Identifier: GPL-3.0-or-later
#include "backlog.h"

#include <math.h>

/* Each half of the train is divided into 8 parts whose mean backlogs are fitted: neighbouring keys on one tooth of a sawtooth are
 * not independent, parts longer than a tooth nearly are. */
#define PARTS 8
#define T_LIMIT 5.21 /* one-sided Student t, 6 degrees of freedom, 0.1 % */
#define RISE_MIN 2.0 /* keys: a smaller rise does not count as growing, however straight */

/* Least-squares line through points added one by one (Welford): x in seconds from the first due time, y the backlog in keys. */
struct line_fit {
	double n, mean_x, mean_y, sxx, sxy, syy; /* sums of products of deviations from the means */
};

static void add_point(struct line_fit *l, double x, double y)
{
	double dx = x - l->mean_x, dy = y - l->mean_y;

	l->n++;
	l->mean_x += dx / l->n;
	l->mean_y += dy / l->n;
	l->sxx += dx * (x - l->mean_x);
	l->sxy += dx * (y - l->mean_y);
	l->syy += dy * (y - l->mean_y);
}

/* The slope over its standard error; infinite on a perfect line, 0 on a falling one. */
static double compute_slope_t(const struct line_fit *l)
{
	double residual = l->syy - l->sxy * l->sxy / l->sxx;

	return l->sxx > 0 && l->sxy > 0 ? l->sxy / l->sxx / sqrt(fmax(residual, 0) / (l->n - 2) / l->sxx) : 0;
}

/* Adds the backlog just after each of the keys `first` to `last` - 1 fell due. *answered: counts the answers before that time. */
static void add_backlog_points(struct line_fit *l, const int64_t *due_ns, const int64_t *answer_ns, size_t n, size_t first,
			       size_t last, size_t *answered)
{
	for (size_t j = first; j < last; j++) {
		while (*answered < n && answer_ns[*answered] <= due_ns[j])
			++*answered;
		add_point(l, (double)(due_ns[j] - due_ns[0]) / 1e9, (double)(j + 1) - (double)*answered);
	}
}

void backlog_judge(const int64_t *due_ns, const int64_t *answer_ns, size_t n, struct backlog_growth *out)
{
	struct line_fit all = { 0 }, parts = { 0 }, part = { 0 };
	double begin_s = 0, before = 0;
	size_t answered = 0, half = n / 2;

	add_backlog_points(&all, due_ns, answer_ns, n, half, n, &answered);
	out->per_s = all.n >= 4 && all.sxx > 0 ? all.sxy / all.sxx : NAN;
	out->overloaded = false;
	if (n < 4 * PARTS)
		return;
	answered = 0;
	for (size_t i = 0; i < 2 * PARTS; i++) {
		bool late = i >= PARTS;
		size_t k = i % PARTS, from = late ? half : 0, size = late ? n - half : half;

		part = (struct line_fit){ 0 };
		add_backlog_points(&part, due_ns, answer_ns, n, from + size * k / PARTS, from + size * (k + 1) / PARTS, &answered);
		if (late)
			add_point(&parts, part.mean_x, part.mean_y);
		else
			before = fmax(before, part.mean_y);
		if (i == PARTS)
			begin_s = part.mean_x;
	}
	/* steady, by a real amount, and higher than ever in the first half: a backlog that goes up and down may rise at the end */
	out->overloaded = compute_slope_t(&parts) > T_LIMIT && parts.sxy / parts.sxx * (part.mean_x - begin_s) >= RISE_MIN &&
			  part.mean_y > before;
}
