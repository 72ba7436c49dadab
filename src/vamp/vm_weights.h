/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_weights - divides a virtual machine's CPU share among its virtual CPUs: by a control group for each, named
 * thinprobe-vamp-PID-vcpuN, below the machine's own group, whose weight stays as it is. A fast vCPU has the weight of any other
 * thread of QEMU, a slow one 1/3, 1/9 or 1/18 of that. QEMU's other threads stay where they are.
 *
 * Version 1: threads are moved by the file `tasks`. Version 2: the groups are made threaded (cgroup.type) and threads are moved
 * by cgroup.threads; this needs the cpu controller in cgroup.subtree_control of the machine's group. If each vCPU is in a group
 * of its own already, as libvirt makes them, the weights of those are changed. */
#ifndef VAMP_VM_WEIGHTS_H
#define VAMP_VM_WEIGHTS_H

#include "undo.h"
#include "vm.h"

struct vm_weights;

/* Makes the groups; all vCPUs are fast then. `group`: folder of the machine's own group, into which QEMU is moved if it is in
 * another; NULL: the group that QEMU is in. Falls back to nice values if no group can be made. `dry`: changes nothing. 0, or
 * -errno with the reason in `why`; the caller undoes the changes with `undo`. */
int vm_weights_open(struct vm_weights **out, const struct vm *vm, const char *group, enum throttle_ratio ratio, bool dry,
		    struct undo *undo, char *why, size_t size);
/* 0, or -errno and the weight is unchanged. */
int vm_weights_set(struct vm_weights *w, size_t vcpu, bool slow);
/* The weight of a slow or fast vCPU in the scale of nice values, where nice 0 has 1024. */
int vm_weights_value(const struct vm_weights *w, bool slow);
/* The way: "cgroup v1", "cgroup v2", "nice" or "dry run". vm_weights_describe() writes one line about it for the report. */
const char *vm_weights_way(const struct vm_weights *w);
void vm_weights_describe(const struct vm_weights *w, char *text, size_t size);
/* Frees the memory; undoes nothing. */
void vm_weights_free(struct vm_weights *w);

#endif
