// SPDX-License-Identifier: GPL-3.0-or-later
#include "quota.h"
#include "clock.h"
#include "proc.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Time throttled so far by the quota of one group; -1: not known. */
static int64_t read_throttled_ns(const char *folder)
{
	char path[1100], name[32];
	int64_t found = -1;
	long long value;
	FILE *f;

	snprintf(path, sizeof(path), "%s/cpu.stat", folder);
	f = fopen(path, "re");
	while (f && found < 0 && fscanf(f, "%31s %lld", name, &value) == 2) {
		if (!strcmp(name, "throttled_time"))
			found = value;
		if (!strcmp(name, "throttled_usec"))
			found = value * NS_PER_US;
	}
	if (f)
		fclose(f);
	return found;
}

/* Cuts the folder to that of the group above. False: it was the uppermost one. */
static bool cut_to_parent(const struct cpu_quota *q, char *folder)
{
	char *last = strrchr(folder, '/');

	if (!last || (size_t)(last - folder) < q->mount)
		return false;
	*last = '\0';
	return true;
}

void quota_begin(struct cpu_quota *q, const char *root, pid_t pid)
{
	char mount[512], group[512], folder[1024];
	int level = 0;

	*q = (struct cpu_quota){ .folder = "" };
	if (!proc_find_cgroup_mount(root, "cpu", mount, sizeof(mount)) || !proc_read_cgroup(pid, "cpu", group, sizeof(group)))
		return;
	q->mount = strlen(mount);
	snprintf(q->folder, sizeof(q->folder), "%s%s", mount, strcmp(group, "/") ? group : "");
	strcpy(folder, q->folder);
	do
		q->before_ns[level++] = read_throttled_ns(folder);
	while (level < QUOTA_LEVELS && cut_to_parent(q, folder));
}

int64_t quota_throttled_ns(const struct cpu_quota *q, char *group, size_t size)
{
	char folder[1024];
	int64_t most = 0;
	int level = 0;

	if (!*q->folder)
		return 0;
	strcpy(folder, q->folder);
	do {
		int64_t now = read_throttled_ns(folder);

		if (now >= 0 && q->before_ns[level] >= 0 && now - q->before_ns[level] > most) {
			most = now - q->before_ns[level];
			snprintf(group, size, "%s", folder[q->mount] ? folder + q->mount : "/");
		}
	} while (++level < QUOTA_LEVELS && cut_to_parent(q, folder));
	return most;
}
