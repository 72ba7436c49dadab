// SPDX-License-Identifier: GPL-3.0-or-later
/* turns - every page once a round, in the order asked for, at the rate asked for; the clock is a number. */
#include <math.h>

#include "clock.h"
#include "memhog/access_pattern.h"
#include "../unit.h"

#define PAGE 4096

static const size_t sizes[] = { 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 100, 1000, 4096, 4097, 65537 };

TEST(a_round_touches_every_page_once)
{
	for (int order = ACCESS_SEQ; order <= ACCESS_RANDOM; order++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			struct access_pattern t;
			char *touched = calloc(1, sizes[s]);

			assert_non_null(touched);
			pattern_init(&t, (enum access_order)order, sizes[s], PAGE, 0, 99, 0);
			for (uint64_t i = 0; i < 3 * sizes[s]; i++) {
				uint64_t page = pattern_page(&t, i);

				assert_true(page < sizes[s]);
				assert_int_equal(touched[page], i / sizes[s]);
				touched[page]++;
				assert_int_equal(pattern_round(&t, i), i / sizes[s]);
			}
			free(touched);
		}
	}
}

TEST(in_order_is_in_order)
{
	struct access_pattern t;

	pattern_init(&t, ACCESS_SEQ, 1000, PAGE, 0, 1, 0);
	for (uint64_t i = 0; i < 2500; i++)
		assert_int_equal(pattern_page(&t, i), i % 1000);
}

/* Of a random order of n the steps have a mean of (n + 1)/3, half of them go up, and few pages keep their neighbour. */
TEST(a_random_order_is_one_and_another_one_each_round)
{
	const uint32_t N = 10000;
	struct access_pattern t, other;
	uint64_t same = 0, same_seed = 0;

	pattern_init(&t, ACCESS_RANDOM, N, PAGE, 0, 5, 0);
	pattern_init(&other, ACCESS_RANDOM, N, PAGE, 0, 6, 0);
	for (uint64_t round = 0; round < 3; round++) {
		uint64_t up = 0, near = 0;
		double steps = 0;

		for (uint64_t i = 1; i < N; i++) {
			double step = (double)pattern_page(&t, round * N + i) - (double)pattern_page(&t, round * N + i - 1);

			steps += fabs(step);
			up += step > 0;
			near += fabs(step) < 2;
		}
		assert_true(fabs(steps / (N - 1) - (N + 1) / 3.0) < 0.03 * N); /* sd of the mean: 0.0024 N */
		assert_true((double)up > 0.47 * N && (double)up < 0.53 * N);   /* sd 0.003 N */
		assert_true(near < 20);					       /* expected: 2 */
	}
	for (uint64_t i = 0; i < N; i++) {
		same += pattern_page(&t, i) == pattern_page(&t, N + i);
		same_seed += pattern_page(&t, i) == pattern_page(&other, i);
	}
	assert_true(same < 12 && same_seed < 12); /* expected: 1 */
}

/* Two who take turns get each touch once. */
TEST(turns_follow_each_other_without_gap)
{
	static const double rates[] = { 0, 4096, 1e6, 123456789, 1e12 };

	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++) {
		struct access_pattern t;
		struct touch_batch turn;
		uint64_t next = 0;

		pattern_init(&t, ACCESS_SEQ, 77, PAGE, rates[r], 1, 1000);
		for (int i = 0; i < 1000; i++) {
			pattern_take_batch(&t, 1000, &turn);
			assert_int_equal(turn.first, next);
			assert_true(turn.count >= 1 && turn.count <= 256);
			next += turn.count;
		}
	}
}

/* n pages of 4096 bytes at R bytes per second take 4096 n / R seconds. */
TEST(touches_are_due_at_the_rate)
{
	static const double rates[] = { 4096, 40960, 1e6, 1e8, 1e10 };
	const int64_t start = 5 * NS_PER_S;

	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++) {
		struct access_pattern t;
		struct touch_batch turn;
		int64_t now = start;

		pattern_init(&t, ACCESS_SEQ, 1000, PAGE, rates[r], 1, start);
		for (int i = 0; i < 3000; i++) {
			pattern_take_batch(&t, now, &turn);
			assert_true(fabs((double)(turn.due_ns - start) - (double)turn.first * PAGE / rates[r] * 1e9) < 2);
			/* a turn is no burst: a millisecond's work, or one page */
			assert_true(turn.count == 1 || (double)turn.count * PAGE / rates[r] <= 1e-3 * (1 + 1e-9));
			now = turn.due_ns > now ? turn.due_ns : now;
		}
		assert_int_equal(t.given_up_ns, 0);
	}
}

/* At 1000 pages/s: late by 50 ms, it catches up; late by 2 s, it gives up what it missed, counts it and goes on at the rate. */
TEST(what_is_very_late_is_not_made_up_for)
{
	struct access_pattern t;
	struct touch_batch turn;
	int64_t now = 0;
	uint64_t before;

	pattern_init(&t, ACCESS_SEQ, 1000, PAGE, 1000.0 * PAGE, 1, 0);
	pattern_take_batch(&t, 0, &turn);
	now = 50 * NS_PER_MS;
	while (turn.due_ns <= now)
		pattern_take_batch(&t, now, &turn);
	assert_int_equal(turn.first, 51);
	assert_int_equal(t.given_up_ns, 0);
	now = turn.due_ns + 2 * NS_PER_S;
	before = turn.first;
	pattern_take_batch(&t, now, &turn);
	assert_int_equal(turn.first, before + 1);
	assert_true(llabs(t.given_up_ns - 2 * NS_PER_S) <= 2 * NS_PER_MS);
	assert_true(turn.due_ns == now);
	pattern_take_batch(&t, now, &turn);
	assert_true(llabs(turn.due_ns - now - NS_PER_MS) <= 2);
}

TEST(without_a_rate_nothing_is_due_or_late)
{
	struct access_pattern t;
	struct touch_batch turn;

	pattern_init(&t, ACCESS_RANDOM, 10, PAGE, 0, 1, 0);
	for (int i = 0; i < 10; i++) {
		pattern_take_batch(&t, i * NS_PER_DAY, &turn);
		assert_int_equal(turn.due_ns, 0);
		assert_int_equal(turn.count, 256);
	}
	assert_int_equal(t.given_up_ns, 0);
}
