/* SPDX-License-Identifier: GPL-3.0-or-later */
/* superposed - the times between requests of N users who know nothing of each other, by theory.
 *
 * Each user asks again after a response that always takes the same time and a think time. Of N such renewal processes
 * in equilibrium, laid over each other, a gap is longer than x when one user's own interval is and all others are not
 * due within it (Cox & Smith 1954): P(gap > x) = S(x) G(x)^(N - 1), where S(x) = P(interval > x) and G(x) is the
 * integral of S from x on by the mean interval. Its first two moments give the coefficient of variation. */
#ifndef THINPROBE_SUMMARIZE_SUPERPOSED_H
#define THINPROBE_SUMMARIZE_SUPERPOSED_H

enum superposed_think {
	SUPERPOSED_UNIFORM,	/* from 0 to twice the mean: without a response sqrt((2N - 1)/(2N + 1)) */
	SUPERPOSED_EXP,		/* without a response 1 */
};

/* Both times in the same unit, whatever it is. NAN: less than one user, no mean think time, a response time below 0 or
 * not known. */
double superposed_cov(enum superposed_think how, double users, double think, double response);

#endif
