// SPDX-License-Identifier: GPL-3.0-or-later
/* binomial - against closed formulas and published tables. */
#include <math.h>

#include "../near.h"
#include "binomial.h"
#include "../unit.h"

TEST(the_upper_bound_is_that_of_clopper_and_pearson)
{
	assert_true(isnan(binomial_share_bound(0, 0)));
	assert_near(binomial_share_bound(0, 1), 0.95, 1e-9);
	assert_near(binomial_share_bound(0, 1000), 1 - pow(0.05, 1e-3), 1e-9);
	assert_near(binomial_share_bound(0, 1000), 0.003, 1e-5);
	assert_near(binomial_share_bound(19, 20), pow(0.95, 1.0 / 20), 1e-9);
	assert_near(binomial_share_bound(20, 20), 1, 0);
	/* published tables: 1 of 10 -> 0.3942, 5 of 10 -> 0.7776, 2 of 50 -> 0.1206 (one-sided 95 %) */
	assert_near(binomial_share_bound(1, 10), 0.3942, 5e-5);
	assert_near(binomial_share_bound(5, 10), 0.7776, 5e-5);
	assert_near(binomial_share_bound(2, 50), 0.1206, 5e-5);
	/* large numbers: normal approximation */
	assert_near(binomial_share_bound(100000, 1000000), 0.1 + 1.6449 * sqrt(0.1 * 0.9 / 1e6), 3e-6);
}
