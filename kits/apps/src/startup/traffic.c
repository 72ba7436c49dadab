// SPDX-License-Identifier: GPL-3.0-or-later
#include "traffic.h"
#include "array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTOR 512 /* bytes: the unit of the stat file, whatever the sectors of the device */

const char *const traffic_names[] = { "device", "cgroup", "machine" };

int64_t traffic_find_counter(const char *text, const char *key)
{
	size_t n = strlen(key);
	long long value;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, n) && line[n] == ' ' && sscanf(line + n, "%lld", &value) == 1)
			return value;
	}
	return -1;
}

bool traffic_parse_device(const char *text, struct traffic_counts *out)
{
	long long reads, read_sectors, writes, write_sectors;

	/* reads, merged reads, sectors, ms; then the same for writes */
	if (sscanf(text, "%lld %*d %lld %*d %lld %*d %lld", &reads, &read_sectors, &writes, &write_sectors) != 4)
		return false;
	*out = (struct traffic_counts){ reads, read_sectors * SECTOR, writes, write_sectors * SECTOR };
	return true;
}

static bool read_counter_file(int fd, char *text, size_t size)
{
	ssize_t n = fd < 0 ? -1 : pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static int64_t pages_to_bytes(int64_t pages)
{
	return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

/* The value of `key` with all groups below: in cgroup version 1 a key of its own, with the prefix total_. */
static int64_t find_total(const char *text, const char *key)
{
	char total[64];
	int64_t value;

	snprintf(total, sizeof(total), "total_%s", key);
	value = traffic_find_counter(text, total);
	return value >= 0 ? value : traffic_find_counter(text, key);
}

static struct traffic_counts read_swap(const struct traffic *t)
{
	struct traffic_counts c = { -1, -1, -1, -1 };
	char text[16384];

	if (!read_counter_file(t->fd, text, sizeof(text)))
		return c;
	if (t->from == TRAFFIC_DEVICE) {
		traffic_parse_device(text, &c);
	} else {
		c.read_bytes = pages_to_bytes(find_total(text, "pswpin"));
		c.write_bytes = pages_to_bytes(find_total(text, "pswpout"));
	}
	return c;
}

static struct refault_counts read_refaults(const struct traffic *t)
{
	char text[16384];

	if (!read_counter_file(t->stat_fd, text, sizeof(text)))
		return (struct refault_counts){ -1, -1, -1 };
	return (struct refault_counts){ find_total(text, "workingset_refault_anon"), find_total(text, "workingset_refault_file"),
					find_total(text, "pgscan_direct") };
}

static int open_file(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return open(path, O_RDONLY | O_CLOEXEC);
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

static int open_device_stat(const char *device)
{
	const char *name = strip_dev(device);
	char folder[256];

	if (strchr(name, '/') || snprintf(folder, sizeof(folder), "/sys/class/block/%s", name) >= (int)sizeof(folder)) {
		errno = ENOENT;
		return -1;
	}
	return open_file(folder, "stat");
}

int traffic_open(struct traffic *t, const char *device, const char *cgroup)
{
	char text[16384];

	*t = (struct traffic){ .fd = -1, .stat_fd = -1 };
	t->stat_fd = cgroup ? open_file(cgroup, "memory.stat") : open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
	if (t->stat_fd < 0 && cgroup)
		return -ENODEV;
	if (device) {
		t->from = TRAFFIC_DEVICE;
		t->fd = open_device_stat(device);
		if (t->fd < 0) {
			int err = -errno;

			traffic_close(t);
			return err;
		}
		return 0;
	}
	t->from = TRAFFIC_MACHINE;
	/* not every kernel counts the swapped pages of a cgroup */
	if (cgroup && read_counter_file(t->stat_fd, text, sizeof(text)) && find_total(text, "pswpin") >= 0) {
		t->from = TRAFFIC_GROUP;
		t->fd = open_file(cgroup, "memory.stat");
	} else {
		t->fd = open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
	}
	return 0;
}

void traffic_close(struct traffic *t)
{
	if (t->fd >= 0)
		close(t->fd);
	if (t->stat_fd >= 0)
		close(t->stat_fd);
	t->fd = t->stat_fd = -1;
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

static int64_t counter_growth(int64_t now, int64_t before)
{
	return now < 0 || before < 0 ? -1 : now - before;
}

void traffic_record_step(struct traffic *t, int64_t now_ns)
{
	struct traffic_counts now = read_swap(t), moved;

	moved = (struct traffic_counts){ counter_growth(now.reads, t->last.reads),
					 counter_growth(now.read_bytes, t->last.read_bytes),
					 counter_growth(now.writes, t->last.writes),
					 counter_growth(now.write_bytes, t->last.write_bytes) };
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

	*out = (struct refault_counts){ counter_growth(now.anonymous, t->refaults_begin.anonymous),
					counter_growth(now.file, t->refaults_begin.file),
					counter_growth(now.direct_scanned, t->refaults_begin.direct_scanned) };
}
