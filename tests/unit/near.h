/* SPDX-License-Identifier: GPL-3.0-or-later */
/* near - cmocka's assert_float_equal compares as float: seven digits, too few for nanoseconds. */
#pragma once

#include <math.h>

#define assert_near(value, wanted, by) \
	do { \
		double near_value = (value), near_wanted = (wanted); \
		if (!(fabs(near_value - near_wanted) <= (by))) \
			fail_msg("%s is %.17g, wanted %.17g", #value, near_value, near_wanted); \
	} while (0)
