/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - keyrepeat's figures as a report, and its keys as rows. */
#ifndef KEYREPEAT_REPORT_H
#define KEYREPEAT_REPORT_H

#include "figures.h"
#include "rec.h"

/* The object "result". `keys` is false for a run that only watched. */
void report_train(struct rec *r, const struct figures_cfg *cfg, const struct train *train, const struct observations *seen,
		   struct figures *f, bool keys);

/* What went wrong although there is a report, and what the program ends with. NULL: nothing that
 * needs a word. Valid until it is called again. */
const char *report_trouble(const struct figures_cfg *cfg, const struct train *train, const struct observations *seen,
			   const struct figures *f, bool keys, int *status);

/* Writes a row for each key that fell due (schema keys/1) and closes the file. 0 or -errno. */
extern const char *const report_columns[];
int report_keys(struct rows *rows, const struct train *train);

#endif
