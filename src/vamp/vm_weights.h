/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_weights - the division of a virtual machine's CPU share among its virtual CPUs: a control group for each, named
 * thinprobe-vamp-PID-vcpuN, below the machine's own, whose weight stays as it is. A fast one weighs as much as any other thread of
 * QEMU, a slow one 1/3, 1/9 or 1/18 of that. QEMU's other threads stay where they are.
 *
 * Version 1: the thread moves through `tasks`. Version 2: the group is made threaded (cgroup.type) and the thread moves through
 * cgroup.threads, which needs the cpu controller in the cgroup.subtree_control of the machine's group. Where each vCPU is in a
 * group of its own already, as libvirt does it, the weights of those are changed. */
#ifndef VAMP_VM_WEIGHTS_H
#define VAMP_VM_WEIGHTS_H

#include "throttle.h"
#include "undo.h"
#include "vm.h"

struct vm_weights;

/* All are fast then. `group`: folder of the machine's own group, into which QEMU is moved if it is elsewhere; NULL: the group
 * that it is in. Falls back to nice values where no group can be made, and says so in vm_weights_tell. `dry`: changes nothing.
 * 0, or -errno with a line in `why`; the caller undoes with `undo`. */
int vm_weights_open(struct vm_weights **out, const struct vm *vm, const char *group, enum throttle_ratio ratio, bool dry,
		    struct undo *undo, char *why, size_t size);
/* 0; -errno, and the weight is as before. */
int vm_weights_set(struct vm_weights *w, size_t vcpu, bool slow);
/* In the scale of nice values, where 1024 is nice 0. */
int vm_weights_value(const struct vm_weights *w, bool slow);
/* "cgroup v1", "cgroup v2", "nice", "dry run"; and one line for the report. */
const char *vm_weights_way(const struct vm_weights *w);
void vm_weights_describe(const struct vm_weights *w, char *text, size_t size);
/* Undoes nothing: that is the undo's. */
void vm_weights_free(struct vm_weights *w);

#endif
