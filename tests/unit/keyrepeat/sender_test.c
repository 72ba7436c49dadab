// SPDX-License-Identifier: GPL-3.0-or-later
/* The learnt busy loop: as long as 199 of 200 wake-ups of a known distribution take. */
#include "../unit.h"
#include "keyrepeat/sender.h"
#include "clock.h"
#include "random.h"

#include <math.h>

enum { N = 200000 };

TEST(one_in_two_hundred_wake_ups_is_late)
{
	int64_t spin = 100 * NS_PER_US, sum = 0, late = 0;
	uint64_t rng = 1;

	for (int64_t i = 0; i < 2 * N; i++) {
		/* 5 us and an exponential distribution of mean 10: of it 199 in 200 are within 5 + 10 ln 200 = 58.0 */
		int64_t woke = 5000 - (int64_t)(10000 * log1p(-random_fraction(&rng)));

		late += i >= N && woke > spin;
		sum += i >= N ? spin : 0;
		spin = sender_learn_spin(spin, woke);
	}
	assert_in_range(late, N / 400, N / 100);
	assert_in_range(sum / N, 50 * NS_PER_US, 75 * NS_PER_US);
}

TEST(it_stays_within_its_limits)
{
	int64_t spin = 100 * NS_PER_US;

	for (int i = 0; i < 2000; i++)
		spin = sender_learn_spin(spin, 5 * NS_PER_US);
	assert_int_equal(spin, 15 * NS_PER_US);
	for (int i = 0; i < 20; i++)
		spin = sender_learn_spin(spin, NS_PER_MS);
	assert_int_equal(spin, 300 * NS_PER_US);
}
