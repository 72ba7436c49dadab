// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory.h"

#include <errno.h>
#include <stdio.h>

/* False: somebody else's. What has ended meanwhile has nothing. */
static bool add_process_memory(struct memory *m, pid_t pid)
{
	char path[64], line[256];
	long long kb;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT || errno == ESRCH;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Rss: %lld", &kb) == 1) {
			m->resident_bytes += kb * 1024;
		} else if (sscanf(line, "Pss: %lld", &kb) == 1) {
			m->proportional_bytes += kb * 1024;
		} else if (sscanf(line, "Private_Dirty: %lld", &kb) == 1) {
			m->private_bytes += kb * 1024;
		} else if (sscanf(line, "Swap: %lld", &kb) == 1) {
			m->private_bytes += kb * 1024;
			m->swapped_bytes += kb * 1024;
		}
	}
	fclose(f);
	return true;
}

void memory_look(const struct tree *t, struct memory *out)
{
	bool all = true;

	*out = (struct memory){ 0 };
	for (int i = 0; i < t->n; i++)
		all = add_process_memory(out, t->pid[i]) && all;
	if (!all)	/* a sum of some of them would be taken for that of all */
		*out = (struct memory){ -1, -1, -1, -1 };
}
