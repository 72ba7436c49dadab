/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blocks - the figures of blocks of two variants, A and B, as differences of their starts.
 *
 * A block is one measurement of one variant; two blocks in a row, one of each, are a pair; the pairs of a start were measured while
 * neither variant was started anew. */
#pragma once

#include "decide.h"
#include "why.h"

#include <stdint.h>
#include <stdio.h>

enum variant { VARIANT_A, VARIANT_B, VARIANTS };

struct block_value {
	int64_t start, pair;
	enum variant variant;
	double value; /* NAN: not known, or a range */
	bool ranged;
	double from, to;	 /* ends of the range, if it is one */
	bool disturbed, allowed; /* allowed: disturbed, and used all the same */
	unsigned long line;	 /* of the table */
};

/* A figure of all repeats of a run together; NAN: not known. */
struct block_pooled {
	double from, to, low, high; /* the ends of a range, or twice the number; its interval */
	int64_t repeats;
	char *why; /* owned; why there is no number, or "" */
};

/* One metric of one cell, as the table names it. */
struct block_series {
	char *cell, *metric, *unit; /* owned */
	bool higher_is_better;
	struct block_value *value; /* owned; by start, pair and variant, each once */
	size_t n;
	struct block_pooled pooled[VARIANTS]; /* by pooled_read() */
	const char *why;		      /* by pooled_compare(): why not compared, and of which run; VARIANTS: of none */
	enum variant lacks;
	bool aside; /* not compared for want of an interval; by the numbers alone B is not worse by the effect */
	/* by blocks_compare() */
	bool relative;				   /* differences are of logarithms */
	double typical[VARIANTS];		   /* medians of the values of undisturbed pairs */
	double iqr;				   /* interquartile range of those of A */
	size_t pairs, lost, disturbed;		   /* pairs that count; that have a value missing; of which a block was disturbed */
	size_t ranged;				   /* pairs that count, in which a value is a range */
	size_t known[VARIANTS], unknown[VARIANTS]; /* undisturbed blocks with a value (or range, if in turns), and without one */
	bool constant;				   /* all values are equal */
	bool copied; /* of two runs: the cell's first metric, and each metric has the values of A in B, too */
	const struct block_series *same_as; /* an earlier metric of the cell that has the same values everywhere */
	struct decide_figure figure;
	size_t more; /* by the caller: starts, or repeats of each run, until it is decided */
};

struct block_table {
	struct block_series *series;
	size_t n, room;		   /* room: index at which the series of the next row is expected */
	struct block_series block; /* the blocks themselves, without values */
	size_t disturbed, allowed; /* number of blocks that other programs disturbed; and of those that are used all the same */
	size_t blocks_of[VARIANTS], disturbed_of[VARIANTS], allowed_of[VARIANTS];
	bool throughout; /* so in two starts or more, and no pair was undisturbed */
	unsigned long rows;
};

/* Reads a table of the schema blocks/1, whose rows may come in any order. 0, -EPROTO with *line, -EEXIST with the line of a
 * second row of the same start, pair, variant, cell and metric, -EIO. */
int blocks_read(FILE *in, struct block_table *out, unsigned long *line);
void blocks_free(struct block_table *t);

struct block_effect {
	double relative; /* smallest change of interest, as a share of A's value (0.1 for 10 %); 0: `time_ms` of times */
	double time_ms;	 /* the same in ms; 0: relative */
	double points;	 /* of shares in percent: the same in points */
};
/* Compares two runs, A and B, whose repeats are blocks of their own: a pair's number only names a repeat. Repeats that were
 * disturbed do not count. */
void blocks_compare_runs(struct block_table *t, const struct block_effect *effect);

/* The variant of which more than a twentieth more of the blocks have no value; VARIANTS: neither. A percentile is not known where
 * keys had no answer, so what is known of this variant is its better part. */
enum variant blocks_poorer(const struct block_series *s);

/* The variant of which fewer blocks were disturbed and used all the same, by more than chance has it (one-sided, 8 %: a doubt too
 * many costs a decision); VARIANTS: neither. */
enum variant blocks_calmer(const struct block_table *t);

/* Sets `relative` and the effect of the figure; positive: all values are above 0. */
void blocks_choose_scale(struct block_series *s, const struct block_effect *effect, bool positive);

/* Adds the differences of all starts to the figures of all series. A share in percent is compared in points; other metrics by ratio
 * (a time in ms if the effect is a time); those that may be 0 or negative, and times of which the lesser median is below 1 ms, by
 * difference, in shares of A's median, of times at least 1 ms. */
void blocks_compare(struct block_table *t, const struct block_effect *effect);
