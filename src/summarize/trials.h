/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trials - measurements that a program makes several times within a repeat (pagein's runs, startup's starts): one record for each,
 * and figures over those of a cell.
 *
 * Names of figures are GROUPS.VALUE.STATISTIC ("paged_out.first_key_ms.p50") or GROUPS.n. GROUPS: the groups of trials, joined by
 * "+". STATISTIC: n, min, mean, sd, max, median, p50 (the median with its interval, which also holds that of the repeats'
 * medians), above (number of values that are lower bounds). A value that is a lower bound is kept, and a figure that it reaches
 * is a lower bound, too. */
#pragma once

#include "engine.h"

#define TRIALS_VALUES 20
#define TRIALS_ALL (~0u) /* mask of all groups */

struct trial {
	int64_t repeat, number; /* number: of the trial in its repeat, from 1 */
	unsigned group;
	double value[TRIALS_VALUES]; /* NAN: not known */
	uint32_t above;		     /* bit i: value i is a lower bound */
	char text[128];		     /* reason why the trial is in its group, or the name of an event */
};

/* The trials of a cell. */
struct cell_trials {
	struct trial *of;
	size_t n;
};

/* adds a trial whose values are all unknown */
struct trial *trials_add(struct cell_trials *t, int64_t repeat, int64_t number);
void trials_set_value(struct trial *t, int value, double v, bool above);

/* Adds the elements of result.runs in FILE; `read` gets each element's state and path. */
typedef void trials_reader(const struct experiment_repeat *r, const struct json_document *j, const char *path, const char *state,
			   struct trial *t);
void trials_read_file(struct cell_trials *t, const struct experiment_repeat *r, const char *file, trials_reader *read);

/* Returns a statistic of a value over the trials in `groups` (bit g: group g), with `text` only over trials with that text; its
 * `above`: it is a lower bound. NAN: no such statistic. */
struct figure trials_statistic(const struct cell_trials *t, unsigned groups, int value, const char *text, const char *statistic);
/* Returns the figure of name `path`; groups, values: their names, with NULL at the end. False: no such figure. */
bool trials_compute_figure(const struct cell_trials *t, const char *const *groups, const char *const *values, const char *path,
			   struct figure *out);
/* Sets the first columns of a trial's row, and its values up to index `last`. */
void trials_begin_row(const struct experiment_cell *c, const struct trial *t, const char *const *values, int last,
		      struct table_out *out);
