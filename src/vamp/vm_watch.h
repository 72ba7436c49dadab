/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_watch - listens to the agent, sets weights, and accounts for the CPU time of the virtual CPUs. */
#ifndef VAMP_VM_WATCH_H
#define VAMP_VM_WATCH_H

#include "rec.h"
#include "vm_state.h"
#include "vm_weights.h"

#define VM_EPISODES 10000	/* that are kept: state.episodes counts all */

struct vcpu_times {
	int64_t slow_ns;		/* with the slow weight */
	int64_t run_ns, wait_ns;	/* on a CPU; ready, but waiting for one */
};
struct vm_episode {
	int64_t started_ns, ended_ns;
	const char *ended_by;		/* as in vm_state.h, or "port closed", "end of the run" */
	struct vcpu_times *vcpu;		/* owned */
};
struct vm_watch {
	/* the caller's: */
	const struct vm *vm;
	struct vm_weights *weights;
	int port;			/* connected to the agent's socket */
	struct rows *log;		/* NULL: none */
	int64_t until_ns;
	/* results: */
	struct vm_state state;
	struct vm_episode *episode;	/* owned */
	size_t episodes;
	int64_t silences, failures;	/* failures: a weight could not be set */
	int64_t started_ns, ended_ns, cpu_ns;
	struct vcpu_times all[AGENT_CPUS];
	bool closed;			/* the port, by the other side */
	/* its own: */
	bool slow[AGENT_CPUS];		/* as set */
	int percent[AGENT_CPUS];	/* that led to it */
	int64_t accounted_ns, logged_ns;
	struct vcpu_times base[AGENT_CPUS], logged[AGENT_CPUS];
	int64_t seen;			/* the episode of the state that was acted on */
	bool open;			/* the last of `episode` */
};

extern const char *const vm_watch_columns[];	/* of the log, schema "vamp-vm/1" */

/* Until a signal, the time, or the end of the port. 0 or -errno (-ENOMEM). All vCPUs are equal again. */
int vm_watch_run(struct vm_watch *w);
void vm_watch_free(struct vm_watch *w);

#endif
