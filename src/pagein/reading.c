// SPDX-License-Identifier: GPL-3.0-or-later
#include "reading.h"
#include "clock.h"

#include <errno.h>
#include <string.h>

const char *const cycle_columns[] = { "run", "time_ns", "event", "pid", "swap_bytes", "anonymous_bytes",
				      "file_bytes", "major_faults",
				      "minor_faults", "swap_in_bytes", "group_bytes", NULL };

static int64_t swapped_in(const struct cycle_cfg *cfg)
{
	bool machine;

	return memgroup_swapped_in(&cfg->group, &machine);
}

void reading_note(const struct cycle_cfg *cfg, const struct cycle_run *run, const struct reading *r,
		  const char *event, int64_t at_ns)
{
	if (!cfg->log)
		return;
	at_ns = at_ns ? at_ns : clock_now();
	for (size_t i = 0; i < cfg->n; i++) {
		rows_int(cfg->log, run->number);
		rows_int(cfg->log, at_ns);
		rows_str(cfg->log, event);
		rows_int(cfg->log, cfg->pid[i]);
		rows_int(cfg->log, r->is[i].memory.anonymous_swap);
		rows_int(cfg->log, r->is[i].memory.anonymous_resident);
		rows_int(cfg->log, r->is[i].memory.file_resident);
		rows_int(cfg->log, r->is[i].major);
		rows_int(cfg->log, r->is[i].minor);
		rows_count(cfg->log, r->swapped_in);
		rows_count(cfg->log, r->group_bytes);
		rows_end(cfg->log);
	}
}

static int process_gone(const struct cycle_cfg *cfg, size_t i, int err, char why[CYCLE_WHY])
{
	snprintf(why, CYCLE_WHY, "process %d: %s", (int)cfg->pid[i],
		 err == -ESRCH ? "it has ended" : err == -EACCES ? "no right to look into it; run as its user, or as root" : strerror(-err));
	return -EIO;
}

int reading_faults(const struct cycle_cfg *cfg, struct reading *r, char why[CYCLE_WHY])
{
	for (size_t i = 0; i < cfg->n; i++) {
		int err = resident_faults(cfg->pid[i], &r->is[i]);

		if (err)
			return process_gone(cfg, i, err, why);
	}
	r->swapped_in = swapped_in(cfg);
	r->group_bytes = memgroup_used(&cfg->group);
	return 0;
}

int reading_take(const struct cycle_cfg *cfg, struct reading *r, char why[CYCLE_WHY])
{
	for (size_t i = 0; i < cfg->n; i++) {
		int err = resident_read(cfg->pid[i], &r->is[i]);

		if (err)
			return process_gone(cfg, i, err, why);
	}
	return reading_faults(cfg, r, why);
}

void reading_judged(const struct cycle_cfg *cfg, const struct reading *r, struct judge_process *p)
{
	for (size_t i = 0; i < cfg->n; i++) {
		const struct smaps_sum *m = &r->is[i].memory;

		p[i] = (struct judge_process){ .resident = m->anonymous_resident, .swap = m->anonymous_swap, .swap_after = m->anonymous_swap,
					       .locked = m->all.locked };
	}
}
