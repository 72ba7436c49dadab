/* SPDX-License-Identifier: GPL-3.0-or-later */
/* isolate_irq - interrupts of the devices a user waits for: disks, network cards, input devices and GPUs. */
#ifndef VAMP_ISOLATE_IRQ_H
#define VAMP_ISOLATE_IRQ_H

#include "undo.h"

/* Without those that no hardware stands behind. */
struct isolate_irqs {
	int *irq;	/* owned */
	size_t n;
};
/* From below `root` ("" but for tests): sys/class/... and proc/irq. 0 or -errno. */
int isolate_irq_find(struct isolate_irqs *out, const char *root);
/* Sends them to these CPUs. How many are there now: the kernel refuses some (of NVMe, a queue for each CPU), and these stay. */
size_t isolate_irq_steer(const struct isolate_irqs *irqs, const char *root, const cpu_set_t *cpus, struct undo *undo);

#endif
