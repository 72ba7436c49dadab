/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scale - products of two counts, divided, where the product needs up to 126 bits: frames times bits times nanoseconds. */
#pragma once

#include <stdint.h>

/* a * b / c, rounded down, where the compiler has no 128-bit numbers (32-bit machines). */
static inline int64_t scale_down_by_bits(int64_t a, int64_t b, int64_t c)
{
	uint64_t high = 0, low = 0, rest = 0, quotient = 0, divisor = (uint64_t)c;

	for (int i = 62; i >= 0; i--) { /* high:low = a * b, by shift and add */
		high = high << 1 | low >> 63;
		low <<= 1;
		if ((uint64_t)b >> i & 1) {
			low += (uint64_t)a;
			high += low < (uint64_t)a;
		}
	}
	for (int i = 127; i >= 0; i--) { /* long division, bit by bit; rest < divisor < 2^63, so twice the rest fits */
		rest = rest << 1 | ((i < 64 ? low >> i : high >> (i - 64)) & 1);
		quotient <<= 1;
		if (rest >= divisor) {
			rest -= divisor;
			quotient |= 1;
		}
	}
	return (int64_t)quotient;
}

/* a * b / c, rounded down, exactly; a and b >= 0, c > 0, and the result must fit. */
static inline int64_t scale_down(int64_t a, int64_t b, int64_t c)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef __int128 wide;

	return (int64_t)((wide)a * b / c);
#else
	return scale_down_by_bits(a, b, c);
#endif
}

/* The same, rounded up. */
static inline int64_t scale_up(int64_t a, int64_t b, int64_t c)
{
	int64_t down = scale_down(a, b, c);

	/* The rest is less than c, so its lowest 64 bits tell whether there is one. */
	return down + ((uint64_t)a * (uint64_t)b != (uint64_t)down * (uint64_t)c);
}
