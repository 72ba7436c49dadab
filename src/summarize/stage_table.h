/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stage_table - writes RUN/stages.tsv (stages/1), whole: where the time of a key goes, for each application beside each load.
 *
 * Columns: app sinks stage keys of_keys mean_ms mean_ms_low mean_ms_high p50_ms p90_ms max_ms from_ms to_ms. Means of the stages add up to
 * that of the latency (stage "latency"); from_ms and to_ms are these sums, where a stage begins and ends on average.
 * Percentiles don't add up. of_keys: keys of the same trains, split or not. Where some repeats have the application's log, only those. */
#ifndef THINPROBE_STAGE_TABLE_H
#define THINPROBE_STAGE_TABLE_H

#include "run.h"

#include <stddef.h>

/* 0 or -errno. */
int stage_table_write(const char *folder, const struct run *run, size_t *rows);

#endif
