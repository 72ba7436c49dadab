/* SPDX-License-Identifier: GPL-3.0-or-later */
/* isolate - CPU times by CPU, and the interrupts of the devices a user waits for: disks, network cards, input devices and GPUs. */
#pragma once

#include "undo.h"

#include <stdio.h>

struct cpu_ticks {
	int64_t idle, stolen, all; /* in clock ticks. idle includes waiting for a disk; all 0: the CPU is not online */
};
/* Reads the CPU times of CPUs 0 to room - 1 from a file like /proc/stat. Returns the highest CPU number online, plus one. */
int cpu_ticks_read(FILE *stat, struct cpu_ticks *cpu, int room);

/* Numbers of interrupts; only those of real devices. */
struct device_irq_list {
	int *irq; /* owned */
	size_t n;
};
/* Finds the interrupts from sys/class/... and proc/irq below `root` ("" but for tests). 0 or -errno. */
int isolate_find_irqs(struct device_irq_list *out, const char *root);
