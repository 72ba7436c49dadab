// SPDX-License-Identifier: GPL-3.0-or-later
/* delays - which values of the delay accounting can be true, and sums of those. */
#include "clock.h"
#include "startup/delays.h"
#include "../../../../../tests/unit/unit.h"

#define S NS_PER_S

TEST(no_longer_than_it_has_been_there_times_its_threads)
{
	assert_true(delays_plausible(0, 0, 1));
	assert_true(delays_plausible(2 * S, 2 * S, 1));
	assert_false(delays_plausible(2 * S + 1, 2 * S, 1));
	assert_true(delays_plausible(8 * S, 2 * S, 4));
	assert_false(delays_plausible(8 * S + 1, 2 * S, 4));
	assert_false(delays_plausible(0, 2 * S, 0));
	assert_false(delays_plausible(UINT64_MAX, 2 * S, 4));
}

static struct delay_reading reading(int64_t blkio, int64_t swapin, int64_t thrashing, int64_t freepages)
{
	return (struct delay_reading){ { [DELAY_BLKIO] = (uint64_t)blkio,
					 [DELAY_SWAPIN] = (uint64_t)swapin,
					 [DELAY_THRASHING] = (uint64_t)thrashing,
					 [DELAY_FREEPAGES] = (uint64_t)freepages } };
}

TEST(garbage_is_discarded_and_counted_the_rest_kept)
{
	struct all_delays d = { 0 };
	struct delay_reading r, sum;

	r = reading(100, 0, 30, 7);
	assert_true(delays_add_reading(&d, 10, 5000, 1, 1 * S, &r));
	/* the uptime of ten days for a process of one second */
	r = reading(864000 * S, 0, 40, 8);
	assert_false(delays_add_reading(&d, 10, 5000, 1, 1 * S, &r));
	delays_sum(&d, &sum);
	assert_int_equal(sum.ns[DELAY_BLKIO], 100);
	assert_int_equal(sum.ns[DELAY_THRASHING], 40);
	assert_int_equal(sum.ns[DELAY_FREEPAGES], 8);
	assert_int_equal(d.readings, 8);
	assert_int_equal(d.discarded, 1);
	delays_free(&d);
}

TEST(processes_add_up_and_those_that_have_ended_stay)
{
	struct all_delays d = { 0 };
	struct delay_reading r, sum;

	for (int pid = 1; pid <= 200; pid++) {
		r = reading(pid, 1, 0, 0);
		assert_true(delays_add_reading(&d, pid, 5000, 1, 1 * S, &r));
	}
	/* one of them goes on, one ends and its number comes again */
	r = reading(1001, 1, 0, 0);
	assert_true(delays_add_reading(&d, 1, 5000, 1, 1 * S, &r));
	r = reading(10, 1, 0, 0);
	assert_true(delays_add_reading(&d, 2, 6000, 1, 1 * S, &r));
	delays_sum(&d, &sum);
	assert_int_equal(sum.ns[DELAY_BLKIO], 200 * 201 / 2 + 1000 + 10);
	assert_int_equal(sum.ns[DELAY_SWAPIN], 201);
	delays_free(&d);
}

TEST(a_process_that_had_more_threads_may_have_waited_longer)
{
	struct all_delays d = { 0 };
	struct delay_reading r = reading(3 * S, 0, 0, 0), sum;

	assert_false(delays_add_reading(&d, 1, 1, 1, 1 * S, &r));
	assert_true(delays_add_reading(&d, 1, 1, 4, 1 * S, &r));
	assert_true(delays_add_reading(&d, 1, 1, 1, 1 * S, &r)); /* three have ended, their waits count on */
	delays_sum(&d, &sum);
	assert_int_equal(sum.ns[DELAY_BLKIO], 3 * S);
	delays_free(&d);
}
