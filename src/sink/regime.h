/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regime - how a process competes for a CPU: which CPUs, cgroup, nice value, policy and slice. */
#ifndef THINPROBE_REGIME_H
#define THINPROBE_REGIME_H

#include "cli.h"

#include <sys/types.h>

struct regime {
	struct cli_cpus cpus;		/* empty: as inherited */
	const char *cgroup;		/* the folder of a group, of either version; NULL: as inherited */
	int64_t nice;			/* added to the inherited one */
	int policy, priority;		/* SCHED_*; 1 to 99 for the real-time ones */
	int64_t slice_ns;		/* how long at a time, as a wish to schedulers that know one (EEVDF); 0: theirs */
};

enum regime_part { REGIME_CGROUP, REGIME_CPUS, REGIME_NICE, REGIME_POLICY, REGIME_SLICE };

/* "other|batch|idle|fifo:P|rr:P", for a table of options: `value` is a struct regime. 0, or -1. */
int regime_read_policy(const char *text, void *value);
/* The same way back; static, until the next call. */
const char *regime_policy_text(const struct regime *r);

/* Puts the calling process there. 0, or the errno with which `*asked` was refused. */
int regime_enter(const struct regime *r, enum regime_part *asked);
/* One line about such a refusal: what, why, and the cure. */
void regime_refusal(const struct regime *r, enum regime_part asked, int why, char *text, size_t size);

/* The slice that the scheduler gives a process (0: the caller), in ns. 0: this kernel has no such thing, or the policy. */
int64_t regime_slice(pid_t pid);

#endif
