/* SPDX-License-Identifier: GPL-3.0-or-later */
/* starts - made-up starts of two variants that differ by a known shift, and by what disturbs comparisons: scatter of several
 * shapes, levels of starts, correlated blocks, places in a start that are slower, other programs. Shares in percent; blocks as
 * logarithms. */
#pragma once

#include "random.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define STARTS_PAIRS 2

/* Mean 0, and standard deviation 1 where there is one. */
enum starts_shape {
	STARTS_NORMAL,
	STARTS_HEAVY,	  /* Student's t of 3 degrees */
	STARTS_SKEWED,	  /* differences of log-normal values: symmetric */
	STARTS_TWO,	  /* -1 or 1 */
	STARTS_EXPONENT,  /* exponential: not symmetric */
	STARTS_LOGNORMAL, /* log-normal, sigma 1: not symmetric */
};

struct starts_law {
	enum starts_shape shape;
	double spread;			   /* of what a start adds to B */
	double scatter, correlation;	   /* of blocks; of a block with the one before */
	double level;			   /* of what a start adds to each variant */
	double position[2 * STARTS_PAIRS]; /* by which the first, second, ... block of a start is slower */
	double sometimes;		   /* so is only this share of starts (0: all) */
	double noise;			   /* of other programs: each block is slower by an exponential share of this mean */
	double shift;			   /* by which B is slower in truth */
};

static inline double starts_shape(enum starts_shape shape, uint64_t *rng)
{
	double sum = 0;

	switch (shape) {
	case STARTS_HEAVY:
		for (int i = 0; i < 3; i++)
			sum += pow(random_normal(rng), 2);
		return random_normal(rng) / sqrt(sum);
	case STARTS_SKEWED:
		return (exp(0.75 * random_normal(rng)) - exp(0.75 * random_normal(rng))) /
		       sqrt(2 * exp(0.75 * 0.75) * expm1(0.75 * 0.75));
	case STARTS_TWO: return random_fraction(rng) < 0.5 ? -1 : 1;
	case STARTS_EXPONENT: return -log(1 - random_fraction(rng)) - 1;
	case STARTS_LOGNORMAL: return (exp(random_normal(rng)) - exp(0.5)) / sqrt(expm1(1) * exp(1));
	default: return random_normal(rng);
	}
}

/* The blocks of A and B in a start, of which A B B A is the order of odd numbers, B A A B of even ones. */
static inline void starts_draw(const struct starts_law *l, int64_t start, uint64_t *rng, double block[2][STARTS_PAIRS])
{
	double level[2], before = random_normal(rng);
	bool moved = !(l->sometimes > 0) || random_fraction(rng) < l->sometimes / 100;

	for (int v = 0; v < 2; v++)
		level[v] = l->level / 100 * random_normal(rng);
	level[1] += log1p(l->shift / 100) + l->spread / 100 * starts_shape(l->shape, rng);
	for (int i = 0; i < 2 * STARTS_PAIRS; i++) {
		int v = ((i + 1) / 2 + (int)(start + 1)) % 2;

		before = l->correlation * before + sqrt(1 - l->correlation * l->correlation) * random_normal(rng);
		block[v][i / 2] = level[v] + l->scatter / 100 * before + (moved ? log1p(l->position[i] / 100) : 0);
		if (l->noise > 0)
			block[v][i / 2] += log1p(-l->noise / 100 * log(1 - random_fraction(rng)));
	}
}
