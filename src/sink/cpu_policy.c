// SPDX-License-Identifier: GPL-3.0-or-later
#include "workers.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_real_time(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

int parse_cpu_policy_option(const char *text, void *value)
{
	static const struct {
		const char *name;
		int policy;
	} plain[] = {
		{ "other", SCHED_OTHER },
		{ "batch", SCHED_BATCH },
		{ "idle", SCHED_IDLE },
	};
	struct cpu_policy *r = value;
	int64_t priority;

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		if (!strcmp(text, plain[i].name)) {
			r->policy = plain[i].policy;
			r->priority = 0;
			return 0;
		}
	}
	if (strncmp(text, "fifo:", 5) != 0 && strncmp(text, "rr:", 3) != 0)
		return -1;
	if (cli_parse_int(strchr(text, ':') + 1, &priority) || priority < 1 || priority > 99)
		return -1;
	r->policy = text[0] == 'f' ? SCHED_FIFO : SCHED_RR;
	r->priority = (int)priority;
	return 0;
}

const char *cpu_policy_text(const struct cpu_policy *r)
{
	static char text[16];

	switch (r->policy) {
	case SCHED_BATCH: return "batch";
	case SCHED_IDLE: return "idle";
	case SCHED_FIFO:
	case SCHED_RR: snprintf(text, sizeof(text), "%s:%d", r->policy == SCHED_FIFO ? "fifo" : "rr", r->priority); return text;
	default: return "other";
	}
}

/* The first version of struct sched_attr, which every kernel accepts: glibc has neither the struct nor the system calls, and the
 * kernel's header clashes with <sched.h>. */
struct cpu_policy_attr {
	uint32_t size, sched_policy;
	uint64_t sched_flags;
	int32_t sched_nice;
	uint32_t sched_priority;
	uint64_t sched_runtime, sched_deadline, sched_period;
};

static int read_sched_attr(pid_t pid, struct cpu_policy_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	return syscall(SYS_sched_getattr, pid, attr, sizeof(*attr), 0) ? errno : 0;
}

static int set_own_slice(int64_t slice_ns)
{
	struct cpu_policy_attr attr;
	int err = read_sched_attr(0, &attr);

	if (err)
		return err;
	attr.size = sizeof(attr);
	attr.sched_flags = 0;
	attr.sched_runtime = (uint64_t)slice_ns;
	return syscall(SYS_sched_setattr, 0, &attr, 0) ? errno : 0;
}

int cpu_policy_apply(const struct cpu_policy *r, enum cpu_policy_part *asked)
{
	struct sched_param param = { .sched_priority = r->priority };
	int err;

	/* the cgroup first: its cpuset changes the CPUs, and without real-time budget it refuses real-time policies */
	*asked = CPU_POLICY_CGROUP;
	err = r->cgroup ? proc_enter_cgroup(r->cgroup) : 0;
	if (err)
		return -err;
	*asked = CPU_POLICY_CPUS;
	err = proc_pin_thread(&r->cpus);
	if (err)
		return -err;
	*asked = CPU_POLICY_NICE;
	errno = 0;
	if (r->nice && nice((int)r->nice) == -1 && errno)
		return errno;
	*asked = CPU_POLICY_POLICY;
	if (((sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != r->policy || r->priority) &&
	    sched_setscheduler(0, r->policy, &param))
		return errno;
	*asked = CPU_POLICY_SLICE;
	return r->slice_ns ? set_own_slice(r->slice_ns) : 0;
}

void cpu_policy_explain(const struct cpu_policy *r, enum cpu_policy_part asked, int why, char *text, size_t size)
{
	const char *said = strerror(why);

	switch (asked) {
	case CPU_POLICY_CGROUP:
		snprintf(text, size, "--cgroup %s was refused: %s%s", r->cgroup, said,
			 why == ENOENT || why == ENOTDIR ? "; a group is a folder that holds a cgroup.procs"
			 : why == EACCES || why == EPERM ? "; only root or the owner of the cgroup may enter it"
			 : why == EBUSY			 ? "; give a cgroup without child cgroups"
			 : is_real_time(r->policy)	 ? "; its cpu.rt_runtime_us may be 0"
							 : "");
		return;
	case CPU_POLICY_CPUS:
		snprintf(text, size, "--cpus was refused: %s%s", said,
			 why == ENODEV ? "; some of these CPUs do not exist or are not allowed, see taskset -cp $$" : "");
		return;
	case CPU_POLICY_NICE:
		snprintf(text, size, "--nice %lld was refused: %s; root, or a higher ulimit -e, may raise priority",
			 (long long)r->nice, said);
		return;
	case CPU_POLICY_POLICY:
		snprintf(text, size, "--policy %s was refused: %s; root, or a higher ulimit -r, may set it%s", cpu_policy_text(r),
			 said, r->cgroup && is_real_time(r->policy) ? ", in a group whose cpu.rt_runtime_us is not 0" : "");
		return;
	case CPU_POLICY_SLICE: snprintf(text, size, "--slice was refused: %s; leave it out on this kernel", said); return;
	}
}

int64_t cpu_policy_slice_ns(pid_t pid)
{
	struct cpu_policy_attr attr;

	if (read_sched_attr(pid, &attr) || is_real_time((int)attr.sched_policy))
		return 0;
	return (int64_t)attr.sched_runtime;
}
