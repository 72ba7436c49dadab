// SPDX-License-Identifier: GPL-3.0-or-later
#include "account.h"
#include "proc.h"
#include "qmp.h"
#include "vm.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* When the task began, and whose process it is; 0: it is not there. */
static uint64_t vm_start_of(pid_t tid, int64_t *process, int64_t *owner)
{
	struct proc_stat stat;
	char folder[32];

	snprintf(folder, sizeof(folder), "/proc/%d", (int)tid);
	*process = account_figure(folder, "status", "Tgid:");
	*owner = account_figure(folder, "status", "Uid:");
	return *process > 0 && *owner >= 0 && !proc_stat(tid, &stat) ? stat.start : 0;
}

int vm_find(struct vm *out, const char *qmp, char *why, size_t size)
{
	struct qmp_vcpu told[AGENT_CPUS];
	int64_t process, owner;
	bool twice = false;
	uid_t maker;
	int err = qmp_vcpus(qmp, told, AGENT_CPUS, &out->n, &maker, why, size);

	if (err)
		return err;
	out->pid = 0;
	for (size_t i = 0; i < out->n; i++) {
		struct vm_vcpu *v = &out->vcpu[i];

		*v = (struct vm_vcpu){ told[i].index, told[i].tid, vm_start_of(told[i].tid, &process, &owner) };
		if (!v->start) {
			snprintf(why, size, "vCPU %d: there is no thread %d here: run this on QEMU's host, outside of containers", v->index,
				 (int)v->tid);
			return -ESRCH;
		}
		for (size_t k = 0; k < i; k++)
			twice |= out->vcpu[k].tid == v->tid;
		if (twice || (maker && owner != maker) || (out->pid && process != out->pid)) {
			snprintf(why, size, "vCPU %d: thread %d is not one of its own, of the process that answers at %s: is that a QEMU?", v->index,
				 (int)v->tid, qmp);
			return -EPERM;
		}
		out->pid = (pid_t)process;
	}
	out->start = vm_start_of(out->pid, &process, &owner);
	return out->start ? 0 : -ESRCH;
}
