/* SPDX-License-Identifier: GPL-3.0-or-later */
/* profile_report - writes the profile into the report (rec.h), and its warnings. The figures are defined where they are
 * measured. */
#pragma once

#include "pipeline.h"
#include "observer_effect.h"

struct report_inputs {
	struct gap_pipeline *follow;
	struct idle_loops *spin;
	struct observer_effect *own;
	const struct stamp_map *map;
	const int64_t *spin_ns;		       /* CPU time of each loop during the profile; negative: not known */
	int64_t threshold_ns, wall_ns, cpu_ns; /* cpu_ns: CPU time of this program without its loops, during the profile */
	int64_t memory_peak_bytes;
	int64_t rows; /* rows written to log files */
	bool wakeups, who;
	bool brief; /* text report: culprits first, no histogram bins without events */
};

/* Writes the object "result", which must be open. */
void report_profile(struct rec_report *r, const struct report_inputs *p);
/* Writes the short report. */
void say_profile(struct rec_report *r, const struct report_inputs *p);

/* Warns of each log that could not be written, once. Returns whether there was one. */
bool report_warn_logs(struct profile_logs *logs);
/* Warns of time in which the loops paused since nothing drained them. Returns whether there was any. */
bool report_warn_unwatched(struct rec_report *out, const struct gap_pipeline *f);
/* Warns if more than 1 % of the lost time lies beside task switches without a record: the table of culprits lacks that time. */
void report_warn_missed(struct rec_report *out, const struct gap_pipeline *f);
