/* SPDX-License-Identifier: GPL-3.0-or-later */
/* qmp - asks a QEMU for the threads of its virtual CPUs, by the QEMU Machine Protocol (command query-cpus-fast). */
#ifndef VAMP_QMP_H
#define VAMP_QMP_H

#include <stddef.h>
#include <sys/types.h>

struct qmp_vcpu {
	int index;	/* QEMU's cpu-index */
	pid_t tid;
};

/* In the order of their indexes, of which none is there twice. *owner: the user who made the socket. Closes the connection again:
 * QEMU talks to one client at a time. 0, or -errno with a line in `why`. */
int qmp_vcpus(const char *path, struct qmp_vcpu *out, size_t room, size_t *n, uid_t *owner, char *why, size_t size);

#endif
