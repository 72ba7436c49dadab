// SPDX-License-Identifier: GPL-3.0-or-later
#include "cpu_ticks.h"

#include <inttypes.h>
#include <string.h>

/* Lines "cpuN user nice system idle iowait irq softirq steal ..." */
int cpu_ticks_read(FILE *stat, struct cpu_ticks *cpu, int room)
{
	int64_t user, nice, system, idle, wait, irq, softirq, steal;
	char line[512];
	int n = 0, i;

	memset(cpu, 0, (size_t)room * sizeof(*cpu));
	while (stat && fgets(line, sizeof(line), stat) && !strncmp(line, "cpu", 3)) {
		if (line[3] == ' ' ||	/* the sum */
		    sscanf(line, "cpu%d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &i,
			   &user, &nice, &system, &idle, &wait, &irq, &softirq, &steal) != 9 || i < 0 || i >= room)
			continue;
		cpu[i] = (struct cpu_ticks){ idle + wait, steal, user + nice + system + idle + wait + irq + softirq + steal };
		n = i + 1 > n ? i + 1 : n;
	}
	return n;
}
