/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare - settings of an experiment held against its default, by differences of trains that were measured in the same repeat.
 *
 * The figure is the median latency of a train, the effect its ratio to the default's: the geometric mean over the pairs, with the
 * t interval of the logarithms. Below five pairs nothing is said. p-values of all comparisons of one part are Holm's (1979). */
#ifndef THINPROBE_SUMMARIZE_COMPARE_H
#define THINPROBE_SUMMARIZE_COMPARE_H

#include "run.h"

#define COMPARE_BASE "default"
#define COMPARE_PAIRS 5			/* at least */
#define COMPARE_NOISY 2.0		/* an interval that reaches from x to more than this times x shows nothing */

enum verdict { VERDICT_TOO_FEW, VERDICT_BETTER, VERDICT_WORSE, VERDICT_NONE, VERDICT_NOISY };

struct compared {
	const struct cell *cell;	/* borrowed */
	size_t pairs;
	double ratio, low, high;	/* of the latencies: below 1 is earlier than by default; NAN: not known */
	double p;			/* of a ratio of 1, after Holm; NAN: too few pairs */
	enum verdict verdict;
};

/* Every cell of `run` with a setting that is not the default, in the order of the run. *out is the caller's. 0 or -ENOMEM. */
int compare_settings(const struct run *run, struct compared **out, size_t *n);

/* RUN/compare.tsv (schema compare/1), where there is anything to compare; else an older one goes. 0 or -errno. */
int compare_write(const char *folder, const struct run *run, size_t *rows);

#endif
