/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trials - what a program measured several times within a repeat (pagein's runs, startup's starts): a record for each, figures
 * over those of a cell.
 *
 * A figure is asked for as GROUPS.VALUE.STATISTIC ("paged_out.first_key_ms.p50") or GROUPS.n. GROUPS: what the trial was
 * judged to be, several joined by "+". STATISTIC: n, min, mean, sd, max, median, p50 (the median with its interval:
 * estimate.h), above (how many are later than their value). A value that is "later than" stays in, and a figure that it reaches
 * is a lower bound. */
#ifndef THINPROBE_SUMMARIZE_TRIALS_H
#define THINPROBE_SUMMARIZE_TRIALS_H

#include "engine.h"
#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRIALS_VALUES 20
#define TRIALS_ALL (~0u)	/* every group */

struct trial {
	const struct cell *cell;
	int64_t repeat, number;		/* number: of the trial in its repeat, from 1 */
	unsigned group;
	double value[TRIALS_VALUES];	/* NAN: not known */
	uint32_t above;			/* bit i: value i is a lower bound */
	char text[128];			/* why it counts as nothing better; the name of an event */
};

struct trials {
	const char *const *groups, *const *values;	/* their names, NULL at the end */
	struct trial *of;				/* owned */
	size_t n;
};

/* A new one, all values unknown. NULL: no memory. */
struct trial *trials_add(struct trials *t, const struct cell *c, int64_t repeat, int64_t number);
void trials_free(struct trials *t);
void trials_set(struct trial *t, int value, double v, bool above);

#define TRIALS_SCALE 1e6	/* samples hold whole millionths */
/* One value of the trials of a cell in those groups (bit g: group g), of the given text where that is not NULL. For the caller
 * to free. */
struct sample trials_sample(const struct trials *t, const struct cell *c, unsigned groups, int value, const char *text);
struct figure trials_median(const struct run *run, struct sample *s);	/* with its interval */
size_t trials_count(const struct trials *t, const struct cell *c, unsigned groups);
int trials_figure(const struct trials *t, const struct run *run, const struct cell *c, const char *path, struct figure *out);

#endif
