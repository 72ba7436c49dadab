/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm - a virtual machine as the host sees it: a QEMU process and the threads that are its virtual CPUs. */
#ifndef VAMP_VM_H
#define VAMP_VM_H

#include "agent.h"

struct qmp_vcpu {
	int index;	/* cpu-index of QEMU */
	pid_t tid;
};

/* Asks a QEMU for the threads of its vCPUs, by the QEMU Machine Protocol (command query-cpus-fast). *out is sorted by index,
 * without duplicates. *owner: the user who made the socket. Closes the connection, since QEMU talks to one client at a time. 0,
 * or -errno with the reason in `why`. */
int qmp_vcpus(const char *path, struct qmp_vcpu *out, size_t room, size_t *n, uid_t *owner, char *why, size_t size);

struct vm_vcpu {
	int index;
	pid_t tid;
	uint64_t start;		/* clock ticks after the boot */
};
struct vm {
	pid_t pid;
	uint64_t start;
	size_t n;
	struct vm_vcpu vcpu[AGENT_CPUS];	/* sorted by index */
};

/* Asks QEMU at the socket, and checks in /proc that these are threads of one process, of the user who made the socket (or root
 * made it, as libvirt does). 0, or -errno with the reason in `why`. */
int vm_find(struct vm *out, const char *qmp, char *why, size_t size);

#endif
