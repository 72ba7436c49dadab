/* SPDX-License-Identifier: GPL-3.0-or-later */
/* throttle - ways to throttle the background tasks while an episode lasts. A way is a struct of functions in its own file. */
#ifndef VAMP_THROTTLE_H
#define VAMP_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process above the threshold. It is background unless there is a reason to spare it. */
enum exemption { EXEMPT_NOT, EXEMPT_SOUND, EXEMPT_LIGHT };
extern const char *const exemption_words[];	/* "", "plays sound", "light before others took the CPUs" */
struct loaded_process {
	pid_t pid;
	uint64_t start;		/* clock ticks after the boot: another process may get the same pid */
	char comm[16];
	double load_percent;	/* of one CPU, with its share of the time it waited for one */
	double run_percent;	/* of one CPU, as it ran */
	enum exemption why;
};

/* Table 1 and section 4.2 of Kim et al. 2014: weight of the background against others, 1:3, 1:9, 1:18. By nice values: how much is
 * added, and what the kernel then takes as the weight in place of 1024 (sched_prio_to_weight). */
enum throttle_ratio { RATIO_L, RATIO_M, RATIO_H, RATIOS };
extern const char *const throttle_ratio_words[];		/* "L", "M", "H", NULL */
static const struct {
	int parts, nicer, weight;
} throttle_ratio_steps[RATIOS] = { { 3, 5, 335 }, { 9, 10, 110 }, { 18, 13, 56 } };

struct throttle;
struct throttle_ops {
	/* An episode: these are background, the rest is favoured. Tasks that have ended meanwhile are passed over.
	 * 0 or -errno; then nothing has changed. */
	int (*begin)(struct throttle *f, const struct loaded_process *tag, size_t n);
	/* Periodic work, in an episode or not. Returns the time at which to call it again, at the latest. NULL: there is none. */
	int64_t (*tick)(struct throttle *f, int64_t now_ns);
	/* It is over: all as before. Also without a begin. */
	int (*end)(struct throttle *f);
	/* end, and frees. */
	void (*close)(struct throttle *f);
	/* One line for `vamp status` and the report: which change is applied to which processes. */
	void (*tell)(const struct throttle *f, char *text, size_t size);
};
struct throttle {
	const struct throttle_ops *ops;
	bool always;		/* episodes without any background have a begin, too */
};

struct audio;
struct undo;
struct scope;
/* Weights within the budget of a group (shares.c): `group` is the folder of a cgroup whose tasks are in scope, NULL: the caller's
 * own. Falls back to nice values where no group can be made, and says so in tell. 0 or -errno with a line in `why`. */
int shares_open(struct throttle **out, const char *group, enum throttle_ratio ratio, struct undo *undo, char *why, size_t size);
/* CPU sets for the processes in scope, and where `interrupts`, those of the devices a user waits for go to the foreground's CPUs
 * (isolate.c). The foreground begins with one CPU, with two while a stream of `audio` (or NULL) plays. -ENOTSUP with a line in
 * `why` on one CPU. */
int isolate_open(struct throttle **out, const struct scope *scope, const struct audio *audio, bool interrupts, struct undo *undo,
		 char *why, size_t size);
/* Holds the tasks of a cpu group back, whatever they loaded before: 1 ms of CPU time a second while an episode lasts (batch.c).
 * 0 or -errno with a line in `why`. */
int batch_open(struct throttle **out, const char *group, struct undo *undo, char *why, size_t size);
/* Reports to the host which vCPUs run background tasks (agent.c). `port`: a device or a socket. */
int agent_open(struct throttle **out, const char *port, char *why, size_t size);

#endif
