// SPDX-License-Identifier: GPL-3.0-or-later
#include "traffic.h"
#include "account.h"
#include "memory.h"
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VMSTAT "/proc/vmstat"
#define SECTOR 512 /* bytes: the unit of the stat file, whatever the sectors of the device */

const char *const traffic_names[] = { "device", "cgroup", "machine" };

bool traffic_parse_device(const char *text, struct traffic_counts *out)
{
	long long reads, read_sectors, writes, write_sectors;

	/* reads, merged reads, sectors, ms; then the same for writes */
	if (sscanf(text, "%lld %*d %lld %*d %lld %*d %lld", &reads, &read_sectors, &writes, &write_sectors) != 4)
		return false;
	*out = (struct traffic_counts){ reads, read_sectors * SECTOR, writes, write_sectors * SECTOR };
	return true;
}

void traffic_read_totals(const char *path, struct traffic_total *t, int n)
{
	struct account_entry e[2 * TRAFFIC_TOTALS] = { { NULL, NULL } };
	int64_t own[TRAFFIC_TOTALS];

	for (int i = 0; i < n; i++) {
		t[i].value = own[i] = -1;
		e[i] = (struct account_entry){ t[i].key, &t[i].value };
		e[n + i] = (struct account_entry){ t[i].key + strlen("total_"), &own[i] };
	}
	account_read_entries(path, e, 2 * n);
	for (int i = 0; i < n; i++)
		t[i].value = t[i].value < 0 ? own[i] : t[i].value;
}

static struct traffic_counts read_swap(const struct traffic *t)
{
	struct traffic_total total[] = { { .key = "total_pswpin" }, { .key = "total_pswpout" } };
	struct traffic_counts c = { -1, -1, -1, -1 };
	char text[512];

	if (t->from == TRAFFIC_DEVICE) {
		if (!files_read_line(t->counters, text, sizeof(text)))
			traffic_parse_device(text, &c);
		return c;
	}
	traffic_read_totals(t->counters, total, 2);
	if (total[0].value >= 0)
		c.read_bytes = total[0].value * sysconf(_SC_PAGESIZE);
	if (total[1].value >= 0)
		c.write_bytes = total[1].value * sysconf(_SC_PAGESIZE);
	return c;
}

static struct refault_counts read_refaults(const struct traffic *t)
{
	struct traffic_total total[] = { { .key = "total_workingset_refault_anon" },
					 { .key = "total_workingset_refault_file" },
					 { .key = "total_pgscan_direct" } };

	traffic_read_totals(t->memory, total, 3);
	return (struct refault_counts){ total[0].value, total[1].value, total[2].value };
}

static const char *strip_dev(const char *device)
{
	return strncmp(device, "/dev/", 5) ? device : device + 5;
}

bool traffic_is_swap_device(const char *device)
{
	FILE *f = fopen("/proc/swaps", "re");
	char line[1024];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\n")] = '\0';
		found = !strcmp(strip_dev(line), strip_dev(device));
	}
	if (f)
		fclose(f);
	return found;
}

int traffic_open(struct traffic *t, const char *device, const char *cgroup)
{
	struct traffic_total swapped = { .key = "total_pswpin" };
	const char *name = device ? strip_dev(device) : "";

	*t = (struct traffic){ .from = device ? TRAFFIC_DEVICE : TRAFFIC_MACHINE, .memory = VMSTAT, .counters = VMSTAT };
	if (cgroup &&
	    (snprintf(t->memory, sizeof(t->memory), "%s/memory.stat", cgroup) >= (int)sizeof(t->memory) || access(t->memory, R_OK)))
		return -ENODEV;
	if (device) {
		snprintf(t->counters, sizeof(t->counters), "/sys/class/block/%s/stat", name);
		return strchr(name, '/') ? -ENOENT : access(t->counters, R_OK) ? -errno : 0;
	}
	traffic_read_totals(t->memory, &swapped, 1);
	if (cgroup && swapped.value >= 0) { /* not every kernel counts the swapped pages of a cgroup */
		t->from = TRAFFIC_GROUP;
		memcpy(t->counters, t->memory, sizeof(t->counters));
	}
	return 0;
}

void traffic_close(struct traffic *t)
{
	free(t->step);
	t->step = NULL;
	t->n = 0;
}

void traffic_restart(struct traffic *t)
{
	t->n = 0;
	t->begin = t->last = read_swap(t);
	t->refaults_begin = read_refaults(t);
}

/* now - before; -1: one of them is not known. */
static int64_t subtract_known(int64_t now, int64_t before)
{
	return now < 0 || before < 0 ? -1 : now - before;
}

void traffic_record_step(struct traffic *t, int64_t now_ns)
{
	struct traffic_counts now = read_swap(t), moved;

	moved = (struct traffic_counts){ subtract_known(now.reads, t->last.reads),
					 subtract_known(now.read_bytes, t->last.read_bytes),
					 subtract_known(now.writes, t->last.writes),
					 subtract_known(now.write_bytes, t->last.write_bytes) };
	if (moved.reads <= 0 && moved.read_bytes <= 0 && moved.writes <= 0 && moved.write_bytes <= 0)
		return;
	t->last = now;
	if (!array_room(&t->step, t->n))
		t->step[t->n++] = (struct traffic_step){ now_ns, moved };
}

static void add_known(int64_t *sum, int64_t value)
{
	*sum = *sum < 0 || value < 0 ? -1 : *sum + value;
}

void traffic_sum(const struct traffic *t, int64_t until_ns, struct traffic_counts *out)
{
	*out = (struct traffic_counts){ t->begin.reads < 0 ? -1 : 0, t->begin.read_bytes < 0 ? -1 : 0, t->begin.writes < 0 ? -1 : 0,
					t->begin.write_bytes < 0 ? -1 : 0 };
	for (size_t i = 0; i < t->n && t->step[i].at_ns <= until_ns; i++) {
		add_known(&out->reads, t->step[i].moved.reads);
		add_known(&out->read_bytes, t->step[i].moved.read_bytes);
		add_known(&out->writes, t->step[i].moved.writes);
		add_known(&out->write_bytes, t->step[i].moved.write_bytes);
	}
}

void traffic_get_refaults(const struct traffic *t, struct refault_counts *out)
{
	struct refault_counts now = read_refaults(t);

	*out = (struct refault_counts){ subtract_known(now.anonymous, t->refaults_begin.anonymous),
					subtract_known(now.file, t->refaults_begin.file),
					subtract_known(now.direct_scanned, t->refaults_begin.direct_scanned) };
}
