// SPDX-License-Identifier: GPL-3.0-or-later
#include "used.h"
#include "account.h"

#include <errno.h>
#include <stdio.h>

int used_read_machine(const char *meminfo, struct machine_use *out)
{
	int64_t total = -1, available = -1, vacant = -1, buffers = -1, cached = -1, shared = -1, reclaimable = -1, anonymous = -1;
	int64_t slab = 0, stack = 0, tables = 0, second = 0, percpu = 0, swap = 0, swap_free = 0;
	const struct account_entry needed[] = {
		{ "MemTotal:", &total },	   { "MemAvailable:", &available }, { "MemFree:", &vacant },
		{ "Buffers:", &buffers },	   { "Cached:", &cached },	    { "Shmem:", &shared },
		{ "SReclaimable:", &reclaimable }, { "AnonPages:", &anonymous },
	};
	const struct account_entry more[] = {
		/* not every kernel has these */
		{ "SUnreclaim:", &slab }, { "KernelStack:", &stack }, { "PageTables:", &tables },  { "SecPageTables:", &second },
		{ "Percpu:", &percpu },	  { "SwapTotal:", &swap },    { "SwapFree:", &swap_free },
	};
	const int all = sizeof(needed) / sizeof(*needed);
	int found = account_read_entries(meminfo, needed, all);

	if (found < 0)
		return found;
	if (found != all)
		return -EPROTO;
	found = account_read_entries(meminfo, more, sizeof(more) / sizeof(*more));
	if (found < 0)
		return found;
	*out = (struct machine_use){ .total = total,
				     .available = available,
				     .used = total - vacant - buffers - cached - reclaimable + shared,
				     .processes = anonymous + shared,
				     .kernel = slab + stack + tables + second + percpu,
				     .cache = buffers + cached - shared,
				     .swapped = swap - swap_free };
	return 0;
}

int64_t used_read_nonfile_pss(const char *smaps_rollup)
{
	int64_t anonymous = 0, shared = 0;
	const struct account_entry line[] = { { "Pss_Anon:", &anonymous }, { "Pss_Shmem:", &shared } };

	return account_read_entries(smaps_rollup, line, 2) == 2 ? anonymous + shared : -1;
}

int used_read_group(const char *folder, struct group_use *out)
{
	struct group_use g = { 0, -1, -1, -1, -1, -1, -1 };
	int64_t cache = -1;
	const struct account_entry v1[] = { { "total_rss", &g.anonymous },
					    { "total_shmem", &g.shared_memory },
					    { "total_cache", &cache },
					    { "total_swap", &g.swapped } };
	const struct account_entry v2[] = {
		{ "anon", &g.anonymous }, { "shmem", &g.shared_memory }, { "file", &cache }, { "kernel", &g.kernel }
	};
	char path[4096];
	int found;

	*out = g;
	g.charged = account_read_number(folder, "memory.usage_in_bytes", NULL);
	g.version = 1;
	if (g.charged < 0) {
		g.charged = account_read_number(folder, "memory.current", NULL);
		g.version = 2;
	}
	if (g.charged < 0)
		return 0;
	snprintf(path, sizeof(path), "%s/memory.stat", folder);
	found = account_read_entries(path, g.version == 1 ? v1 : v2, 4);
	if (found < 0)
		return found;
	if (g.anonymous < 0 || g.shared_memory < 0 || cache < 0)
		return -EPROTO;
	if (g.version == 1)
		g.kernel = account_read_number(folder, "memory.kmem.usage_in_bytes", NULL);
	else
		g.swapped = account_read_number(folder, "memory.swap.current", NULL);
	g.cache = cache - g.shared_memory;
	*out = g;
	return 0;
}

void used_report_group(struct rec_report *r, const struct group_use *g)
{
	rec_begin_object(r, "cgroup");
	rec_add_int(r, "version", g->version);
	rec_add_count(r, "charged_bytes", g->charged);
	rec_add_count(r, "anonymous_bytes", g->anonymous);
	rec_add_count(r, "shared_memory_bytes", g->shared_memory);
	rec_add_count(r, "kernel_bytes", g->kernel);
	rec_add_count(r, "file_cache_bytes", g->cache);
	rec_add_count(r, "swap_bytes", g->swapped);
	rec_end(r);
}

void used_report_machine(struct rec_report *r, const struct machine_use *m)
{
	rec_begin_object(r, "machine");
	rec_add_ints(r, { "total_bytes", m->total }, { "used_bytes", m->used }, { "processes_bytes", m->processes },
		     { "kernel_bytes", m->kernel }, { "file_cache_bytes", m->cache }, { "available_bytes", m->available },
		     { "swap_bytes", m->swapped });
	rec_end(r);
}
