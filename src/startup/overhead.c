// SPDX-License-Identifier: GPL-3.0-or-later
#include "overhead.h"

#include <math.h>

double overhead_share(int64_t startup_ns, int64_t t0_ns, int64_t t0_spread_ns, int64_t t_io_ns)
{
	int64_t swap_ns = startup_ns - t0_ns;

	if (t_io_ns < 0 || swap_ns <= 0 || swap_ns <= OVERHEAD_SPREADS * t0_spread_ns)
		return NAN;
	return (double)(swap_ns - t_io_ns) / (double)swap_ns;
}
