/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpu_policy - how a process competes for CPU time: CPUs, cgroup, nice value, scheduling policy and time slice. */
#pragma once

#include "cli.h"

#include <sys/types.h>

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
