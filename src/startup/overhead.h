/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overhead - how much of what memory pressure adds to a start-up is not the time of its input and output.
 *
 * After Xie and others' model: T_swap = T_startup - T0 is what paging adds, T_mm = T_swap - T_IO is
 * what memory management itself takes of it, e = T_mm / T_swap. T0: the same start without paging;
 * T_IO: its requests alone on the same device. Pure. */
#ifndef STARTUP_OVERHEAD_H
#define STARTUP_OVERHEAD_H

#include <stdint.h>

#define OVERHEAD_SPREADS 3	/* what T_startup exceeds T0 by must be more than so many times the spread of T0, or e would be noise */

/* e, which is negative where the requests overlapped with work or with one another; NAN where T_startup - T0 does not exceed
 * OVERHEAD_SPREADS times `t0_spread_ns` (the standard deviation of T0's runs), is not above 0, or t_io_ns < 0: not known. */
double overhead_share(int64_t startup_ns, int64_t t0_ns, int64_t t0_spread_ns, int64_t t_io_ns);

#endif
