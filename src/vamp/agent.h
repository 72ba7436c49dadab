/* SPDX-License-Identifier: GPL-3.0-or-later */
/* agent - the protocol in which `vamp run --agent` in a guest reports to `vamp vm` on its host: lines through a virtio-serial port.
 *
 *     vamp/1 SEQUENCE begin            an episode begins; all vCPUs count as free of background tasks
 *     vamp/1 SEQUENCE cpu N PERCENT    of the time that vCPU N ran lately (the last 0.1 s count most), background tasks had PERCENT
 *     vamp/1 SEQUENCE end              the episode is over
 *     vamp/1 SEQUENCE alive            outside of an episode, once a second
 *
 * N is the guest's CPU number, which is QEMU's cpu-index on a machine whose vCPUs are all there from the start. Numbers are
 * decimal, words are apart by one space, a line has at most AGENT_LINE bytes with its end. SEQUENCE grows by one with each
 * line from 1; a line that found no room in the port leaves a gap. 1 again: the agent was started anew.
 * The host trusts no line: the guest may send anything. */
#ifndef VAMP_AGENT_H
#define VAMP_AGENT_H

#include "throttle.h"

#define AGENT_LINE 64
#define AGENT_CPUS 512			/* vCPUs, at most */
#define AGENT_SEQUENCE_MAX 1000000000000000

enum agent_message { AGENT_BEGIN, AGENT_CPU, AGENT_END, AGENT_ALIVE };
struct agent_line {
	int64_t sequence;
	enum agent_message word;
	int cpu, percent;	/* of AGENT_CPU: 0 to AGENT_CPUS - 1, 0 to 100 */
};

/* Reads a line without its end. 0; -EPROTONOSUPPORT: of another version; -EPROTO: nothing of the kind. Pure. */
int agent_line_read(const char *text, struct agent_line *out);
/* Writes it with its end; how many bytes. Pure. */
size_t agent_line_write(const struct agent_line *line, char text[AGENT_LINE]);

/* The background share of a vCPU's run time, in percent, from the times counted in an interval. The kernel counts idle and stolen
 * time in steps of `step_ns`. Where time was stolen, the least run time that the counters allow is assumed: a slow vCPU runs for a
 * few ms in an interval, and the rounding of the counters must not make it fast again. Pure. */
int agent_percent(int64_t background_ns, int64_t interval_ns, int64_t idle_ns, int64_t stolen_ns, int64_t step_ns);

struct agent_load;

/* Of these processes; the first look is taken here. NULL: no memory. Owned by the caller. */
struct agent_load *agent_load_start(const struct loaded_process *tag, size_t n);

/* Since the last look. Processes that have ended are passed over. How many CPUs the guest has (the highest number and one). */
struct agent_load_cpu {
	int64_t background_ns, idle_ns, stolen_ns;
	bool online;
};
int agent_load_measure(struct agent_load *l, int64_t *interval_ns, struct agent_load_cpu cpu[AGENT_CPUS]);

#endif
