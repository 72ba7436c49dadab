/* SPDX-License-Identifier: GPL-3.0-or-later */
/* claims - is what a page would say of figures so? Each claim by itself, from the figures as the tables have them. Pure.
 *
 * A claim that lacks what it needs, such as an interval, is CLAIM_UNTOLD; so is one of ends the wrong way round. */
#pragma once

#include <stdint.h>
#include <stdio.h>

enum claim_word { CLAIM_UNTOLD, CLAIM_HOLDS, CLAIM_FAILS };

/* from and to: twice the number, or the ends of a range (to INFINITY: a lower bound); low and high: its interval. NAN: none.
 * repeats: how many it is made from, or how many events; 0: not known. */
struct claim_figure {
	double from, to, low, high;
	int64_t repeats;
};

struct claim {
	char *kind;    /* owned */
	int64_t share; /* claims that are to hold together, all of them, with 95 % confidence */
	struct claim_figure figure[2];
	/* of a rule: of which figure of a paper, from 1 on; 0: of none */
	int64_t of, rule, part; /* its rule, and condition of the rule, each from 1 on */
	int64_t says;		/* an enum rule_word */
	int64_t some, whole;	/* 1: one claim of the condition is enough; what the paper varied was run in full */
	/* by claim_judge() */
	double percent; /* of its kind; NAN: none */
	enum claim_word word;
	double value, low, high; /* NAN: not known */
};

/* Fills in the word, value and interval of a claim of one of these kinds. -EPROTO: of none. Of two repeats, low and high are their
 * values: `above`, `within`, `rate` and `off` make the interval of them by Student's t.
 * 	differs		the second figure is another than the first; value, low and high: by how much it is more. By Welch's (1947) t
 * 			test of the two intervals over repeats, on logarithms where all ends are above 0. Ranges, lower bounds, and
 * 			figures without a number of repeats differ only where their intervals, at this claim's share, do not touch.
 * 			FAILS: they are not shown to; so are means of repeats of which neither has any spread: nothing is known of it
 * 	above		the first figure is more than the second, wherever both are between their ends: the interval's, a range's, or
 * 			without them the number; FAILS: it is at most as much. A lower bound has no upper end.
 * 	within		the first figure is between the ends of the second, whatever it is between its own; FAILS: wholly beyond one
 * 	rate		as above, of rates or coefficients of variation: without an interval it is that of chance, where `repeats`
 * 			counts events, the exact one of a Poisson count (Garwood 1936); a coefficient of variation of as many random gaps
 * 			varies nearly as much; without events it is known
 * 	off PERCENT	the first figure, of 0 or more, is within so many percent of the second; value, low and high: by how many it is
 * 			off; numbers have no low and high
 * 	times		the first figure is so many times the second one, value; low and high: from the near ends of both intervals to
 * 			the far ends. A lower bound has no high. The second one must be a number above 0.
 * 	share		so many events (from) of all (repeats) are another share, value in percent, than the second figure; FAILS: by
 * 			the exact test (Clopper & Pearson 1934) they are not shown to be another
 * 	none		nothing of a share in percent was seen; high: the bound that its one-sided interval has at this claim's share
 * 	whole		a slope is a whole number, the value; FAILS: its interval has none, or (value 0) is below one
 * 	percentile	of the share `from`; value: values that have ten beyond it; high: independent values by which both ends of
 * 			its interval are order statistics (Hahn & Meeker 1991)
 * 	line NAME	the points of this name, by first and second figure, are on a straight line: lines_judge() */
int claim_judge(struct claim *c);

struct claim_list {
	struct claim *claim; /* owned */
	size_t n;
};
/* Reads and judges a table of claims/1, a claim in each row; those of rules as rules_decide() needs them. 0, -EPROTO with *line,
 * -EIO. */
int claims_read(FILE *in, struct claim_list *out, unsigned long *line);
void claims_free(struct claim_list *l);

/* Does a figure of a paper come out as then? What its rules say, by claims of figures of runs.
 *
 * A rule says a word where all of its conditions hold. A condition is a claim of each row that it picks, which must all hold, or
 * some of them, which then share the 95 %. A word is said where all rules that say it hold.
 *
 * SAME: what the paper found, in direction and size; LESS: in direction, or not under all conditions; CONTRARY: surely not. */
enum rule_word { RULE_SAME, RULE_LESS, RULE_CONTRARY, RULE_UNTOLD };

/* The word of a figure, by the `n` claims of its rules, of which those of a condition stand together, and these of a rule; *by: the
 * word whose rules hold. Where the runs lack what the paper varied, SAME is LESS, and CONTRARY is not told; nor is anything where
 * SAME or LESS holds, and CONTRARY. Judges the claims anew: those of which some are to hold share the 5 % (Bonferroni). */
enum rule_word rules_decide(struct claim *c, size_t n, enum rule_word *by);
