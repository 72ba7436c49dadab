/* cache - a run of the cache experiment: RUN/cells/CELL/REPEAT/cell.json and what lies in its steps' folders to tables.
 *
 *	summary.tsv	(cache/1) a row for each system of run.json's settings.systems, in that order
 *	points.tsv	(cache-point/1) every step: bandwidth, bytes a frame, share of hits, CPU
 *	overtime.tsv	(cache-time/1) of the first complete repeat, as time goes by, a loop that fits and one that does not
 *
 * The share of hits is told from bytes: a frame that is new costs `miss`, one of a loop of two costs `hit`, so what costs b hit in
 * (miss - b) / (miss - hit) of the cases. Where a loop of two still costs CACHE_NONE of a new frame there is no cache. */
#ifndef THINPROBE_SUMMARIZE_CACHE_H
#define THINPROBE_SUMMARIZE_CACHE_H

#include "inputs.h"

#include <stddef.h>

#define CACHE_NONE 0.5

/* 0 to 1; NAN: not known, or there is no cache. */
double cache_hits(double miss_bytes, double hit_bytes, double bytes);

/* 0, or -errno with one line in `why`. */
int cache_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
