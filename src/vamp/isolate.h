/* SPDX-License-Identifier: GPL-3.0-or-later */
/* isolate - interrupts of the devices a user waits for: disks, network cards, input devices and GPUs. */
#ifndef VAMP_ISOLATE_H
#define VAMP_ISOLATE_H

#include "undo.h"

#include <stdio.h>

struct cpu_ticks {
	int64_t idle, stolen, all;	/* idle: also waiting for a disk; all 0: not online */
};
/* Of CPUs 0 to room - 1. Returns the highest number that is online, and one. */
int cpu_ticks_read(FILE *stat, struct cpu_ticks *cpu, int room);

/* Without those that no hardware stands behind. */
struct isolate_irqs {
	int *irq;	/* owned */
	size_t n;
};
/* From below `root` ("" but for tests): sys/class/... and proc/irq. 0 or -errno. */
int isolate_irq_find(struct isolate_irqs *out, const char *root);
#endif
