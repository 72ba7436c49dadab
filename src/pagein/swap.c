// SPDX-License-Identifier: GPL-3.0-or-later
#include "swap.h"

#include <stdio.h>
#include <unistd.h>

bool swap_is_on(void)
{
	char line[256];
	int lines = 0;
	FILE *f = fopen("/proc/swaps", "re");

	while (f && fgets(line, sizeof(line), f))
		lines++;
	if (f)
		fclose(f);
	return lines > 1;	/* the first is a headline */
}

int64_t swap_fault_bytes(void)
{
	FILE *f = fopen("/proc/sys/vm/page-cluster", "re");
	int cluster = 3;	/* the kernel's own */

	if (f) {
		if (fscanf(f, "%d", &cluster) != 1 || cluster < 0 || cluster > 16)
			cluster = 3;
		fclose(f);
	}
	return (int64_t)sysconf(_SC_PAGESIZE) << cluster;
}
