/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traffic - records swap traffic: of a block device (/sys/class/block/X/stat, with the number of requests), of a memory cgroup, or
 * of the machine.
 *
 * Read about a hundred times a second, so that the mean size of the requests within one step is close to their true sizes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Requests and bytes, since the boot or in a period. -1: not known from this source. */
struct traffic_counts {
	int64_t reads, read_bytes, writes, write_bytes;
};

/* Pages read again after they had been evicted, from swap and from files; and pages scanned by direct reclaim. -1: not known. */
struct refault_counts {
	int64_t anonymous, file, direct_scanned;
};

enum traffic_from { TRAFFIC_DEVICE, TRAFFIC_GROUP, TRAFFIC_MACHINE };
extern const char *const traffic_names[]; /* "device", "cgroup", "machine" */

struct traffic_step {
	int64_t at_ns;		     /* when the counters were read */
	struct traffic_counts moved; /* since the step before; at least one count is above 0 */
};

struct traffic {
	enum traffic_from from;
	char counters[4096], memory[4096];    /* paths: of the counts; of the refaults, of the cgroup or the machine */
	struct traffic_counts begin, last;    /* at traffic_restart(); at the last step */
	struct refault_counts refaults_begin; /* at traffic_restart() */
	struct traffic_step *step;	      /* n steps, owned */
	size_t n;
};

/* `device`: "loop3" or "/dev/loop3", NULL: none; `cgroup`: a folder, NULL: none. 0, or -errno: -ENOENT: no such device; -ENODEV: no
 * memory.stat in the folder. */
int traffic_open(struct traffic *t, const char *device, const char *cgroup);
/* True if the machine swaps to this device now, by /proc/swaps. */
bool traffic_is_swap_device(const char *device);
void traffic_close(struct traffic *t);
/* Forgets all steps; traffic counts from now on. */
void traffic_restart(struct traffic *t);
/* Reads the counters and records a step if they have grown. */
void traffic_record_step(struct traffic *t, int64_t now_ns);
/* Sums up the steps recorded until until_ns. */
void traffic_sum(const struct traffic *t, int64_t until_ns, struct traffic_counts *out);
/* The refaults since traffic_restart(). */
void traffic_get_refaults(const struct traffic *t, struct refault_counts *out);

/* Reads values from lines of "key value", as in memory.stat and vmstat; -1: no such key. Keys are with the prefix total_: in cgroup
 * version 1 they count all groups below, too; where there is none, those without the prefix are read. */
#define TRAFFIC_TOTALS 4 /* at most */
struct traffic_total {
	const char *key;
	int64_t value;
};
void traffic_read_totals(const char *path, struct traffic_total *t, int n);
/* Reads the line of a block device's stat file (Documentation/block/stat.rst). False: not such a line. Pure. */
bool traffic_parse_device(const char *text, struct traffic_counts *out);
