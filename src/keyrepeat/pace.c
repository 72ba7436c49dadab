// SPDX-License-Identifier: GPL-3.0-or-later
#include "pace.h"
#include "ascending.h"

#include <stdlib.h>

int64_t pace_choose_period_ns(int64_t *answer_time_ns, size_t n, int64_t period_ns)
{
	int64_t typical;

	if (!n)
		return period_ns;
	qsort(answer_time_ns, n, sizeof(*answer_time_ns), ascending_int64);
	typical = answer_time_ns[n >= 10 ? n - 3 : n > 1 ? n - 2 : 0];
	return typical <= period_ns / 3 * 2 ? period_ns : 2 * typical;
}

int64_t pace_stretch_offset_ns(int64_t offset_ns, int64_t period_ns, int64_t slower_ns)
{
	return slower_ns == period_ns ? offset_ns : (int64_t)((double)offset_ns / (double)period_ns * (double)slower_ns);
}
