/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_watch - reads the agent's lines, sets weights, and measures the CPU time of the virtual CPUs. */
#ifndef VAMP_VM_WATCH_H
#define VAMP_VM_WATCH_H

#include "rec.h"
#include "vm_state.h"
#include "vm_weights.h"

#define VM_EPISODES 10000	/* episodes kept at most; state.episodes counts all */

struct vcpu_times {
	int64_t slow_ns;		/* time with the slow weight */
	int64_t run_ns, wait_ns;	/* time on a CPU; time ready but waiting for one */
};
struct vm_episode {
	int64_t started_ns, ended_ns;
	const char *ended_by;		/* as in vm_state.h, or "port closed", "end of the run" */
	struct vcpu_times *vcpu;		/* owned */
};
struct vm_watch {
	/* set by the caller: */
	const struct vm *vm;
	struct vm_weights *weights;
	int port;			/* connected to the agent's socket */
	struct rows *log;		/* NULL: no log */
	int64_t until_ns;
	/* results: */
	struct vm_state state;
	struct vm_episode *episode;	/* owned */
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

extern const char *const vm_watch_columns[];	/* of the log, schema "vamp-vm/1"; NULL-terminated */

/* Runs until a signal, until_ns, or the end of the port; then all vCPUs are equal again. 0 or -errno (-ENOMEM). */
int vm_watch_run(struct vm_watch *w);
void vm_watch_free(struct vm_watch *w);

#endif
