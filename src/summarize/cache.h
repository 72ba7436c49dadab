/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cache - a run of the cache experiment: RUN/cells/CELL/REPEAT/cell.json and what lies in its steps' folders to tables.
 *
 *	summary.tsv	(cache/1) a row for each system of run.json's settings.systems, in that order
 *	points.tsv	(cache-point/1) every step: bandwidth, bytes a frame, share of hits, CPU
 *	overtime.tsv	(cache-time/1) of the first complete repeat, as time goes by, a loop that fits and one that does not
 *
 * What the steps of one search tell together, and the rows: cache_table.h. */
#ifndef THINPROBE_SUMMARIZE_CACHE_H
#define THINPROBE_SUMMARIZE_CACHE_H

#include "inputs.h"

#include <stddef.h>

/* 0, or -errno with one line in `why`. */
int cache_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
