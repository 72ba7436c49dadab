/* SPDX-License-Identifier: GPL-3.0-or-later */
/* favour - what is done to the background tasks while an episode lasts. A way is a struct of functions in its own file. */
#ifndef VAMP_FAVOUR_H
#define VAMP_FAVOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process that is background: it loaded the CPU before the input came. */
struct tag {
	pid_t pid;
	uint64_t start;		/* clock ticks after the boot: tells a pid that is used again */
	char comm[16];
	double load_percent;	/* of one CPU, with its share of the time it waited for one */
	double run_percent;	/* of one CPU, as it ran */
};

/* From vamp.h, Table 1 of Kim et al. 2014 and section 4.2: background against others. */
enum ratio { RATIO_L, RATIO_M, RATIO_H, RATIOS };	/* 1:3, 1:9, 1:18 */
static const int ratio_parts[RATIOS] = { 3, 9, 18 };

struct favour;
struct favour_ops {
	const char *name;	/* "cgroup v1", "cgroup v2", "nice", "isolate", "agent", "batch", "dry run" */
	/* An episode: these are background, the rest is favoured. Tasks that have ended meanwhile are passed over.
	 * 0 or -errno; then nothing has changed. */
	int (*begin)(struct favour *f, const struct tag *tag, size_t n);
	/* Every sub-epoch while it lasts. NULL: nothing to do. */
	int (*tick)(struct favour *f, int64_t now_ns);
	/* It is over: all as before. Also without a begin. */
	int (*end)(struct favour *f);
	/* end, and frees. */
	void (*close)(struct favour *f);
	/* One line for `vamp status` and the report: what it does to whom. */
	void (*tell)(const struct favour *f, char *text, size_t size);
};
struct favour {
	const struct favour_ops *ops;
	bool always;		/* episodes without any background have a begin, too */
};

struct undo;
struct scope;
/* Weights within the budget of a group (shares.c): `group` is the folder of a cgroup whose tasks are in scope, NULL: the caller's
 * own. Falls back to nice values where no group can be made, and says so in tell. 0 or -errno with a line in `why`. */
int shares_open(struct favour **out, const char *group, enum ratio ratio, struct undo *undo, char *why, size_t size);
/* CPU sets for the processes in scope, and where `interrupts`, those of the devices a user waits for go to the foreground's CPUs
 * (isolate.c). The foreground begins with one CPU, with two where `audio`. -ENOTSUP with a line in `why` on one CPU. */
int isolate_open(struct favour **out, const struct scope *scope, bool audio, bool interrupts, struct undo *undo,
		 char *why, size_t size);
/* Holds the tasks of a cpu group back, whatever they loaded before: 1 ms of CPU time a second while an episode lasts (batch.c).
 * 0 or -errno with a line in `why`. */
int batch_open(struct favour **out, const char *group, struct undo *undo, char *why, size_t size);
/* Reports to the host which vCPUs run background tasks (agent.c). `port`: a device or a socket. */
int agent_open(struct favour **out, const char *port, char *why, size_t size);
/* Changes nothing. */
struct favour *dry_open(void);

#endif
