// SPDX-License-Identifier: GPL-3.0-or-later
#include "memgroup.h"
#include "account.h"
#include "files.h"
#include "swap.h"
#include "why.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool join_names(char out[PATH_MAX], const char *folder, const char *name)
{
	return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bool there(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return join_names(path, folder, name) && access(path, F_OK) == 0;
}

int memgroup_open(struct memgroup *g, const char *path, char why[MEMGROUP_WHY])
{
	*g = (struct memgroup){ .path = path };
	if (there(path, "memory.limit_in_bytes"))
		g->version = 1;
	else if (there(path, "memory.current"))
		g->version = 2;
	if (g->version && there(path, "cgroup.procs"))
		return 0;
	g->version = 0;
	if (there(path, "cgroup.procs"))
		snprintf(why, MEMGROUP_WHY, "%s is a group without the memory controller; enable it in the group above", path);
	else
		snprintf(why, MEMGROUP_WHY, "%s is no memory group: give a folder that holds a cgroup.procs", path);
	return -1;
}

bool memgroup_holds(const struct memgroup *g, pid_t pid)
{
	pid_t *list = NULL;
	bool found = false;
	size_t n = 0;

	files_group(g->path, &list, &n);
	while (n--)
		found = found || list[n] == pid;
	free(list);
	return found;
}

static const char *lever(const struct memgroup *g)
{
	return g->version == 1 ? "memory.force_empty" : "memory.reclaim";
}

int memgroup_can_evict(const struct memgroup *g, char why[MEMGROUP_WHY])
{
	char path[PATH_MAX];

	if (!join_names(path, g->path, lever(g)) || access(path, W_OK))
		return why_write(-1, why, MEMGROUP_WHY,
				 "cannot write %s/%s (%s): run it as root; version 2 has it since Linux 5.19", g->path, lever(g),
				 strerror(errno));
	if (g->version == 1 && account_figure(g->path, "memory.swappiness", NULL) == 0)
		return why_write(-1, why, MEMGROUP_WHY,
				 "memory.swappiness of %s is 0, so its anonymous memory stays: write 60 to it", g->path);
	if (g->version == 2 && account_figure("/proc/sys/vm", "swappiness", NULL) == 0)
		return why_write(-1, why, MEMGROUP_WHY, "vm.swappiness is 0, so anonymous memory stays: sysctl vm.swappiness=60");
	if (g->version == 2 && account_figure(g->path, "memory.swap.max", NULL) == 0)
		return why_write(-1, why, MEMGROUP_WHY,
				 "memory.swap.max of %s is 0, so its anonymous memory stays: write max to it", g->path);
	if (!swap_is_on())
		return why_write(-1, why, MEMGROUP_WHY,
				 "there is no swap: anonymous memory has nowhere to go; switch some on with swapon");
	return 0;
}

int memgroup_evict(const struct memgroup *g)
{
	char path[PATH_MAX], text[32] = "0";
	int err;

	if (!join_names(path, g->path, lever(g)))
		return -ENAMETOOLONG;
	if (g->version == 2)
		snprintf(text, sizeof(text), "%lld", (long long)memgroup_used(g));
	err = files_write(path, text);
	/* less than all could go, or a signal came: what went is gone, and smaps tells how much that was */
	return err == -EAGAIN || err == -EBUSY || err == -EINTR ? 0 : err;
}

int64_t memgroup_swapped_in(const struct memgroup *g, bool *machine)
{
	int64_t pages = g->version == 2 ? account_figure(g->path, "memory.stat", "pswpin") : -1;

	*machine = pages < 0;
	if (pages < 0)
		pages = account_figure("/proc", "vmstat", "pswpin");
	return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

int64_t memgroup_swap_cached(const struct memgroup *g)
{
	if (g->version)
		return account_figure(g->path, "memory.stat", g->version == 1 ? "total_swapcached" : "swapcached");
	return account_figure("/proc", "meminfo", "SwapCached:");
}

int64_t memgroup_used(const struct memgroup *g)
{
	return g->version ? account_figure(g->path, g->version == 1 ? "memory.usage_in_bytes" : "memory.current", NULL) : -1;
}
