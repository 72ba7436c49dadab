// SPDX-License-Identifier: GPL-3.0-or-later
/* noise - counts from the command line, and Garwood's bound against printed tables (chi-squared 0.95 of 2n + 2, halved). */
#include "prototap/latency.h"

#include <math.h>
#include "../unit.h"

TEST(other_words_are_refused)
{
	static const char *const wrong[] = { "",
					     "/",
					     "3",
					     "3/",
					     "/60s",
					     "-1/60s",
					     "1.5/60s",
					     "1/0s",
					     "1/-5s",
					     "1/60s/2",
					     "x/60s",
					     "1 /60s",
					     "99999999999999999999999999/60s" };
	struct idle_updates n = { 0 };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_not_equal(idle_add_update_count(&n, wrong[i]), 0);
	assert_int_equal(n.window_ns, 0);
}

TEST(bound_is_that_of_the_tables)
{
	static const struct {
		int64_t n;
		double high;
	} table[] = {
		{ 0, 2.9957 },	{ 1, 4.7439 },	 { 2, 6.2958 },	  { 3, 7.7537 },
		{ 5, 10.5130 }, { 10, 16.9622 }, { 30, 40.6905 }, { 49, 62.1711 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		assert_true(fabs(poisson_bound(table[i].n) - table[i].high) < 1e-3);
	/* far out it is that of a normal variable: n + 1.645 sqrt(n) + about 1.6 */
	assert_true(fabs(poisson_bound(1000000) - 1000000 - 1644.85 - 1.57) < 0.5);
}
