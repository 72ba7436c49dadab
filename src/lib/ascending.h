/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ascending - qsort() comparators for numbers; doubles must not be NAN. */
#pragma once

#include <stdint.h>

static inline int ascending_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static inline int ascending_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}
