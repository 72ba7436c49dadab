// SPDX-License-Identifier: GPL-3.0-or-later
/* coverage - the intervals hold the truth of simulated repeats as often as they state, also where keys are late in bursts. */

#define COVERAGE_AS_TEST
#include "../../../bench/coverage.c"
#include "../unit.h"

#define DRAWS 300 /* of 95 % in 300 draws, 91 % or fewer hold once in 400 */

/* (With the interval of single keys, 37 % of those in bursts held 0.5 %, and 64 % held 1 %.) */
TEST(late_shares_hold_in_bursts)
{
	static const double truth[] = { 0.005, 0.1 };

	for (size_t i = 0; i < COUNT(truth); i++)
		for (enum coverage_kind kind = ALONE; kind <= BURSTS; kind++) {
			struct coverage c = coverage_of_late_share(kind, 5, truth[i], DRAWS);

			assert_true(c.held > 0.91 && c.none == 0);
		}
}

/* (Of repeats that differ, 82 and 89 % held where a chance of 5 % told them apart.) */
TEST(late_shares_of_repeats_that_differ_hold)
{
	assert_true(coverage_of_late_share(APART, 3, 0.05, DRAWS).held > 0.85);
	assert_true(coverage_of_late_share(APART, 5, 0.05, DRAWS).held > 0.9);
}

/* Not by being wide: 50 keys late one by one, of 975, have 3.8 to 6.7 % by the exact interval. */
TEST(late_shares_of_single_keys_stay_narrow)
{
	assert_true(coverage_of_late_share(ALONE, 5, 0.05, DRAWS).width < 3.4);
}

TEST(latencies_hold)
{
	struct coverage c[C_FIGURES];

	for (size_t law = 0; law < 3; law++) {
		coverage_of_figures(&coverage_laws[law], ALONE, 5, DRAWS / 3, c);
		for (int i = C_P50; i <= C_P95; i++)
			assert_true(c[i].held > 0.87 && c[i].none < 0.5);
		assert_true(c[C_P99].none == 1); /* a stall of ten of 1,000 keys may have been missed */
	}
	coverage_of_figures(&coverage_laws[3], ALONE, 10, DRAWS / 5, c);
	for (int i = 0; i < C_FIGURES; i++)
		assert_true(i == C_P99 || (c[i].held > 0.83 && c[i].none < 0.3));
}

/* (With a stall's keys taken as many, 50 % of p95 held at 10 repeats.) */
TEST(percentiles_hold_beside_rare_stalls)
{
	struct coverage c[C_FIGURES];

	coverage_of_figures(&coverage_laws[0], RARE, 10, DRAWS / 3, c);
	for (int i = C_P50; i <= C_P95; i++)
		assert_true(c[i].held > 0.87 && c[i].none < 0.5);
}

/* (Taken as symmetric, 88 and 90 % held.) */
TEST(percentiles_hold_where_repeats_differ_by_a_factor)
{
	struct coverage c[C_FIGURES];

	for (size_t repeats = 5; repeats <= 10; repeats += 5) {
		coverage_of_figures(&coverage_laws[5], ALONE, repeats, DRAWS, c);
		assert_true(c[C_P95].held > 0.92 && c[C_P95].none < 0.5);
	}
}

/* (With Student's t over the p99 of repeats of 200 keys, 87 % held at the stop.) */
TEST(percentiles_hold_where_until_sure_stops)
{
	double repeats;

	assert_true(coverage_of_stop(&coverage_laws[1], ALONE, C_P99, 0.3, DRAWS / 6, &repeats).held > 0.87);
}

/* (Student's t on logarithms held 85, 65 and 57 % of these at 5, 7 and 9 values.) */
TEST(medians_of_two_modes_hold)
{
	for (size_t n = 5; n <= 9; n++)
		assert_true(coverage_of_values(ESTIMATE_MEDIAN_CI, NULL, 40, n, DRAWS).held > 0.89);
}
