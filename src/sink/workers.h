/* SPDX-License-Identifier: GPL-3.0-or-later */
/* workers - the processes of a CPU load, started and stopped together; their CPU times are kept in shared memory. */
#pragma once

#include "cli.h"
#include "proc.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

/* How a process competes for CPU time: CPUs, cgroup, nice value, scheduling policy and time slice. */
struct cpu_policy {
	struct cli_cpus cpus; /* empty: inherited */
	const char *cgroup;   /* folder of a cgroup of version 1 or 2; NULL: inherited */
	int64_t nice;	      /* added to the inherited nice value */
	int policy, priority; /* SCHED_*; priority 1 to 99 for real-time policies, else 0 */
	int64_t slice_ns;     /* requested time slice (EEVDF scheduler); 0: default */
};

enum cpu_policy_part { CPU_POLICY_CGROUP, CPU_POLICY_CPUS, CPU_POLICY_NICE, CPU_POLICY_POLICY, CPU_POLICY_SLICE };

/* Reads "other|batch|idle|fifo:P|rr:P" into `value`, a struct cpu_policy (for CLI_CALL). 0 or -1. */
int parse_cpu_policy_option(const char *text, void *value);
/* The text of the policy, as parse_cpu_policy_option() takes it; static, valid until the next call. */
const char *cpu_policy_text(const struct cpu_policy *r);

/* Applies the policy to the calling process. 0, or the errno with which the part *asked was refused. */
int cpu_policy_apply(const struct cpu_policy *r, enum cpu_policy_part *asked);
/* Writes one line about such a refusal: what, why, and the cure. */
void cpu_policy_explain(const struct cpu_policy *r, enum cpu_policy_part asked, int why, char *text, size_t size);

/* The time slice of a process (0: the caller) in ns; 0: the kernel or the policy has none. */
int64_t cpu_policy_slice_ns(pid_t pid);

struct worker {
	pid_t pid;		    /* 0: has ended */
	pid_t was;		    /* its pid, also after it has ended */
	atomic_bool ready;	    /* set by its worker_function once the load runs; of a burst plan, once it is ready to begin */
	enum cpu_policy_part asked; /* the part of the policy that was refused */
	atomic_int refused;	    /* errno of that refusal; 0: none */
	int64_t start_ns, start_cpu_ns; /* wall-clock and CPU time when its worker_function began */
	int64_t wall_ns, cpu_ns;	/* duration and CPU time of its worker_function; if it died, cpu_ns of the whole process */
	int64_t slice_ns;		/* from cpu_policy_slice_ns() */
	struct proc_schedstat sched;
	bool accounted, died; /* sched is valid; the process was killed or failed */
	bool was_ready;	      /* on a CPU or waiting for one when its times were read */
};

struct workers {
	atomic_bool stop;	/* tells the processes to end */
	sem_t wake;		/* posted once for each process when `stop` is set, to wake those that sleep */
	atomic_llong origin_ns; /* time 0 of a burst plan (CLOCK_MONOTONIC); 0: not set yet */
	struct cli_cpus cpus;	/* CPUs that the first process may use; none: not known */
	int64_t count;
	struct worker child[];
};

/* The load of one process: runs until `stop` is set or the load is complete. */
typedef void worker_function(struct workers *workers, int64_t index, void *context);

/* Allocates the shared memory, which is never freed. NULL with errno set. */
struct workers *workers_new(int64_t count);

/* Starts the processes and waits until all are ready, or for a stop signal. 0; on failure all processes have ended and *who is the
 * index of the one that failed: -errno (could not be started), WORKERS_REFUSED (its policy was refused: `asked`, `refused`) or
 * WORKERS_DIED. */
enum { WORKERS_REFUSED = 1, WORKERS_DIED };
int workers_start(struct workers *workers, const struct cpu_policy *policy, worker_function *work, void *context, int64_t *who);

/* Waits until all processes have ended by themselves, until `until_ns`, or for a stop signal. Whether all have ended. */
bool workers_wait(struct workers *workers, int64_t until_ns);
/* Reads the CPU times of all running processes and tells them to end. Works also if a low priority gives them no CPU time. */
void workers_stop(struct workers *workers);
/* After workers_stop(): waits until all processes have ended, or until `until_ns` (INT64_MAX: no limit), and sets their `died`. */
void workers_reap(struct workers *workers, int64_t until_ns);
