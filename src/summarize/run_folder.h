/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_folder - reads run.json with its cells, and each cell.json in RUN/cells/NAME/REPEAT. */
#ifndef THINPROBE_SUMMARIZE_RUN_FOLDER_H
#define THINPROBE_SUMMARIZE_RUN_FOLDER_H

#include "engine.h"

#define RUN_REPEATS_MAX 1000

/* run.json, without cells. 0 or -errno, and then `out` is empty. */
int run_folder_read(const char *folder, struct run *out, struct why *why);
/* Its cells. A repeat without cell.json was interrupted and counts as failed; `found`: not where it
 * has no folder either. 0 or -errno. */
int run_folder_cells(struct run *run, bool found, struct why *why);
void run_folder_free(struct run *run);

/* Frees what repeat_json() holds of a repeat and its trains. */
void repeat_forget(const struct repeat *r);

#endif
