/* SPDX-License-Identifier: GPL-3.0-or-later */
/* throttle - ways to throttle the background processes while an episode lasts. Each is a struct of functions in its own file. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Why a process above the load threshold is not throttled. */
enum exemption { EXEMPT_NOT, EXEMPT_SOUND, EXEMPT_LIGHT, EXEMPT_NAMED };
extern const char *const exemption_words[]; /* "", "plays sound", "light before others took the CPUs", "named" */
/* A process with a load above the threshold. It is a background process unless it is exempt. */
struct background_tag {
	pid_t pid;
	uint64_t start; /* clock ticks after the boot: tells it from a later process with the same pid */
	char comm[16];
	double load_percent; /* load as a share of one CPU: running, and waiting for a CPU in proportion */
	double run_percent;  /* share of one CPU that the process ran */
	enum exemption why;
};

/* Weight of the background against others, 1:3, 1:9, 1:18 (Table 1 and section 4.2 of Kim et al. 2014). By nice values: the
 * increment, and the kernel's weight for it, where nice 0 has 1024 (sched_prio_to_weight). */
enum throttle_ratio { RATIO_L, RATIO_M, RATIO_H, RATIOS };
extern const char *const throttle_ratio_words[]; /* "L", "M", "H", NULL */
static const struct {
	int parts, nicer, weight;
} throttle_ratio_steps[RATIOS] = { { 3, 5, 335 }, { 9, 10, 110 }, { 18, 13, 56 } };

struct throttle;
struct throttle_hooks {
	/* Begins an episode: throttles these background processes. Processes that have ended are skipped. 0, or -errno and nothing has
	 * changed. */
	int (*begin)(struct throttle *f, const struct background_tag *tag, size_t n);
	/* Does periodic work, in an episode or not. Returns the time at which to call it again, at the latest. NULL: none needed. */
	int64_t (*do_periodic_work)(struct throttle *f, int64_t now_ns);
	/* Ends the episode: undoes all its changes. Allowed without a begin. */
	int (*end)(struct throttle *f);
	/* Ends the episode and frees. */
	void (*close)(struct throttle *f);
	/* Writes one line for `vamp status` and the report: which change is applied to how many processes. */
	void (*describe)(const struct throttle *f, char *text, size_t size);
};
struct throttle {
	const struct throttle_hooks *ops;
	bool always; /* begin is called also for episodes without background processes */
};

struct audio_watch;
struct undo_recorder;
struct process_scope;
/* Lower CPU weight within the share of a group (shares.c). `group`: folder of a cgroup whose tasks are in scope; NULL: the
 * caller's own. Falls back to nice values if no group can be made. 0, or -errno with the reason in `why`. */
int shares_open(struct throttle **out, const char *group, enum throttle_ratio ratio, struct undo_recorder *undo, struct why *why);
/* CPU affinities for the processes in scope (isolate.c). With `interrupts`, those of the devices a user waits for are routed to
 * the foreground's CPUs. The foreground begins with one CPU, or two while a stream of `audio` (may be NULL) plays. 0; -ENOTSUP on
 * a machine with one CPU; other -errno; the reason is in `why`. */
int isolate_open(struct throttle **out, const struct process_scope *scope, const struct audio_watch *audio, bool interrupts,
		 struct undo_recorder *undo, struct why *why);
/* 1 ms of CPU time a second for a cpu group while an episode lasts, whatever its load (batch.c). 0, or -errno with the reason in
 * `why`. */
int batch_open(struct throttle **out, const char *group, struct undo_recorder *undo, struct why *why);
/* Reports to the host which vCPUs run background tasks (agent.c). `port`: a device or a socket. 0, or -errno with the reason in
 * `why`. */
int agent_open(struct throttle **out, const char *port, struct why *why);
