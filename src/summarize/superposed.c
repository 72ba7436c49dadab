// SPDX-License-Identifier: GPL-3.0-or-later
#include "superposed.h"

#include <math.h>

/* With n users, m = response + think and s = think / m: nobody asks again within the response, so up to it S = 1 and G
 * = 1 - x/m, and behind it the integrals are those of the think time alone, by s^(n - 1). All are closed. */
double superposed_cov(enum superposed_think how, double n, double think, double response)
{
	double m = response + think, s = think / m, within, behind, moment;

	if (!(n >= 1) || !(think > 0) || !(response >= 0) || !isfinite(m))
		return NAN;
	within = m * m * ((1 - pow(s, n)) / n - (1 - pow(s, n + 1)) / (n + 1));
	if (how == SUPERPOSED_UNIFORM)
		behind = response * think / n + 4 * think * think / (2 * n * (2 * n + 1));
	else
		behind = response * think / n + think * think / (n * n);
	moment = 2 * (within + pow(s, n - 1) * behind);
	return sqrt(fmax(0, moment * n * n / (m * m) - 1));
}
