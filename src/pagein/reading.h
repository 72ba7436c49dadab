/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reading - what is read of all processes at one time, and the log of it. */
#ifndef PAGEIN_READING_H
#define PAGEIN_READING_H

#include "cycle.h"

struct reading {
	struct resident is[CYCLE_PROCESSES];
	int64_t swapped_in, group_bytes;	/* since the beginning, and now; -1: not known */
};

/* All of it. 0, or -EIO with a line in `why`: a process is gone, or cannot be looked into. */
int reading_take(const struct cycle_cfg *cfg, struct reading *r, char why[CYCLE_WHY]);
/* The faults and the counters alone: quick, and in nobody's way. */
int reading_faults(const struct cycle_cfg *cfg, struct reading *r, char why[CYCLE_WHY]);

/* For judge.h: as before the key. */
void reading_judged(const struct cycle_cfg *cfg, const struct reading *r, struct judge_process *p);

/* A row for each process, where there is a log; `at_ns` 0: now. */
void reading_note(const struct cycle_cfg *cfg, const struct cycle_run *run, const struct reading *r,
		  const char *event, int64_t at_ns);

#endif
