// SPDX-License-Identifier: GPL-3.0-or-later
#include "pagein.h"
#include "account.h"
#include "files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool join_path_names(char out[static PATH_MAX], const char *folder, const char *name)
{
	return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bool has_control_file(const char *folder, const char *name)
{
	char path[PATH_MAX];

	return join_path_names(path, folder, name) && access(path, F_OK) == 0;
}

int memgroup_open(struct memgroup *g, const char *path, struct why *why)
{
	*g = (struct memgroup){ .path = path };
	if (has_control_file(path, "memory.limit_in_bytes"))
		g->version = 1;
	else if (has_control_file(path, "memory.current"))
		g->version = 2;
	if (g->version && has_control_file(path, "cgroup.procs"))
		return 0;
	g->version = 0;
	if (has_control_file(path, "cgroup.procs"))
		why_say(why, "%s is a group without the memory controller; enable it in the group above", path);
	else
		why_say(why, "%s is no memory group: give a folder that holds a cgroup.procs", path);
	return -1;
}

bool memgroup_has_process(const struct memgroup *g, pid_t pid)
{
	pid_t *list = NULL;
	bool found = false;
	size_t n = 0;

	files_list_group_pids(g->path, &list, &n);
	while (n--)
		found = found || list[n] == pid;
	free(list);
	return found;
}

static const char *reclaim_file(const struct memgroup *g)
{
	return g->version == 1 ? "memory.force_empty" : "memory.reclaim";
}

int memgroup_check_swappable(const struct memgroup *g, struct why *why)
{
	char path[PATH_MAX];

	if (!join_path_names(path, g->path, reclaim_file(g)) || access(path, W_OK))
		return why_fail(-1, why,
				"cannot write %s/%s (%s): run pagein as root; cgroup version 2 has this file since Linux 5.19",
				g->path, reclaim_file(g), strerror(errno));
	if (g->version == 1 && account_read_number(g->path, "memory.swappiness", NULL) == 0)
		return why_fail(-1, why, "memory.swappiness of %s is 0, so its anonymous memory stays: write 60 to it", g->path);
	if (g->version == 2 && account_read_number("/proc/sys/vm", "swappiness", NULL) == 0)
		return why_fail(-1, why, "vm.swappiness is 0, so anonymous memory stays: sysctl vm.swappiness=60");
	if (g->version == 2 && account_read_number(g->path, "memory.swap.max", NULL) == 0)
		return why_fail(-1, why, "memory.swap.max of %s is 0, so its anonymous memory stays: write max to it", g->path);
	if (account_read_number("/proc", "meminfo", "SwapTotal:") <= 0)
		return why_fail(-1, why, "there is no swap: anonymous memory has nowhere to go; switch some on with swapon");
	return 0;
}

void memgroup_describe_swap(const char *swaps, char *text, size_t size)
{
	char device[256], kind[32];
	size_t used = 0;

	text[0] = '\0';
	for (const char *line = strchr(swaps, '\n'); line && used < size; line = strchr(line + 1, '\n'))
		if (sscanf(line, " %255s %31s", device, kind) == 2)
			used += (size_t)snprintf(text + used, size - used, "%s%s %s", used ? "; " : "",
						 strstr(device, "/zram") ? "zram" : kind, device);
}

int memgroup_zswap_is_on(void)
{
	char text[8];

	return files_read_line("/sys/module/zswap/parameters/enabled", text, sizeof(text)) ? -1 : *text == 'Y';
}

int memgroup_page_out(const struct memgroup *g)
{
	char path[PATH_MAX], text[32] = "0";
	int err;

	if (!join_path_names(path, g->path, reclaim_file(g)))
		return -ENAMETOOLONG;
	if (g->version == 2)
		snprintf(text, sizeof(text), "%lld", (long long)memgroup_used_bytes(g));
	err = files_write_text(path, text);
	/* the kernel reclaimed less than asked, or a signal came: smaps tells how much was paged out */
	return err == -EAGAIN || err == -EBUSY || err == -EINTR ? 0 : err;
}

int64_t memgroup_swapin_bytes(const struct memgroup *g, bool *machine)
{
	int64_t pages = g->version == 2 ? account_read_number(g->path, "memory.stat", "pswpin") : -1;

	*machine = pages < 0;
	if (pages < 0)
		pages = account_read_number("/proc", "vmstat", "pswpin");
	return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

int64_t memgroup_swap_cache_bytes(const struct memgroup *g)
{
	if (g->version)
		return account_read_number(g->path, "memory.stat", g->version == 1 ? "total_swapcached" : "swapcached");
	return account_read_number("/proc", "meminfo", "SwapCached:");
}

int64_t memgroup_used_bytes(const struct memgroup *g)
{
	return g->version ? account_read_number(g->path, g->version == 1 ? "memory.usage_in_bytes" : "memory.current", NULL) : -1;
}

int64_t memgroup_max_fault_bytes(void)
{
	int64_t cluster = account_read_number("/proc/sys/vm", "page-cluster", NULL);

	return (int64_t)sysconf(_SC_PAGESIZE) << (cluster >= 0 && cluster <= 16 ? cluster : 3); /* 3: the kernel's default */
}
