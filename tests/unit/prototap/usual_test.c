#include "../unit.h"
// SPDX-License-Identifier: GPL-3.0-or-later
/* usual - waits of known distributions: how often chance alone is taken for a rise, and how soon a rise is seen. */
#include <math.h>

#include "prototap/usual.h"
#include "random.h"
#include "../unit.h"

#define MS 1000000LL
#define S (1000 * MS)

static uint64_t seed;

static int64_t lognormal(void) /* median 30 ms, sigma 0.8; Box and Muller */
{
	double a = 1 - random_fraction(&seed), b = random_fraction(&seed);

	return (int64_t)(30e6 * exp(0.8 * sqrt(-2 * log(a)) * cos(2 * M_PI * b)));
}

static int64_t uniform(void)
{
	return 10 * MS + (int64_t)(50e6 * random_fraction(&seed));
}

static int64_t bimodal(void)
{
	return random_bits(&seed) & 1 ? 8 * MS : 60 * MS;
}

/* Share of intervals with a rise of 20 ms and half of the usual value. */
static double share_of_rises(int64_t (*wait)(void), int per_interval, int intervals)
{
	static struct usual u;
	int rises = 0;

	usual_init(&u);
	for (int i = 0; i < intervals; i++) {
		int64_t rise;

		for (int k = 0; k < per_interval; k++)
			usual_add_value(&u, wait());
		rise = usual_find_rise(&u, 0.5).sure_ns;
		rise = rise >= 20 * MS && 2 * rise >= usual_quantile_ns(&u, 0.5) ? rise : 0;
		rises += rise > 0;
		usual_end_interval(&u, S, true, rise > 0);
	}
	return (double)rises / intervals;
}

TEST(chance_is_seldom_taken_for_a_rise)
{
	int64_t (*const waits[])(void) = { lognormal, uniform, bimodal };

	for (int w = 0; w < 3; w++)
		for (int n = 1; n <= 30; n = 3 * n + (n > 1)) {
			seed = (uint64_t)(w + 1);
			assert_true(share_of_rises(waits[w], n, 3600) <= 0.02);
		}
}

TEST(a_rise_is_seen_while_it_lasts)
{
	static struct usual u;

	seed = 7;
	usual_init(&u);
	for (int i = 0; i < 60; i++) {
		for (int k = 0; k < 3; k++)
			usual_add_value(&u, lognormal());
		usual_end_interval(&u, S, true, usual_find_rise(&u, 0.5).sure_ns > 0);
	}
	for (int i = 0; i < 900; i++) { /* 15 minutes */
		for (int k = 0; k < 3; k++)
			usual_add_value(&u, 200 * MS + lognormal());
		if (i > 2)
			assert_true(usual_find_rise(&u, 0.5).sure_ns > 100 * MS);
		usual_end_interval(&u, S, true, usual_find_rise(&u, 0.5).sure_ns > 0);
	}
	for (int i = 0; i < 120; i++) { /* and what lasts is usual */
		for (int k = 0; k < 3; k++)
			usual_add_value(&u, 200 * MS + lognormal());
		usual_end_interval(&u, S, true, usual_find_rise(&u, 0.5).sure_ns > 0);
	}
	usual_add_value(&u, 230 * MS);
	assert_int_equal(usual_find_rise(&u, 0.5).sure_ns, 0);
}

/* Four of four above all of 20 usual ones: p = (1 / 21)^3 x 4 < 0.001. One alone never is. */
TEST(a_rise_needs_values)
{
	static struct usual u;

	usual_init(&u);
	for (int i = 0; i < 20; i++)
		usual_add_value(&u, 40 * MS);
	assert_int_equal(usual_find_rise(&u, 0.5).seen_ns, 0); /* nothing to compare with */
	usual_end_interval(&u, S, true, false);
	for (int i = 0; i < 11; i++)
		usual_end_interval(&u, S, true, false);
	assert_int_equal(usual_quantile_ns(&u, 0.5), 40 * MS);
	usual_add_value(&u, 900 * MS);
	assert_int_equal(usual_find_rise(&u, 0.5).seen_ns, 860 * MS);
	assert_int_equal(usual_find_rise(&u, 0.5).sure_ns, 0);
	for (int i = 0; i < 3; i++)
		usual_add_value(&u, 140 * MS);
	assert_int_equal(usual_find_rise(&u, 0.5).sure_ns, 100 * MS);
}
