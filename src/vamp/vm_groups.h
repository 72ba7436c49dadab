/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_groups - a control group for each virtual CPU, named thinprobe-vamp-PID-vcpuN, below the machine's own group.
 *
 * Version 1: the thread moves through `tasks`. Version 2: the group is made threaded (cgroup.type) and the thread moves through
 * cgroup.threads, which needs the cpu controller in the cgroup.subtree_control of the machine's group. Where each vCPU is in a
 * group of its own already, as libvirt does it, the weights of those are changed. */
#ifndef VAMP_VM_GROUPS_H
#define VAMP_VM_GROUPS_H

#include "undo.h"
#include "vm.h"

#include <stdbool.h>

struct vm_groups {
	int version;
	char machine[VM_GROUP];		/* folder of the machine's own group */
	bool adopted;			/* the groups are not ours */
	struct vm_groups_vcpu {
		int fd;			/* of the file with the weight; owned */
		int fast;		/* weight in the unit of that file */
	} vcpu[AGENT_CPUS];
	size_t n;
};

/* `folder`: where QEMU is to be moved; NULL: where it is. 0, or -errno with a line in `why`; then all is as before. */
int vm_groups_make(struct vm_groups *g, const struct vm *vm, const char *folder, struct undo *undo, char *why, size_t size);
/* The weight that is `parts` times below the fast one. */
int vm_groups_slow(const struct vm_groups *g, size_t vcpu, int parts);
int vm_groups_set(struct vm_groups *g, size_t vcpu, int weight);	/* 0 or -errno */
void vm_groups_close(struct vm_groups *g);				/* closes the files; undoes nothing */

#endif
