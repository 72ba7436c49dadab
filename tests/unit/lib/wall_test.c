// SPDX-License-Identifier: GPL-3.0-or-later
/* wall - readings by hand: where the wall clock was between and beyond them, and whether it was set. */
#include "wall.h"

#include "../unit.h"

#define S 1000000000LL
#define MS 1000000LL

TEST(offset_is_interpolated)
{
	/* 1000 ahead at 10 s, 1400 at 12 s, 1000 again at 20 s */
	static const struct wall_reading r[] = { { 10 * S, 1000, 5 }, { 12 * S, 1400, 5 }, { 20 * S, 1000, 5 } };

	assert_int_equal(wall_offset_ns(r, 3, 1 * S), 1000);
	assert_int_equal(wall_offset_ns(r, 3, 10 * S), 1000);
	assert_int_equal(wall_offset_ns(r, 3, 11 * S), 1200);
	assert_int_equal(wall_offset_ns(r, 3, 12 * S), 1400);
	assert_int_equal(wall_offset_ns(r, 3, 18 * S), 1100);
	assert_int_equal(wall_offset_ns(r, 3, 99 * S), 1000);
	assert_int_equal(wall_offset_ns(r, 1, 5 * S), 1000);
}

TEST(there_and_back_is_the_same_time)
{
	static const struct wall_reading r[] = { { 10 * S, 1700000000 * S, 0 },
						 { 11 * S, 1700000000 * S + 400 * 1000, 0 },
						 { 12 * S, 1700000000 * S + 100 * 1000, 0 } };

	for (int64_t t = 9 * S; t < 13 * S; t += 123456789) {
		int64_t back = wall_monotonic_ns(r, 3, t + wall_offset_ns(r, 3, t));

		assert_in_range(back - t + 2, 0, 4); /* rounded twice */
	}
}

TEST(a_step_is_told_from_drift)
{
	/* 0.5 ms a second, as fast as NTP slews, a reading every 0.1 s: over a second and a fifth that is 0.6 ms */
	struct wall_reading r[50] = { { 0 } };

	assert_int_equal(wall_largest_step(r, 0), 0);
	assert_int_equal(wall_largest_step(r, 1), 0);
	for (int i = 0; i < 50; i++)
		r[i] = (struct wall_reading){ i * S / 10, 7 * S + i * 50000, 0 };
	assert_int_equal(wall_largest_step(r, 50), 600000);
	/* set by 5 ms between two readings, forward and back */
	for (int i = 25; i < 50; i++)
		r[i].offset_ns += 5 * MS;
	assert_in_range(wall_largest_step(r, 50), 5 * MS, 6 * MS);
	for (int i = 25; i < 50; i++)
		r[i].offset_ns -= 10 * MS;
	assert_in_range(wall_largest_step(r, 50), 4 * MS, 5 * MS);
	/* readings a second apart, interpolated: the ramp between two of them */
	for (int i = 0; i < 50; i++)
		r[i].offset_ns = i < 20 ? 0 : i < 30 ? (i - 20) * MS / 5 : 2 * MS;
	assert_in_range(wall_largest_step(r, 50), 1900000, 2000000);
	/* 2 ms in four seconds without a reading is drift */
	r[0] = (struct wall_reading){ 0, 0, 0 };
	r[1] = (struct wall_reading){ 4 * S, 2 * MS, 0 };
	assert_int_equal(wall_largest_step(r, 2), MS / 2);
}
