// SPDX-License-Identifier: GPL-3.0-or-later
#include "headroom.h"
#include "account.h"
#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESERVE_LEAST (256LL << 20)
#define FASTEST 40e9			/* bytes per second: faster than memory can be filled today */
#define CHECK_LEAST_NS (2 * NS_PER_MS)

int headroom_read_meminfo(const char *folder, struct machine_memory *out)
{
	*out = (struct machine_memory){ account_read_number_behind_key(folder, "meminfo", "MemTotal:"),
					   account_read_number_behind_key(folder, "meminfo", "MemAvailable:"),
				      account_read_number_behind_key(folder, "meminfo", "SwapTotal:"), account_read_number_behind_key(folder, "meminfo",
																      "SwapFree:") };
	return out->total < 0 || out->available < 0 || out->swap_total < 0 || out->swap_free < 0 ? -EPROTO : 0;
}

/* Whether `word` is one of a list with commas. */
static bool comma_list_has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ',') && (!p[n] || p[n] == ','))
			return true;
	return false;
}

/* Finds the mount of the memory hierarchy in mountinfo ("36 25 0:31 ROOT POINT options... - TYPE source SUPER"): its root
 * within the hierarchy (*top) and its mount point. 0 or -ENOENT. */
static int find_memory_cgroup_mount(FILE *mountinfo, int version, char *top, char *point, size_t size)
{
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (!found && getline(&line, &room, mountinfo) > 0) {
		char *tail = strstr(line, " - "), type[32], super[512], is[PATH_MAX], at[PATH_MAX];

		if (!tail || sscanf(tail, " - %31s %*s %511s", type, super) != 2 || sscanf(line, "%*s %*s %*s %4095s %4095s", is, at) != 2)
			continue;
		found = version == 1 ? !strcmp(type, "cgroup") && comma_list_has_word(super, "memory") : !strcmp(type, "cgroup2");
		if (found && (strlen(is) >= size || strlen(at) >= size))
			found = false;
		if (found) {
			memcpy(top, is, strlen(is) + 1);
			memcpy(point, at, strlen(at) + 1);
		}
	}
	free(line);
	return found ? 0 : -ENOENT;
}

int headroom_find_memory_cgroup(FILE *cgroup, FILE *mountinfo, const char *root, struct memory_cgroup_usage *out)
{
	char path[PATH_MAX] = "", top[PATH_MAX] = "", point[PATH_MAX] = "";
	const char *below = path;

	*out = (struct memory_cgroup_usage){ .limits = { INT64_MAX, INT64_MAX }, .swapped = -1 };
	out->version = proc_parse_cgroup(cgroup, "memory", path, sizeof(path));
	if (!out->version)
		return -ENOENT;
	if (find_memory_cgroup_mount(mountinfo, out->version, top, point, sizeof(top))) {
		out->version = 0;
		return -ENOENT;
	}
	/* in a container only a part of the hierarchy may be mounted */
	if (strcmp(top, "/") != 0 && !strncmp(path, top, strlen(top)) && (path[strlen(top)] == '/' || !path[strlen(top)]))
		below = path + strlen(top);
	if (snprintf(out->folder, sizeof(out->folder), "%s%s%s", root, point,
		     strcmp(below, "/") ? below : "") >= (int)sizeof(out->folder)) {
		out->version = 0;
		return -ENOENT;
	}
	return 0;
}

/* A group without the memory controller is accounted in the next one above that has it. */
static int64_t read_swapped_bytes(const char *folder)
{
	char at[PATH_MAX];
	int64_t found = -1;

	snprintf(at, sizeof(at), "%s", folder);
	for (char *end = at + strlen(at); end && found < 0; end = strrchr(at, '/')) {
		*end = '\0';
		found = account_read_number_behind_key(at, "memory.swap.current", NULL);
	}
	return found;
}

int headroom_read_memory_cgroup(struct memory_cgroup_usage *g)
{
	if (!g->version)
		return -ENOENT;
	g->limits = account_read_memory_limits(g->folder);
	g->swapped = g->version == 1 ? account_read_number_behind_key(g->folder, "memory.stat", "total_swap") :
		read_swapped_bytes(g->folder);
	return 0;
}

bool is_memory_limited_by_cgroup(const struct machine_memory *m, const struct memory_cgroup_usage *g)
{
	return g->version && g->limits.lowest < m->total;
}

int64_t total_memory_or_cgroup_limit(const struct machine_memory *m, const struct memory_cgroup_usage *g)
{
	return is_memory_limited_by_cgroup(m, g) ? g->limits.lowest : m->total;
}

int64_t headroom_left_after_bytes(const struct machine_memory *m, const struct memory_cgroup_usage *g, int64_t size)
{
	int64_t takes = size;

	if (!is_memory_limited_by_cgroup(m, g))
		return m->available + m->swap_free - size;
	if (takes > g->limits.room)
		takes = g->limits.room;
	return m->available - takes;
}

int64_t headroom_default_reserve(const struct machine_memory *m)
{
	return m->total / 10 > RESERVE_LEAST ? m->total / 10 : RESERVE_LEAST;
}

int64_t headroom_check_interval_ns(int64_t above)
{
	double ns = (double)above / FASTEST * NS_PER_S;

	return ns < CHECK_LEAST_NS ? CHECK_LEAST_NS : ns > NS_PER_S ? NS_PER_S : (int64_t)ns;
}
