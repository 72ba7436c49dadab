// SPDX-License-Identifier: GPL-3.0-or-later
#include "figure.h"

#define SAME 0.01 /* ends that differ by no more than this share are one number to a reader */

struct figure figure_exact(double value)
{
	struct figure f = FIGURE_ABSENT;

	f.value = f.from = f.to = value;
	return f;
}

struct figure figure_absent(const char *why)
{
	struct figure f = FIGURE_ABSENT;

	f.why = why;
	return f;
}

struct figure figure_statistic(struct sample_stat statistic)
{
	return figure_make_range(statistic, statistic);
}

struct figure figure_make_range(struct sample_stat early, struct sample_stat late)
{
	struct figure f = FIGURE_ABSENT;
	bool same;

	if (isnan(early.value) || isnan(late.value))
		return f;
	same = late.value - early.value <= SAME * fabs(late.value);
	f.above = late.above;
	f.from = same ? late.value : early.value;
	f.to = late.above ? (double)INFINITY : late.value;
	if (same)
		f.value = late.value;
	else
		f.why = "range";
	return f;
}

bool figure_known(const struct figure *f)
{
	return !isnan(f->from);
}

bool figure_is_range(const struct figure *f)
{
	return figure_known(f) && isnan(f->value);
}
