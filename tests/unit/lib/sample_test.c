// SPDX-License-Identifier: GPL-3.0-or-later
/* sample - against quantiles worked by hand from the definition (type 7: at (n - 1) p, linear between neighbours). */
#include <math.h>

#include "sample.h"
#include "../unit.h"

static struct sample *of(const int64_t *values, size_t n)
{
	static int64_t room[16];
	static struct sample s;

	s = (struct sample){ .value = room, .room = 16 };
	for (size_t i = 0; i < n; i++)
		sample_add(&s, values[i]);
	return &s;
}
#define OF(...) of((const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static void quantile_is(struct sample *s, double p, double value)
{
	struct sample_stat q = sample_quantile(s, p);

	assert_near(q.value, value, 1e-9);
	assert_false(q.above);
}

TEST(quantiles_are_type_7)
{
	/* The data of Hyndman and Fan's kind of example: n = 10, (n - 1) p = 9 p. */
	struct sample *s = OF(36, 7, 40, 41, 39, 15, 43, 47, 42, 49); /* 7 15 36 39 40 41 42 43 47 49 */

	quantile_is(s, 0, 7);
	quantile_is(s, 0.25, 36.75); /* at 2.25: 36 + 0.25 * 3 */
	quantile_is(s, 0.5, 40.5);   /* at 4.5 */
	quantile_is(s, 0.75, 42.75); /* at 6.75: 42 + 0.75 */
	quantile_is(s, 0.9, 47.2);   /* at 8.1: 47 + 0.1 * 2 */
	quantile_is(s, 1, 49);
	s = OF(7, 15, 36, 39, 40, 41);
	quantile_is(s, 0.25, 20.25); /* at 1.25: 15 + 0.25 * 21, as R and NumPy print it */
	quantile_is(s, 0.5, 37.5);
	quantile_is(s, 0.75, 39.75);
	s = OF(5);
	quantile_is(s, 0, 5);
	quantile_is(s, 0.5, 5);
	quantile_is(s, 1, 5);
	s = OF(-3, 3);
	quantile_is(s, 0.5, 0);
	quantile_is(s, 0.99, 2.94);
	s = OF(4, 4, 4, 4);
	quantile_is(s, 0.9, 4);
}

TEST(quantiles_of_a_large_sample)
{
	struct sample s = { 0 };

	sample_reserve(&s, 1001);
	for (int64_t i = 0; i <= 1000; i++)
		sample_add(&s, i * 577 % 1001); /* every number from 0 to 1000 once, out of order */
	quantile_is(&s, 0.5, 500);
	quantile_is(&s, 0.999, 999);
	quantile_is(&s, 0.9995, 999.5);
	sample_add(&s, 5000); /* after having been sorted */
	quantile_is(&s, 1, 5000);
	assert_int_equal(s.n, 1002);
	sample_free(&s);
	assert_int_equal(s.n, 0);
}

TEST(mean_and_sd_by_hand)
{
	struct sample *s = OF(2, 4, 4, 4, 5, 5, 7, 9); /* mean 5, squares 32, n - 1 = 7 */

	assert_near(sample_mean(s).value, 5, 1e-12);
	assert_near(sample_sd(s).value, sqrt(32.0 / 7), 1e-12);
	assert_near(sample_min(s).value, 2, 0);
	assert_near(sample_max(s).value, 9, 0);
	s = OF(7);
	assert_true(isnan(sample_sd(s).value));
	/* nanoseconds since boot, a microsecond apart: no digits lost */
	s = OF(8000000000000000, 8000000000001000, 8000000000002000);
	assert_near(sample_mean(s).value, 8000000000001000, 1);
	assert_near(sample_sd(s).value, 1000, 1e-3);
}

TEST(nothing_is_not_known)
{
	struct sample s = { 0 };

	assert_true(isnan(sample_quantile(&s, 0.5).value));
	assert_true(isnan(sample_mean(&s).value));
	assert_true(isnan(sample_sd(&s).value));
	assert_true(isnan(sample_min(&s).value));
	assert_true(isnan(sample_max(&s).value));
	assert_false(sample_supports(&s, 0.5));
	sample_free(&s);
}

TEST(later_than_stays_in_the_distribution)
{
	struct sample s = { 0 };
	struct sample_stat q;

	for (int64_t i = 1; i <= 8; i++)
		sample_add(&s, i * 10); /* 10 .. 80 */
	sample_add_censored(&s, 500);
	sample_add_censored(&s, 45); /* given up early: may be anything over 45 */
	/* 10 20 30 40 >45 50 60 70 80 >500: nothing below 45 is touched, all from there on is a lower bound */
	q = sample_quantile(&s, 0.25); /* at 2.25: 30 and 40 */
	assert_near(q.value, 32.5, 1e-9);
	assert_false(q.above);
	q = sample_quantile(&s, 1.0 / 3); /* at 3: 40, no weight on its neighbour */
	assert_near(q.value, 40, 1e-9);
	assert_false(q.above);
	q = sample_quantile(&s, 0.4); /* at 3.6: 40 and >45 */
	assert_near(q.value, 43, 1e-9);
	assert_true(q.above);
	q = sample_quantile(&s, 0.9);
	assert_true(q.above);
	q = sample_max(&s);
	assert_near(q.value, 500, 0);
	assert_true(q.above);
	assert_false(sample_min(&s).above);
	assert_true(sample_mean(&s).above);
	assert_near(sample_mean(&s).value, 90.5, 1e-9);
	assert_true(isnan(sample_sd(&s).value)); /* ten after 100 ms and one after more than 1 ms may all be equal */
	sample_free(&s);
	assert_int_equal(s.censored, 0);
}

TEST(all_later_than)
{
	struct sample s = { 0 };

	sample_add_censored(&s, 100);
	sample_add_censored(&s, 300);
	assert_true(sample_min(&s).above);
	assert_true(sample_quantile(&s, 0.5).above);
	assert_near(sample_quantile(&s, 0.5).value, 200, 0);
	assert_int_equal(s.censored, 2);
	assert_int_equal(s.censored_min, 100);
	sample_free(&s);
}

TEST(a_tail_needs_ten_values_beyond)
{
	struct sample s = { .n = 100 };

	assert_true(sample_supports(&s, 0.9));
	assert_false(sample_supports(&s, 0.95));
	s.n = 99;
	assert_false(sample_supports(&s, 0.9));
	s.n = 199;
	assert_false(sample_supports(&s, 0.95));
	s.n = 200;
	assert_true(sample_supports(&s, 0.95));
	s.n = 999;
	assert_false(sample_supports(&s, 0.99));
	s.n = 1000;
	assert_true(sample_supports(&s, 0.99));
	s.n = 9999;
	assert_false(sample_supports(&s, 0.999));
	s.n = 10000;
	assert_true(sample_supports(&s, 0.999));
	s.n = 1;
	assert_true(sample_supports(&s, 0.75));
}

TEST(reserved_room_is_kept)
{
	struct sample s = { 0 };
	int64_t *before;

	sample_reserve(&s, 5000);
	before = s.value;
	for (int64_t i = 0; i < 5000; i++)
		sample_add(&s, i);
	assert_ptr_equal(s.value, before); /* the measured loop did not allocate */
	sample_reserve(&s, 10);
	assert_ptr_equal(s.value, before);
	sample_free(&s);
}
