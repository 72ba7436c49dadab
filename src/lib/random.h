/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random - a seeded stream of random numbers, the same on every machine (SplitMix64; Steele, Lea, Flood 2014).
 *
 * One word of state, so a seed is the whole story. */
#ifndef THINPROBE_RANDOM_H
#define THINPROBE_RANDOM_H

#include <stdint.h>

/* The end of SplitMix64: one to one, and near words become far ones. */
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
static inline double random_unit(uint64_t *state)
{
	return (double)(random_bits(state) >> 11) * 0x1p-53;
}

#endif
