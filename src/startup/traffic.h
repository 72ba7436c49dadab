/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traffic - what was swapped in and out: of a device (/sys/class/block/X/stat, which knows
 * requests), of a memory group, or of the machine.
 *
 * Read some hundred times a second, so that requests get the size they had when they were made: the mean within one step. */
#ifndef STARTUP_TRAFFIC_H
#define STARTUP_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Since the boot, or differences. -1: not known from this source. */
struct traffic_counts {
	int64_t reads, read_bytes, writes, write_bytes;
};

/* Pages that had been in memory before and were fetched again: from swap, from files; and what was scanned by who needed memory
 * himself (direct reclaim). -1: not known. */
struct traffic_refaults {
	int64_t anonymous, file, direct_scanned;
};

enum traffic_from { TRAFFIC_DEVICE, TRAFFIC_GROUP, TRAFFIC_MACHINE };
extern const char *const traffic_names[];	/* "device", "cgroup", "machine" */

struct traffic_step {
	int64_t at_ns;			/* when it was read */
	struct traffic_counts moved;	/* since the step before; some of it is above 0 */
};

struct traffic {
	enum traffic_from from;
	int fd;				/* of the source, -1: none */
	int stat_fd;			/* of the group's or the machine's figures on refaults */
	struct traffic_counts begin, last;
	struct traffic_refaults refaults_begin;
	struct traffic_step *step;	/* owned */
	size_t n;
	int64_t lost;			/* steps for which there was no memory */
};

/* `device`: "loop3" or "/dev/loop3", NULL: none; `cgroup`: a folder, NULL: none. 0, or -errno: -ENOENT when there is no such
 * device, -ENODEV when the group's folder has no memory figures. */
int traffic_open(struct traffic *t, const char *device, const char *cgroup);
/* Is that what the machine swaps to now, by /proc/swaps? */
bool traffic_is_swap(const char *device);
void traffic_close(struct traffic *t);
/* From here on. */
void traffic_begin(struct traffic *t);
/* A look: keeps a step if something has moved since the one before. */
void traffic_look(struct traffic *t, int64_t now_ns);
/* What moved in the steps that were seen up to `until_ns`. */
void traffic_until(const struct traffic *t, int64_t until_ns, struct traffic_counts *out);
/* Refaults since traffic_begin(). */
void traffic_refaults(const struct traffic *t, struct traffic_refaults *out);

/* The value behind `key` in lines of "key value", as memory.stat and vmstat have them; -1 without it. Pure. */
int64_t traffic_find(const char *text, const char *key);
/* Of the line of a block device's stat file (Documentation/block/stat.rst). False if it is none. Pure. */
bool traffic_read_device(const char *text, struct traffic_counts *out);

#endif
