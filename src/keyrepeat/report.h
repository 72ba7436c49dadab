/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - writes the statistics of a train as a report, and its keys as rows. */
#ifndef KEYREPEAT_REPORT_H
#define KEYREPEAT_REPORT_H

#include "figures.h"
#include "rec.h"

/* Writes the object "result". `keys`: false for a run that only watched. */
void report_train(struct rec *r, const struct figures_cfg *cfg, const struct train *train, const struct observations *seen,
		   struct figures *f, bool keys);

/* A warning for a run that has a report but went wrong, valid until the next call; NULL: none. *status: the exit status of the
 * program. */
const char *report_trouble(const struct figures_cfg *cfg, const struct train *train, const struct observations *seen,
			   const struct figures *f, bool keys, int *status);

/* Writes a row for each key that fell due (schema keys/1) and closes the file. 0 or -errno. */
extern const char *const report_columns[];
int report_keys(struct rows *rows, const struct train *train);

#endif
