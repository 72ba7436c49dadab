/* SPDX-License-Identifier: GPL-3.0-or-later */
/* isolate_inside - parts of isolate.c: how busy CPUs were, and interrupts of the devices a user waits for (isolate_irq.c). */
#ifndef VAMP_ISOLATE_INSIDE_H
#define VAMP_ISOLATE_INSIDE_H

#include "undo.h"

#include <stdbool.h>
#include <stdio.h>

/* From a /proc/stat: clock ticks these CPUs were busy (neither idle nor waiting for a disk alone), and all of theirs. */
void isolate_read_busy(FILE *stat, const cpu_set_t *cpus, int64_t *busy, int64_t *all);

/* Interrupts of disks, network cards, input devices and GPUs, without those that no hardware stands behind. */
struct isolate_irqs {
	int *irq;	/* owned */
	size_t n;
};
/* From below `root` ("" but for tests): sys/class/... and proc/irq. 0 or -errno. */
int isolate_irq_find(struct isolate_irqs *out, const char *root);
/* Sends them to these CPUs. How many are there now: the kernel refuses some (of NVMe, a queue for each CPU), and these stay. */
size_t isolate_irq_steer(const struct isolate_irqs *irqs, const char *root, const cpu_set_t *cpus, struct undo *undo);

#endif
