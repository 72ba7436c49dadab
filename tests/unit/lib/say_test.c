// SPDX-License-Identifier: GPL-3.0-or-later
/* say - figures for people. */
#include <math.h>

#include "say.h"
#include "../unit.h"

TEST(numbers_have_three_digits)
{
	assert_string_equal(number_text(0), "0");
	assert_string_equal(number_text(-1e-320), "0");
	assert_string_equal(number_text(9.984), "9.98");
	assert_string_equal(number_text(9.996), "10.0");
	assert_string_equal(number_text(99.96), "100");
	assert_string_equal(number_text(20), "20.0");
	assert_string_equal(number_text(0.0503), "0.050");
	assert_string_equal(number_text(0.6949), "0.69");
	assert_string_equal(number_text(0.999), "1.00");
	assert_string_equal(number_text(1234), "1,230");
	assert_string_equal(number_text(-1234567), "-1,230,000");
	assert_string_equal(number_text(NAN), "-");
	assert_string_equal(number_text(INFINITY), "-");
}

TEST(counts_are_whole)
{
	assert_string_equal(count_text(0), "0");
	assert_string_equal(count_text(999), "999");
	assert_string_equal(count_text(48212), "48,212");
	assert_string_equal(counted_text(1, "run"), "1 run");
	assert_string_equal(counted_text(0, "run"), "0 runs");
	assert_string_equal(counted_text(48212, "run"), "48,212 runs");
	assert_string_equal(count_text(-1234567), "-1,234,567");
	assert_string_equal(count_text(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(units_fit_the_value)
{
	assert_string_equal(ns_text(0), "0 s");
	assert_string_equal(ns_text(412), "412 ns");
	assert_string_equal(ns_text(999.6), "1.00 µs");
	assert_string_equal(ns_text(31e3), "31.0 µs");
	assert_string_equal(ns_text(-5.2e6), "-5.20 ms");
	assert_string_equal(ns_text(10e9), "10.0 s");
	assert_string_equal(ns_text(96e9), "96.0 s");
	assert_string_equal(ns_text(724e9), "12 min 4 s");
	assert_string_equal(ns_text(12000e9), "3 h 20 min");
	assert_string_equal(ns_text(NAN), "-");
	assert_string_equal(bytes_text(663), "663 B");
	assert_string_equal(bytes_text(38.4e6), "38.4 MB");
	assert_string_equal(memory_text(4294967296.0), "4.00 GiB");
	assert_string_equal(memory_text(1024 * 1023.9), "1.00 MiB");
	assert_string_equal(bit_rate_text(5e6), "5.00 Mbit/s");
}

TEST(a_sample_says_what_it_supports)
{
	struct sample s = { 0 };

	for (int i = 1; i <= 40; i++)
		sample_add(&s, i * 1000);
	assert_string_equal(stat_text(&s, 0, 1000), "1.00");
	assert_string_equal(stat_text(&s, 0.5, 1000), "20.5");
	assert_string_equal(stat_text(&s, 0.99, 1000), "-");
	assert_string_equal(stat_text(&s, 1, 1000), "40.0");
	sample_add_censored(&s, 50000);
	assert_string_equal(stat_text(&s, 1, 1000), ">50.0");
	sample_free(&s);
	assert_string_equal(stat_text(&s, 1, 1000), "-");
}
