/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drift - does a figure of a session grow as time goes by? With a stated rate of false alarms, also where one looks after every
 * block. Pure.
 *
 * A value is the figure of a block of time; blocks follow each other. Neighbouring blocks are correlated, so no test counts them
 * as independent. At a look the blocks so far are two halves of DRIFT_PAIRS batches each; three one-sided tests share the level,
 * with two fifths, two fifths and a fifth of it:
 *	pairs	batch i of the second half less batch i of the first (the pairs of Cox and Stuart 1955) is one value, and the
 *		values have a t test with DRIFT_PAIRS - 1 degrees of freedom. With the number of batches fixed, it holds for any
 *		correlation that is short beside a batch (Ibragimov and Mueller 2010). Steady growth adds to no value's spread.
 *	end	each of the last DRIFT_END batches against the first DRIFT_BEFORE, with the spread of those (Chow 1960), the
 *		larger p-value of both: a late step. Batches between may be on either side of it.
 *	begin	the first 1, 2, 4 ... blocks against all later windows of as many, with the spread of those: an early step, which
 *		makes the pairs differ and is soon a small part of the first half. The smallest p-value, times their number. The
 *		window after the first is left out, so that one of these sizes has only blocks before the step in the first, and
 *		only blocks after it in all others.
 * No spread is taken as smaller than what rounding may hide: of values that are equal to the last digit nothing is known of it.
 * Batches are means of neighbouring blocks, and grow: looks are after 16 b blocks for b = 3, 4, 5 ... 20, from there on a tenth
 * larger each. Look k spends 5 alpha / ((k + 4) (k + 5)) of the level (Lan and DeMets 1983), so that all looks together
 * keep it (Boole), whenever the session ends. At each look the figures share it by Holm's (1979) method.
 *
 * What grew and fell back, as a saw does, is no drift: the mean of an eighth as many blocks as were there when growth was told came
 * back to less than half of it. Looks then go on as before. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define DRIFT_PAIRS 8
#define DRIFT_END 2
#define DRIFT_BEFORE 12
#define DRIFT_BATCH 3					     /* blocks of the first look's batches */
#define DRIFT_BLOCKS (2 * (size_t)DRIFT_PAIRS * DRIFT_BATCH) /* no verdict with fewer */
#define DRIFT_UNKNOWN 10				     /* "does not grow" needs figures of all but one block in so many */
#define DRIFT_LAST 2					     /* and a figure of at least one of the last so many blocks */

enum drift_word { DRIFT_OPEN, DRIFT_NONE, DRIFT_GROWS, DRIFT_RETURNS };

struct drift_figure {
	/* set by the caller; all others zero */
	const double *value; /* of each block after the warm-up; NAN: not known */
	double effect;	     /* smallest growth of interest, > 0 */
	/* by drift_decide() */
	double rounding; /* standard deviation of a block that its digits may hide: half of the smallest step between two values */
	enum drift_word word;
	size_t told;	     /* blocks after which the growth was told; 0: it was not, or fell back */
	const char *told_by; /* "halves", "end" or "begin": the test that told it; NULL */
	size_t returned;     /* blocks after which it had fallen back; 0: never */
	double p;	     /* of the last look, for all tests; not adjusted for several looks and figures */
	double change;	     /* second half less first, at the last look; NAN: there was none */
	double low, high;    /* its interval: the level of all looks and figures together */
	double before;	     /* mean of the first DRIFT_BEFORE batches */
	double end;	     /* last batches less `before` */
	/* Growth shows, at no stated rate: at the last look, unless `high` is below effect; or the first or the last blocks (1, 2, 4
	 * ...) are apart from all others, of all blocks, by effect or more. Or it might: over one block in DRIFT_UNKNOWN, of all or
	 * of the last eighth, or all of the last DRIFT_LAST, are not known. */
	bool shows;
};

/* Decides n figures of the same blocks together, after every block up to `blocks`. A figure is
 *	DRIFT_GROWS	growth of at least effect / 2 was told at a look and has not fallen back since;
 *	DRIFT_RETURNS	it was told, and fell back;
 *	DRIFT_NONE	neither, the upper bound of `change` is below effect, the end of the session, also after the last look, is
 *			less than half of effect above `before`, and `shows` is not set;
 *	DRIFT_OPEN	otherwise. */
void drift_decide(struct drift_figure *f, size_t n, size_t blocks, double alpha);

/* What figures that are judged together say of the session: that one grows; that one came back; nothing, unless the first does not
 * grow, and of no other growth shows. */
enum drift_word drift_combine(const struct drift_figure *f, size_t n);

/* The mean of the values that are known. */
double drift_mean(const double *value, size_t n);

/* Where growth begins, by least squares: a step, or a bend into a straight line, whichever is nearer to the values. */
struct drift_begin {
	size_t block; /* the first that is higher */
	bool step;
	double growth; /* of a step its height, of a bend the growth of one block */
};
struct drift_begin drift_find_begin(const double *value, size_t blocks);
