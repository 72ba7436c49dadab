// SPDX-License-Identifier: GPL-3.0-or-later
#include "combine.h"
#include "interval.h"
#include "whole.h"

#include <math.h>

static double most(const struct means *m)
{
	double v = NAN;

	for (size_t i = 0; i < m->n; i++)
		v = fmax(v, m->v[i]);
	return v;
}

static double least(const struct means *m)
{
	double v = NAN;

	for (size_t i = 0; i < m->n; i++)
		v = fmin(v, m->v[i]);
	return v;
}

static double band(const struct means *m)
{
	double n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += 1 / (m->v[i] * m->v[i]);
	return 1 / sqrt(n);
}

bool combine_has_ends(enum combine how)
{
	return how == COMBINE_SPREAD || how == COMBINE_TIMES;
}

double combine_one(enum combine how, const struct means *m)
{
	if (!m->n)
		return NAN;
	switch (how) {
	case COMBINE_MOST:
		return most(m);
	case COMBINE_SUM:
		return means_of(m) * (double)m->n;
	case COMBINE_BAND:
		return band(m);
	case COMBINE_CHANCE:
		return fmin(1, least(m) * (double)m->n);
	case COMBINE_SPREAD:
	case COMBINE_TIMES:
	case COMBINE_MEAN:
		break;
	}
	return means_of(m);
}

static void write_times(struct rows *t, const struct means *m, int decimals, int64_t seed)
{
	double mean = means_of(m);
	struct interval i;

	if (m->n >= INTERVAL_BOOTSTRAP_FROM || !interval_t_log(m->v, m->n, &i)) {
		means_write(t, m, 0, decimals, seed);
		return;
	}
	whole_number(t, mean, decimals);
	whole_number(t, fmin(i.low, mean), decimals);
	whole_number(t, fmax(i.high, mean), decimals);
}

void combine_write(struct rows *t, enum combine how, const struct means *m, int decimals, int64_t seed)
{
	if (how == COMBINE_SPREAD)
		means_write(t, m, 0, decimals, seed);
	else if (how == COMBINE_TIMES)
		write_times(t, m, decimals, seed);
	else
		whole_number(t, combine_one(how, m), decimals);
}
