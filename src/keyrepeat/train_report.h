/* SPDX-License-Identifier: GPL-3.0-or-later */
/* train_report - writes the statistics of a train to a report; writes its keys as rows to a file. */
#pragma once

#include "figures.h"
#include "rec.h"

/* Writes the object "result", no rows. `keys`: false for a run that only watched, which has no figures of keys. */
void report_train_result(struct rec_report *r, const struct figures_cfg_of_train *cfg, const struct key_train *train,
			 const struct observations *seen, struct train_figures *f, bool keys);

/* A warning for a train that the display or the window ended, valid until the next call; NULL: they did not. */
const char *report_explain_end(const struct observations *seen, const struct key_train *train);

/* A warning for a run that has a report but went wrong, valid until the next call; NULL: none. *status: the exit status of the
 * program. */
const char *report_find_trouble(const struct figures_cfg_of_train *cfg, const struct key_train *train,
				const struct observations *seen, const struct train_figures *f, bool keys, int *status);

/* Writes a row for each key that fell due (schema keys/1) and closes the file. 0 or -errno. */
extern const char *const report_columns[];
int report_write_keys(struct row_file *rows, const struct key_train *train);
