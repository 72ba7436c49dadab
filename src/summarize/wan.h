/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wan - a run of the experiment on long links: RUN/cells/SESSION-LINK/REPEAT/{cell.json,samples.tsv} to tables.
 *
 *	summary.tsv	(wan/1) a row for each protocol and each link of run.json's settings: latency from when keys were due, pooled over
 *			repeats; p50 as the mean of the repeats' medians with its interval; packets that the link lost, with the exact
 *			interval of their share
 *	slope.tsv	(wan-slope/1) a row for each protocol: by how much p50 of keys that stand alone grows over the round trip that ping found, without loss:
 *			least squares through a point per repeat of each cell, with Student's t interval of the slope
 *
 * A key without an echo is "later than" the end of the wait: it stays in, and a figure that it reaches is a lower bound. Where a key's echo is
 * a range, its early end counts (the next update, which is the key's own where keys stand alone), `ranged` says how often, and p50_late_end_ms
 * is the median of the late ends. */
#ifndef THINPROBE_SUMMARIZE_WAN_H
#define THINPROBE_SUMMARIZE_WAN_H

#include "inputs.h"
#include "keys.h"
#include "means.h"
#include "rec.h"
#include "sample.h"

#include <stddef.h>
#include <stdint.h>

#define WAN_REPEATS_MAX INPUTS_REPEATS_MAX

/* One protocol on one link. */
struct wan_cell {
	char protocol[64], app[16];
	double rtt_ms, loss_percent;		/* as asked for */
	double keys_per_s;			/* typed; 0: every key alone */
	size_t repeats, failed, marked, tried;
	struct sample all, high;		/* ns: to the early, and to the late end of what may be a range */
	size_t ranged, late;			/* late: of the keys, later than the threshold */
	size_t answered, updates;		/* keys with an echo, and the updates that were these: fewer, where one answers several */
	double p50_ms[WAN_REPEATS_MAX], ping_ms[WAN_REPEATS_MAX];	/* of each complete repeat; ping: NAN where there was none */
	double packets, lost;			/* of all repeats that tell; NAN: none does */
};

/* What one complete repeat adds. 0 or -ENOMEM. */
int wan_cell_add(struct wan_cell *c, const struct keys *keys, double ping_ms, double threshold_ms);
void wan_cell_clear(struct wan_cell *c);	/* as new, but for its names */

/* The points of a protocol's line: of cells without loss. */
struct wan_line {
	double *x, *y;		/* owned */
	size_t n, room;
};
int wan_line_add(struct wan_line *l, const struct wan_cell *c);	/* 0 or -ENOMEM */

extern const char *const wan_summary_columns[], *const wan_slope_columns[];
void wan_write_cell(struct rows *t, struct wan_cell *c, int64_t seed);
void wan_write_slope(struct rows *t, const char *protocol, const struct wan_line *l);

/* 0, or -errno with one line in `why`. */
int wan_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
