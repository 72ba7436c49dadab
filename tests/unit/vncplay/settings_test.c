// SPDX-License-Identifier: GPL-3.0-or-later
/* settings - response times of four runs, grouped and counted by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "vncplay/settings.h"

static char a[] = "slow", b[] = "fast", c[] = "slow", d[] = "1";
static struct latencies_run run[] = { { a, 10 }, { b, 11 }, { c, 14 }, { d, 12 } };
static double ms[] = {
	200, 100, 400, 7,
	90, 100, NAN, 8,
	NAN, 50, NAN, 9,
	600, NAN, 600, NAN,
	100, 0, 100, 1,
};
static const struct latencies l = { run, 4, 5, ms };
static struct settings s;
static char why[200];

static void labels_that_are_equal_are_one_setting(void **state)
{
	struct sample sample = { 0 };

	(void)state;
	assert_int_equal(settings_make(&l, NULL, &s, why, sizeof(why)), 0);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.setting[0].name, "slow");
	assert_int_equal(s.setting[0].runs, 2);
	assert_int_equal(s.setting[0].run[1], 2);
	settings_sample(&l, &s.setting[0], &sample);
	assert_int_equal(sample.n, 7);
	assert_float_equal(sample_quantile(&sample, 1).value, 600000, 1e-9);
	assert_float_equal(settings_total_s(&l, &s.setting[0]), 12, 1e-9);
	sample_free(&sample);
	settings_free(&s);
}

static void groups_by_label_and_by_number(void **state)
{
	(void)state;
	assert_int_equal(settings_make(&l, "x=fast,1,3;y=slow", &s, why, sizeof(why)), 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.setting[0].runs, 2);	/* "1" is a label, of the last run: a label goes before a number, and none counts twice */
	assert_int_equal(s.setting[0].run[0], 1);
	assert_int_equal(s.setting[0].run[1], 3);
	assert_int_equal(s.setting[1].runs, 2);
	settings_free(&s);
}

static void what_is_no_group(void **state)
{
	(void)state;
	assert_int_equal(settings_make(&l, "fast", &s, why, sizeof(why)), -1);
	assert_int_equal(settings_make(&l, "=fast", &s, why, sizeof(why)), -1);
	assert_int_equal(settings_make(&l, "x=", &s, why, sizeof(why)), -1);
	assert_int_equal(settings_make(&l, "x=fast;y=nobody", &s, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "nobody"));
	assert_int_equal(s.n, 0);
}

static void ratios(void **state)
{
	uint32_t bin[8] = { 0 };
	struct sample all = { 0 };

	(void)state;
	assert_int_equal(settings_make(&l, NULL, &s, why, sizeof(why)), 0);
	settings_ratio(&l, &s.setting[0], &s.setting[1], 0.5, bin, 8, &all);
	assert_int_equal(all.n, 2);	/* 300/100 and 90/100; nothing against a 0 */
	assert_int_equal(bin[6], 1);
	assert_int_equal(bin[1], 1);
	assert_float_equal(sample_max(&all).value, 3000, 1e-9);
	memset(bin, 0, sizeof(bin));
	sample_free(&all);
	settings_ratio(&l, &s.setting[0], &s.setting[1], 0.1, bin, 8, &all);
	assert_int_equal(bin[7], 2);	/* beyond */
	sample_free(&all);
	settings_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_that_are_equal_are_one_setting),
		cmocka_unit_test(groups_by_label_and_by_number),
		cmocka_unit_test(what_is_no_group),
		cmocka_unit_test(ratios),
	};

	return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
