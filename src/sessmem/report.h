/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report - what was read of a login, told process by process and in sums. */
#ifndef THINPROBE_SESSMEM_REPORT_H
#define THINPROBE_SESSMEM_REPORT_H

#include "hold.h"
#include "members.h"
#include "rec.h"
#include "smaps.h"
#include "used.h"

/* One process. */
struct process_reading {
	struct member is;
	struct smaps_sum sum;
	int64_t page_tables;	/* bytes; -1: not known */
	char command[256];
};

struct session_readings {
	struct process_reading *row;
	size_t n;
	size_t vanished, unreadable, not_frozen, ended;	/* ended: zombies, without memory */
	int64_t frozen_ns;
	enum hold_way way;
};

void report_processes(struct rec *r, const struct session_readings *s);
void report_group(struct rec *r, const struct used_group *g);
void report_machine(struct rec *r, const struct used_machine *m);
/* The short text; `s` is NULL where no processes were read. */
void report_text(struct rec *r, const struct session_readings *s, const struct used_machine *m);

#endif
