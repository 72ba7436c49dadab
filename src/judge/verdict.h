/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdict - what is said of all metrics of a table together, and of those that cannot be compared. Pure.
 *
 * B is worse if it is in one metric. It is better if it is in one, and in no other one may it be worse by the effect. */
#pragma once

#include "blocks.h"

struct verdict_question {
	const char *metrics; /* only these, separated by commas; NULL: all */
	double alpha;
	bool runs;  /* two runs that were not measured in turns */
	bool doubt; /* something else than A and B may make a difference: nothing is decided */
};

struct verdict {
	const char *word;	      /* worse, better, no difference of that size, not decided, too noisy */
	struct block_series **family; /* owned; the metrics that are decided */
	size_t n, open;
	size_t more; /* starts until all are decided, if mean and sd stay; 0: none is open; DECIDE_NEVER: over 10,000 */
	bool noisy;  /* too many blocks were disturbed, or all of one run */
};

typedef bool verdict_test(const struct block_series *s, const struct verdict_question *q);
verdict_test verdict_wanted;			   /* it is asked for */
verdict_test verdict_only_in_a, verdict_only_in_b; /* the other variant has no value */
verdict_test verdict_overloaded; /* of two runs: repeats of A have values, and none of as many of B, which was overloaded: worse */
verdict_test verdict_aside;	 /* of two runs, not asked for: there is no interval, and by the numbers alone B is not worse */
verdict_test verdict_too_few;	 /* A has values, and B too few to compare, or none of the same pair */
verdict_test verdict_not_compared; /* of two runs: one has it of all repeats, or should have it, but it cannot be compared */
verdict_test verdict_the_same;	   /* of two runs, asked for: all values are the same, of so many keys that they say so */
verdict_test verdict_copied;	   /* of two runs: of its cell all values of B are those of A: one measurement; its first metric */
size_t verdict_count(const struct block_table *t, const struct verdict_question *q, verdict_test *test);

/* Of a table that was compared. False: it has nothing that could be decided. */
bool verdict_reach(struct block_table *t, const struct verdict_question *q, struct verdict *out);
/* The verdict of one metric. */
const char *verdict_word(const struct block_series *s, bool noisy);
