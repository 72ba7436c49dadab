/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - the profile as a tree for rec. Ratios and units only; what they mean stands where they are measured. */
#ifndef THINPROBE_REPORT_H
#define THINPROBE_REPORT_H

#include "pipeline.h"
#include "observer_effect.h"
#include "rec.h"

struct profile_report {
	struct gap_pipeline *follow;
	struct spin *spin;
	struct observer_effect *own;
	const struct stamp_map *map;
	const int64_t *spin_ns;		/* CPU time of each loop during the profile; negative: not known */
	int64_t threshold_ns, wall_ns, cpu_ns;	/* cpu_ns: of this program without its loops, during the profile */
	int64_t memory_peak_bytes;
	int64_t rows;			/* written to logs */
	bool wakeups, who;
	bool brief;			/* for people: culprits first, no bins without events */
};

/* Fills the current object ("result"). */
void report_profile(struct rec *r, const struct profile_report *p);
/* The short report. */
void say_profile(struct rec *r, const struct profile_report *p);

/* Logs that could not be written; each once. Whether there were any. */
bool warn_of_logs(struct profile_logs *logs);
/* Whether the loops of `n` CPUs had to pause since they were not looked at. */
bool warn_of_unwatched(struct rec *out, const struct gap_pipeline *f, int n);
/* Where so much lies beside switches without a record that the table of culprits lacks it: more than 1 % of what was lost. */
void warn_of_missed_switches(struct rec *out, const struct gap_pipeline *f, int n);

#endif
