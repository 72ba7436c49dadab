// SPDX-License-Identifier: GPL-3.0-or-later
#include "headroom.h"
#include "account.h"
#include "clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RESERVE_LEAST (256LL << 20)
#define FASTEST 40e9 /* bytes per second: faster than memory can be filled today */
#define CHECK_LEAST_NS (2 * NS_PER_MS)

int headroom_read_meminfo(const char *folder, struct machine_memory *out)
{
	*out = (struct machine_memory){
		.total = account_read_number(folder, "meminfo", "MemTotal:"),
		.available = account_read_number(folder, "meminfo", "MemAvailable:"),
		.swap_total = account_read_number(folder, "meminfo", "SwapTotal:"),
		.swap_free = account_read_number(folder, "meminfo", "SwapFree:"),
	};
	return out->total < 0 || out->available < 0 || out->swap_total < 0 || out->swap_free < 0 ? -EPROTO : 0;
}

int headroom_read_group(struct group_memory *g)
{
	char at[PATH_MAX];

	if (!g->version)
		return -ENOENT;
	g->limits = account_read_limits(g->folder);
	g->swapped = -1;
	/* a group without the memory controller is accounted in the next one above that has it */
	snprintf(at, sizeof(at), "%s", g->folder);
	for (char *end = at + strlen(at); end && g->swapped < 0; end = strrchr(at, '/')) {
		*end = '\0';
		g->swapped = g->version == 1 ? account_read_number(at, "memory.stat", "total_swap")
					     : account_read_number(at, "memory.swap.current", NULL);
	}
	return 0;
}

bool headroom_is_limited(const struct machine_memory *m, const struct group_memory *g)
{
	return g->version && g->limits.lowest < m->total;
}

int64_t headroom_percent_base(const struct machine_memory *m, const struct group_memory *g)
{
	return headroom_is_limited(m, g) ? g->limits.lowest : m->total;
}

int64_t headroom_left(const struct machine_memory *m, const struct group_memory *g, int64_t size)
{
	int64_t takes = size;

	if (!headroom_is_limited(m, g))
		return m->available + m->swap_free - size;
	if (takes > g->limits.room)
		takes = g->limits.room;
	return m->available - takes;
}

int64_t headroom_default_reserve(const struct machine_memory *m)
{
	return m->total / 10 > RESERVE_LEAST ? m->total / 10 : RESERVE_LEAST;
}

int64_t headroom_next_check_ns(int64_t above)
{
	double ns = (double)above / FASTEST * NS_PER_S;

	return ns < CHECK_LEAST_NS ? CHECK_LEAST_NS : ns > NS_PER_S ? NS_PER_S : (int64_t)ns;
}
