/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unit - cmocka, and tests that need no list: TEST(name) { ... } defines a test and adds it to those that main() runs, in the order
 * of the file. */
#pragma once

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

/* cmocka 2 deprecates this name of cmocka 1. */
#ifdef assert_int_in_range
#undef assert_in_range
#define assert_in_range assert_int_in_range
#endif

/* cmocka's assert_float_equal compares as float: seven digits, too few for nanoseconds. */
#define assert_near(value, wanted, by) \
	do { \
		double near_value = (value), near_wanted = (wanted); \
		if (!(fabs(near_value - near_wanted) <= (by))) \
			fail_msg("%s is %.17g, wanted %.17g", #value, near_value, near_wanted); \
	} while (0)

#define UNIT_TESTS 64
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A file without group fixtures leaves these out; else it defines them before it includes this file. */
#ifdef BEFORE_ALL
static int BEFORE_ALL(void **state);
#else
#define BEFORE_ALL NULL
#endif
#ifdef AFTER_ALL
static int AFTER_ALL(void **state);
#else
#define AFTER_ALL NULL
#endif

static struct CMUnitTest unit_test[UNIT_TESTS];

static inline void unit_add_test(struct CMUnitTest test)
{
	static size_t tests;

	if (tests == UNIT_TESTS)
		abort();
	unit_test[tests++] = test;
}

/* A test with fixtures of its own: each is called with the test's `state`. */
#define TEST_WITH(before, after, name) \
	static void name(void **state); \
	static __attribute__((constructor)) void add_##name(void) \
	{ \
		unit_add_test((struct CMUnitTest){ #name, name, before, after, NULL }); \
	} \
	static void name(void **state __attribute__((unused)))
#define TEST(name) TEST_WITH(NULL, NULL, name)

/* A stream that reads `text`, to be closed by the caller. */
static inline FILE *open_text(const char *text)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(f);
	return f;
}

int main(void)
{
	return cmocka_run_group_tests_name("tests", unit_test, BEFORE_ALL, AFTER_ALL);
}
