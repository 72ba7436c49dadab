/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_watch - reads the lines of the guest's agent, decides which virtual CPUs shall be slow, sets their weights, and measures their
 * CPU time. The guest is not trusted: its lines only change how its own machine's CPU share is divided; bad lines are counted. */
#pragma once

#include "rec.h"
#include "vm.h"

#define VM_SILENCE_NS 3000000000LL	/* an episode ends after this time without a line */

/* State of the agent, and what it asks for: pure. */
struct guest_agent_state {
	int vcpus;				/* numbers 0 to vcpus - 1 */
	bool episode, silent;
	int64_t episodes;			/* number of episodes begun */
	const char *ended_by;			/* why the last episode ended: "agent", "next episode", "new agent", "silence" */
	bool slow[AGENT_CPUS];			/* background tasks had over half of the vCPU's run time */
	int percent[AGENT_CPUS];		/* as last reported in this episode; -1: not yet, or no episode */
	int64_t heard_ns, sequence;		/* time and sequence number of the last accepted line */
	int64_t lines, lost, refused;		/* read; missing in the sequence; invalid, out of order, or of no vCPU */
	bool foreign;				/* a line had another version of the protocol */
};

void guest_state_init(struct guest_agent_state *s, int vcpus, int64_t now_ns);
/* Handles a line of the agent, without its end. */
void guest_state_add_agent_line(struct guest_agent_state *s, const char *line, int64_t now_ns);
/* Ends the episode if the agent has been silent too long; to be called now and then. True once in each silence. */
bool guest_state_end_if_silent(struct guest_agent_state *s, int64_t now_ns);
/* Ends the episode, for a reason of the host's. */
void guest_state_end_episode(struct guest_agent_state *s, const char *why);

#define VM_EPISODES 10000	/* episodes kept at most; state.episodes counts all */

struct vcpu_times {
	int64_t slow_ns;		/* time with the slow weight */
	int64_t run_ns, wait_ns;	/* time on a CPU; time ready but waiting for one */
};
struct guest_episode {
	int64_t started_ns, ended_ns;
	const char *ended_by;		/* as in vm_state.h, or "port closed", "end of the run" */
	struct vcpu_times *vcpu;		/* owned */
};
struct guest_watch {
	/* set by the caller: */
	const struct guest_machine *vm;
	struct guest_vcpu_weights *weights;
	int port;			/* connected to the agent's socket */
	struct row_file *log;		/* NULL: no log */
	int64_t until_ns;
	/* results: */
	struct guest_agent_state state;
	struct guest_episode *episode;	/* owned */
	size_t episodes;
	int64_t silences, failures;	/* silences of the agent; failures to set a weight */
	int64_t started_ns, ended_ns, cpu_ns;
	struct vcpu_times all[AGENT_CPUS];
	bool closed;			/* the other side has closed the port */
	/* internal: */
	bool slow[AGENT_CPUS];		/* as set now */
	int percent[AGENT_CPUS];	/* reported shares that led to it */
	int64_t accounted_ns, logged_ns;
	struct vcpu_times base[AGENT_CPUS], logged[AGENT_CPUS];
	int64_t seen;			/* number of the episode that was last handled */
	bool open;			/* the last of `episode` has not ended */
};

extern const char *const vm_watch_columns[];	/* columns of the log, schema "vamp-vm/1"; NULL-terminated */

/* Runs until a signal, until_ns, or the end of the port; then all vCPUs are equal again. 0 or -errno (-ENOMEM). */
int guest_watch_until_end(struct guest_watch *w);
void guest_watch_free(struct guest_watch *w);
