/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_state - pure: which virtual CPUs shall be slow, from the lines of the guest's agent. The guest is not trusted: its lines
 * change nothing but the division of its own machine's share, and is counted. */
#ifndef VAMP_VM_STATE_H
#define VAMP_VM_STATE_H

#include "agent.h"

#define VM_SILENCE_NS 3000000000LL	/* no line for so long ends an episode */

struct vm_state {
	int vcpus;				/* 0 to vcpus - 1 */
	bool episode, silent;
	int64_t episodes;			/* begun so far */
	const char *ended_by;			/* the last one that ended: "agent", "next episode", "new agent", "silence" */
	bool slow[AGENT_CPUS];			/* background tasks had over half of the time that it ran */
	int percent[AGENT_CPUS];		/* as last reported in this episode; -1: not yet, or no episode */
	int64_t heard_ns, sequence;		/* of the last line that counted */
	int64_t lines, lost, refused;		/* read; missing in the sequence; not understood, not in order, or of no vCPU */
	bool foreign;				/* a line of another version of the protocol was seen */
};

void vm_state_start(struct vm_state *s, int vcpus, int64_t now_ns);
/* A line of the agent, without its end. */
void vm_state_add_line(struct vm_state *s, const char *line, int64_t now_ns);
/* To be called now and then: silence ends an episode. True once in each silence. */
bool vm_state_is_silent(struct vm_state *s, int64_t now_ns);
/* The episode is over, for a reason of the host's. */
void vm_state_end(struct vm_state *s, const char *why);

#endif
