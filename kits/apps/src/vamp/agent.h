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
#pragma once

#include "throttle.h"

#define AGENT_LINE 64
#define AGENT_CPUS 512 /* maximum number of vCPUs */
#define AGENT_SEQUENCE_MAX 1000000000000000

enum agent_message { AGENT_BEGIN, AGENT_CPU, AGENT_END, AGENT_ALIVE };
struct agent_line {
	int64_t sequence;
	enum agent_message word;
	int cpu, percent; /* only in AGENT_CPU: 0 to AGENT_CPUS - 1, 0 to 100 */
};

/* Parses a line without its end. 0; -EPROTONOSUPPORT: another version of the protocol; -EPROTO: an invalid line. Pure. */
int agent_parse(const char *text, struct agent_line *out);
/* Writes the line with its end. Returns the number of bytes. Pure. */
size_t agent_format(const struct agent_line *line, char text[static AGENT_LINE]);

/* Computes the share of background tasks in a vCPU's run time, in percent, from the times counted in an interval. The kernel
 * counts idle and stolen time in steps of `step_ns`. If time was stolen, the least run time that the counters allow is used: a
 * slow vCPU runs for a few ms in an interval only, and rounding must not make it fast again. Pure. */
int agent_background_percent(int64_t background_ns, int64_t interval_ns, int64_t idle_ns, int64_t stolen_ns, int64_t step_ns);

struct agent_load;

/* Starts to measure on which CPUs these background processes run, and for how long, from /proc. Owned by the caller; NULL: no
 * memory.
 * A thread's run time since the last measurement (schedstat) counts for the CPU on which it is now (field 39 of stat): if it
 * moved meanwhile, up to one interval counts for the wrong CPU. A measurement reads two small files a thread, about 15 us. */
struct agent_load *agent_load_open(const struct background_tag *tag, size_t n);

/* Times of one CPU of the guest in an interval. */
struct agent_cpu_times {
	int64_t background_ns, idle_ns, stolen_ns;
	bool online;
};
/* Measures the time since the last call. Processes that have ended are skipped. Returns the highest CPU number plus one. */
int agent_load_measure(struct agent_load *l, int64_t *interval_ns, struct agent_cpu_times cpu[static AGENT_CPUS]);
