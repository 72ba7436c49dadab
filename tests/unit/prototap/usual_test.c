// SPDX-License-Identifier: GPL-3.0-or-later
/* usual - how soon a rise is seen. (How often chance alone is taken for one: tests/scenes/watch.tsv.) */
#include <math.h>

#include "prototap/usual.h"
#include "random.h"
#include "../unit.h"

#define MS 1000000LL
#define S (1000 * MS)

static uint64_t seed;

static int64_t lognormal(void) /* median 30 ms, sigma 0.8 */
{
	return (int64_t)(30e6 * exp(0.8 * random_normal(&seed)));
}

TEST(a_rise_is_seen_while_it_lasts)
{
	static struct usual u;

	seed = 7;
	usual_init(&u);
	for (int i = 0; i < 60; i++) {
		for (int k = 0; k < 3; k++)
			usual_add_value(&u, lognormal());
		usual_end_interval(&u, S, true, usual_find_rise(&u, &u, 0.5).sure_ns > 0);
	}
	for (int i = 0; i < 900; i++) { /* 15 minutes */
		for (int k = 0; k < 3; k++)
			usual_add_value(&u, 200 * MS + lognormal());
		if (i > 2)
			assert_true(usual_find_rise(&u, &u, 0.5).sure_ns > 100 * MS);
		usual_end_interval(&u, S, true, usual_find_rise(&u, &u, 0.5).sure_ns > 0);
	}
	for (int i = 0; i < 120; i++) { /* and what lasts is usual */
		for (int k = 0; k < 3; k++)
			usual_add_value(&u, 200 * MS + lognormal());
		usual_end_interval(&u, S, true, usual_find_rise(&u, &u, 0.5).sure_ns > 0);
	}
	usual_add_value(&u, 230 * MS);
	assert_int_equal(usual_find_rise(&u, &u, 0.5).sure_ns, 0);
}

/* Three of four above all of 40 usual ones: p = (1 / 41)^3 x 4 < 0.001. One alone never is. */
TEST(a_rise_needs_values)
{
	static struct usual u;

	usual_init(&u);
	for (int i = 0; i < 40; i++)
		usual_add_value(&u, 40 * MS);
	assert_int_equal(usual_find_rise(&u, &u, 0.5).seen_ns, 0); /* nothing to compare with */
	for (int i = 0; i < 120; i++) {
		usual_end_interval(&u, S, true, false);
		if (i < 100) /* one after the other, they are not alike */
			usual_add_value(&u, 40 * MS);
	}
	assert_int_equal(usual_quantile_ns(&u, 0.5), 40 * MS);
	usual_add_value(&u, 900 * MS);
	assert_int_equal(usual_find_rise(&u, &u, 0.5).seen_ns, 860 * MS);
	assert_int_equal(usual_find_rise(&u, &u, 0.5).sure_ns, 0);
	for (int i = 0; i < 3; i++)
		usual_add_value(&u, 140 * MS);
	assert_int_equal(usual_find_rise(&u, &u, 0.5).sure_ns, 100 * MS);
}
