/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random - pseudo-random numbers from a seed, the same on every machine (SplitMix64; Steele, Lea, Flood 2014). The state is
 * one word. */
#pragma once

#include <math.h>
#include <stdint.h>

/* The output function of SplitMix64: a bijection that scatters neighbouring inputs. */
static inline uint64_t random_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint64_t random_bits(uint64_t *state)
{
	return random_mix(*state += 0x9e3779b97f4a7c15u);
}

/* 0 <= value < 1, with all 53 bits of a double */
static inline double random_fraction(uint64_t *state)
{
	return (double)(random_bits(state) >> 11) * 0x1p-53;
}

/* of the standard normal distribution (Box and Muller 1958); the second value is dropped, so that the state stays one word */
static inline double random_normal(uint64_t *state)
{
	double u = 1 - random_fraction(state), v = random_fraction(state);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}
