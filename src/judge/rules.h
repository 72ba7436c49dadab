/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules - does a figure of a paper come out as then? What its rules say, by claims of figures of runs. Pure.
 *
 * A rule says a word where all of its conditions hold. A condition is a claim of each row that it picks, which must all hold, or
 * some of them, which then share the 95 %. A word is said where all rules that say it hold. */
#pragma once

#include "claims.h"

/* SAME: what the paper found, in direction and size; LESS: in direction, or not under all conditions; CONTRARY: surely not. */
enum rule_word { RULE_SAME, RULE_LESS, RULE_CONTRARY, RULE_UNTOLD };

/* The word of a figure, by the `n` claims of its rules, of which those of a condition stand together, and these of a rule; *by: the
 * word whose rules hold. Where the runs lack what the paper varied, SAME is LESS, and CONTRARY is not told; nor is anything where
 * SAME or LESS holds, and CONTRARY. Judges `above` and `within` anew: two repeats have no interval but the two values, of which
 * theirs is made by Student's t; and claims of which some are to hold share the 5 % (Bonferroni). */
enum rule_word rules_decide(struct claim *c, size_t n, enum rule_word *by);
