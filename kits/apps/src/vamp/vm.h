/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm - a virtual machine as the host sees it: a QEMU process and the threads that are its virtual CPUs. */
#pragma once

#include "agent.h"
#include "rec.h"
#include "undo.h"
#include "why.h"

#include <jansson.h>
#include <stdio.h>

struct guest_vcpu {
	int index; /* cpu-index of QEMU */
	pid_t tid;
	uint64_t start; /* clock ticks after the boot */
};
struct guest_machine {
	pid_t pid;
	uint64_t start;
	size_t n;
	struct guest_vcpu vcpu[AGENT_CPUS]; /* sorted by index */
};

/* Connects to a QEMU by the QEMU Machine Protocol. *owner: the user who made the socket. QEMU talks to one client at a time, until
 * fclose(). 0, or -errno with the reason in `why`. */
int qmp_open(FILE **out, const char *path, uid_t *owner, struct why *why);
/* Returns the answer to a command in JSON, with its end of line, which the caller frees; NULL: an error, or none in time. */
json_t *qmp_ask(FILE *in, const char *command);
/* Asks for the threads of the vCPUs (command query-cpus-fast), and closes the connection. *out is sorted by index, without
 * duplicates; `start` is 0. Errors as qmp_open(). */
int qmp_query(const char *path, struct guest_vcpu *out, size_t room, size_t *n, uid_t *owner, struct why *why);
/* The same, and checks in /proc that these are threads of one process, of the user who made the socket (or root made it, as libvirt
 * does). 0, or -errno with the reason in `why`. */
int guest_find(struct guest_machine *out, const char *qmp, struct why *why);

/* vm_weights divides the machine's CPU share among its virtual CPUs: by a control group for each, named thinprobe-vamp-PID-vcpuN,
 * below the machine's own group, whose weight stays as it is. A fast vCPU has the weight of any other thread of QEMU, a slow one
 * 1/3, 1/9 or 1/18 of that. QEMU's other threads stay where they are.
 *
 * Version 1: threads are moved by the file `tasks`. Version 2: the groups are made threaded (cgroup.type) and threads are moved by
 * cgroup.threads; this needs the cpu controller in cgroup.subtree_control of the machine's group. If each vCPU is in a group of its
 * own already, as libvirt makes them, the weights of those are changed. */
struct vcpu_weights; /* to be freed by free() */

/* Makes the groups; all vCPUs are fast then. `group`: folder of the machine's own group, into which QEMU is moved if it is in
 * another; NULL: the group that QEMU is in. Falls back to nice values if no group can be made. `dry`: changes nothing. 0, or
 * -errno with the reason in `why`; the caller undoes the changes with `undo`. */
int weights_open(struct vcpu_weights **out, const struct guest_machine *vm, const char *group, enum throttle_ratio ratio, bool dry,
		 struct undo_recorder *undo, struct why *why);
/* 0, or -errno and the weight is unchanged. */
int weights_set(struct vcpu_weights *w, size_t vcpu, bool slow);
/* The weight of a slow or fast vCPU in the scale of nice values, where nice 0 has 1024. */
int weights_get_scaled(const struct vcpu_weights *w, bool slow);
/* The way: "cgroup v1", "cgroup v2", "nice" or "dry run". weights_describe() writes one line about it for the report. */
const char *weights_method_name(const struct vcpu_weights *w);
void weights_describe(const struct vcpu_weights *w, char *text, size_t size);

/* --- vm_registers.c: tells the tasks of the guest apart without its help, as Kim et al. 2014 do: a task is a value of a vCPU's
 * page-table register (CR3), and background is one that had, or waited for, over half of a CPU in the 1024 ms before an input.
 * They trap each change of the register; here QEMU is asked for it every REGISTERS_NS, and what the vCPU's thread ran and waited
 * since counts for the task that is found. Kernel threads count for the task before them. The kernel half of page tables that are
 * split (page-table isolation) is another task. --- */

#define REGISTERS_NS (10 * NS_PER_MS)
#define REGISTERS_BEFORE_NS (1024 * NS_PER_MS)
#define REGISTERS_THRESHOLD 0.5

struct guest_registers;

/* Reads the page-table registers of vCPUs 0 to n - 1 in QEMU's text ("info registers -a"), without the tag in their low bits. 0, or
 * -EPROTO if one is missing. Pure. */
int registers_parse(const char *text, uint64_t *task, size_t n);
/* NULL: no memory. To be freed by registers_free(). */
struct guest_registers *registers_new(size_t vcpus);
void registers_free(struct guest_registers *r);
/* Adds a sample: the task of each vCPU, and the time that it ran and waited so far. Pure. */
void registers_add(struct guest_registers *r, int64_t now_ns, const uint64_t *task, const int64_t *spent_ns);
/* At an input: decides which tasks are background. Returns how many. Pure. */
size_t registers_judge(struct guest_registers *r, int64_t now_ns);
/* Whether a vCPU had a background task in the last sample. Pure. */
bool registers_background(const struct guest_registers *r, size_t vcpu);

/* --- vm_watch.c: reads the lines of the guest's agent, decides which virtual CPUs shall be slow, sets their weights, and measures
 * their CPU time. The guest is not trusted: its lines only change how its own machine's CPU share is divided; bad lines are
 * counted. --- */

#define VM_SILENCE_NS 3000000000LL /* an episode ends after this time without a line */

/* State of the agent, and what it asks for: pure. */
struct guest_state {
	int vcpus; /* numbers 0 to vcpus - 1 */
	bool episode, silent;
	int64_t episodes;	      /* number of episodes begun */
	const char *ended_by;	      /* why the last episode ended: "agent", "next episode", "new agent", "silence" */
	bool slow[AGENT_CPUS];	      /* background tasks had over half of the vCPU's run time */
	int percent[AGENT_CPUS];      /* as last reported in this episode; -1: not yet, or no episode */
	int64_t heard_ns, sequence;   /* time and sequence number of the last accepted line */
	int64_t lines, lost, refused; /* read; missing in the sequence; invalid, out of order, or of no vCPU */
	bool foreign;		      /* a line had another version of the protocol */
};

void state_init(struct guest_state *s, int vcpus, int64_t now_ns);
/* Handles a line of the agent, without its end. */
void state_add_line(struct guest_state *s, const char *line, int64_t now_ns);
/* Ends the episode if the agent has been silent too long; to be called now and then. True once in each silence. */
bool state_end_silent(struct guest_state *s, int64_t now_ns);

#define VM_EPISODES 10000 /* episodes kept at most; state.episodes counts all */

struct vcpu_times {
	int64_t slow_ns;	 /* time with the slow weight */
	int64_t run_ns, wait_ns; /* time on a CPU; time ready but waiting for one */
};
struct guest_episode {
	int64_t started_ns, ended_ns;
	int64_t background;	 /* number of background tasks, by registers; -1: without these */
	const char *ended_by;	 /* as in guest_state, or "port closed", "end of the run" */
	struct vcpu_times *vcpu; /* owned */
};
struct guest_watch {
	/* set by the caller: */
	const struct guest_machine *vm;
	struct vcpu_weights *weights;
	int port;	      /* connected to the agent's socket */
	FILE *qmp;	      /* NULL: the agent tells which vCPUs run background; else it is asked for registers */
	struct row_file *log; /* NULL: no log */
	int64_t until_ns;
	/* results: */
	struct guest_state state;
	struct guest_episode *episode; /* owned */
	size_t episodes;
	int64_t silences, failures; /* silences of the agent; failures to set a weight */
	int64_t samples;	    /* of registers */
	int64_t started_ns, ended_ns, cpu_ns;
	struct vcpu_times all[AGENT_CPUS];
	bool closed; /* the other side has closed the port */
	/* internal: */
	struct guest_registers *registers;
	int64_t background;
	bool slow[AGENT_CPUS];	 /* as set now */
	int percent[AGENT_CPUS]; /* reported shares that led to it */
	int64_t accounted_ns, logged_ns;
	struct vcpu_times base[AGENT_CPUS], logged[AGENT_CPUS];
	int64_t seen; /* number of the episode that was last handled */
	bool open;    /* the last of `episode` has not ended */
};

extern const char *const vm_watch_columns[]; /* columns of the log, schema "vamp-vm/1"; NULL-terminated */

/* Runs until a signal, until_ns, or the end of the port; then all vCPUs are equal again. 0 or -errno (-ENOMEM). */
int guest_watch_run(struct guest_watch *w);
void guest_watch_free(struct guest_watch *w);
