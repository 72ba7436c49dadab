/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trials - what a program measured several times within a repeat (pagein's runs, startup's starts): a record for each, figures over
 * those of a cell.
 *
 * A figure is asked for as GROUPS.VALUE.STATISTIC ("paged_out.first_key_ms.p50") or GROUPS.n. GROUPS: what the trial was judged to
 * be, several joined by "+". STATISTIC: n, min, mean, sd, max, median, p50 (the median with its interval: estimate.h), above (how
 * many are later than their value). A value that is "later than" stays in, and a figure that it reaches is a lower bound. */
#ifndef THINPROBE_SUMMARIZE_TRIALS_H
#define THINPROBE_SUMMARIZE_TRIALS_H

#include "engine.h"

#define TRIALS_VALUES 20
#define TRIALS_ALL (~0u)	/* every group */

struct trial {
	int64_t repeat, number;		/* number: of the trial in its repeat, from 1 */
	unsigned group;
	double value[TRIALS_VALUES];	/* NAN: not known */
	uint32_t above;			/* bit i: value i is a lower bound */
	char text[128];			/* why it counts as nothing better; the name of an event */
};

/* Those of a cell. */
struct trials {
	struct trial *of;
	size_t n;
};

struct trial *trials_add(struct trials *t, int64_t repeat, int64_t number);	/* a new one, all values unknown */
void trials_set_value(struct trial *t, int value, double v, bool above);

/* Adds what FILE has in result.runs, with their state and the path of each. */
typedef void trials_reader(const struct repeat *r, const struct json *j, const char *path, const char *state, struct trial *t);
void trials_read(struct trials *t, const struct repeat *r, const char *file, trials_reader *read);

/* Of the trials in those groups (bit g: group g), of the given text where that is not NULL; `above` where it is a lower bound.
 * NAN: no such statistic. */
struct figure trials_statistic(const struct trials *t, unsigned groups, int value, const char *text, const char *statistic);
/* By the names of groups and values, NULL at the end. False: no such figure. */
bool trials_figure(const struct trials *t, const char *const *groups, const char *const *values, const char *path,
		   struct figure *out);
/* The first columns of a trial's row, and its values up to `last`. */
void trials_begin_row(const struct cell *c, const struct trial *t, const char *const *values, int last, struct table_out *out);

#endif
