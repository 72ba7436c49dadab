/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm - a virtual machine as the host sees it: a QEMU process and the threads that are its virtual CPUs. */
#pragma once

#include "agent.h"
#include "undo.h"
#include "why.h"

struct guest_vcpu {
	int index;		/* cpu-index of QEMU */
	pid_t tid;
	uint64_t start;		/* clock ticks after the boot */
};
struct guest_machine {
	pid_t pid;
	uint64_t start;
	size_t n;
	struct guest_vcpu vcpu[AGENT_CPUS];	/* sorted by index */
};

/* Asks a QEMU for the threads of its vCPUs, by the QEMU Machine Protocol (command query-cpus-fast). *out is sorted by index,
 * without duplicates; `start` is 0. *owner: the user who made the socket. Closes the connection, since QEMU talks to one client at
 * a time. 0, or -errno with the reason in `why`. */
int qmp_query_vcpu_threads(const char *path, struct guest_vcpu *out, size_t room, size_t *n, uid_t *owner, struct why *why);
/* The same, and checks in /proc that these are threads of one process, of the user who made the socket (or root made it, as libvirt
 * does). 0, or -errno with the reason in `why`. */
int guest_find_qemu_process_and_vcpus(struct guest_machine *out, const char *qmp, struct why *why);

/* vm_weights divides the machine's CPU share among its virtual CPUs: by a control group for each, named thinprobe-vamp-PID-vcpuN,
 * below the machine's own group, whose weight stays as it is. A fast vCPU has the weight of any other thread of QEMU, a slow one
 * 1/3, 1/9 or 1/18 of that. QEMU's other threads stay where they are.
 *
 * Version 1: threads are moved by the file `tasks`. Version 2: the groups are made threaded (cgroup.type) and threads are moved by
 * cgroup.threads; this needs the cpu controller in cgroup.subtree_control of the machine's group. If each vCPU is in a group of its
 * own already, as libvirt makes them, the weights of those are changed. */
struct guest_vcpu_weights;	/* to be freed by free() */

/* Makes the groups; all vCPUs are fast then. `group`: folder of the machine's own group, into which QEMU is moved if it is in
 * another; NULL: the group that QEMU is in. Falls back to nice values if no group can be made. `dry`: changes nothing. 0, or
 * -errno with the reason in `why`; the caller undoes the changes with `undo`. */
int guest_weights_open(struct guest_vcpu_weights **out, const struct guest_machine *vm, const char *group,
		       enum throttle_ratio ratio, bool dry, struct undo_recorder *undo, struct why *why);
/* 0, or -errno and the weight is unchanged. */
int guest_weights_set_vcpu(struct guest_vcpu_weights *w, size_t vcpu, bool slow);
/* The weight of a slow or fast vCPU in the scale of nice values, where nice 0 has 1024. */
int guest_vcpu_weight_in_1024ths(const struct guest_vcpu_weights *w, bool slow);
/* The way: "cgroup v1", "cgroup v2", "nice" or "dry run". guest_weights_describe() writes one line about it for the report. */
const char *guest_weights_method_name(const struct guest_vcpu_weights *w);
void guest_weights_describe(const struct guest_vcpu_weights *w, char *text, size_t size);
