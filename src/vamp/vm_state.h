/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_state - decides which virtual CPUs shall be slow, from the lines of the guest's agent. Pure. The guest is not trusted: its
 * lines only change how its own machine's CPU share is divided, and bad lines are counted. */
#ifndef VAMP_VM_STATE_H
#define VAMP_VM_STATE_H

#include "agent.h"

#define VM_SILENCE_NS 3000000000LL	/* an episode ends after this time without a line */

struct vm_state {
	int vcpus;				/* numbers 0 to vcpus - 1 */
	bool episode, silent;
	int64_t episodes;			/* number of episodes begun */
	const char *ended_by;			/* why the last episode ended: "agent", "next episode", "new agent", "silence" */
	bool slow[AGENT_CPUS];			/* background tasks had over half of the vCPU's run time */
	int percent[AGENT_CPUS];		/* as last reported in this episode; -1: not yet, or no episode */
	int64_t heard_ns, sequence;		/* time and sequence number of the last accepted line */
	int64_t lines, lost, refused;		/* lines read; missing in the sequence; not understood, out of order, or of a vCPU that does not exist */
	bool foreign;				/* a line had another version of the protocol */
};

void vm_state_start(struct vm_state *s, int vcpus, int64_t now_ns);
/* Handles a line of the agent, without its end. */
void vm_state_add_line(struct vm_state *s, const char *line, int64_t now_ns);
/* Ends the episode if the agent has been silent too long; to be called now and then. True once in each silence. */
bool vm_state_is_silent(struct vm_state *s, int64_t now_ns);
/* Ends the episode, for a reason of the host's. */
void vm_state_end(struct vm_state *s, const char *why);

#endif
