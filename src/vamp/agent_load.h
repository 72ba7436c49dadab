/* SPDX-License-Identifier: GPL-3.0-or-later */
/* agent_load - on which CPUs the background processes run, and for how long, from /proc.
 *
 * A thread's run time since the last look (schedstat) counts for the CPU on which it stands now (field 39 of stat): where it moved
 * in between, up to one interval is counted for the wrong CPU. A look costs two small files a thread, about 15 us. */
#ifndef VAMP_AGENT_LOAD_H
#define VAMP_AGENT_LOAD_H

#include "agent.h"
#include "favour.h"

struct agent_load;

/* Of these processes; the first look is taken here. NULL: no memory. Owned by the caller. */
struct agent_load *agent_load_start(const struct tag *tag, size_t n);

/* Since the last look. Processes that have ended are passed over. How many CPUs the guest has (the highest number and one). */
struct agent_load_cpu {
	int64_t background_ns, idle_ns, stolen_ns;
	bool online;
};
int agent_load_take(struct agent_load *l, int64_t *interval_ns, struct agent_load_cpu cpu[AGENT_CPUS]);

/* The resolution of idle and stolen time in /proc/stat, in ns. */
int64_t agent_load_step(void);

#endif
