// SPDX-License-Identifier: GPL-3.0-or-later
/* binomial - against closed formulas and published tables. */
#include <math.h>

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

/* 10 of 100 late in two runs of five: (1 - 0.1) (1 + 1/2) 50 / 10 - 0.1 = 6.65 keys count as one: 2 of 15, of which 0.3634 is the
 * bound (Clopper and Pearson). */
TEST(the_bound_of_events_in_runs_counts_runs)
{
	struct binomial_runs a = { 0 }, b = { 0 };

	assert_true(isnan(binomial_runs_bound(&a, 1)));
	for (int i = 0; i < 50; i++) {
		binomial_runs_add(&a, i < 5);
		binomial_runs_add(&b, i >= 20 && i < 25);
	}
	binomial_runs_join(&a, &b);
	assert_near(binomial_runs_bound(&a, 1), 0.3634, 5e-4);
}
