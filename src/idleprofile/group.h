/* SPDX-License-Identifier: GPL-3.0-or-later */
/* group - where the idle loop stands among the machine's tasks.
 *
 * SCHED_IDLE yields only within a task group: against a task of another login, which is another group, a plain spinner
 * gets a third of the CPU. So its process goes into a cpu cgroup of its own, at the top, with cpu.idle = 1 (version 1
 * or 2); where that is not to be had, into a session of its own whose autogroup has nice 19.
 *
 * The cgroup is removed when this process ends in any way: a small process waits for the end of a pipe, which only this
 * process holds open, and removes the cgroup then. Names are thinprobe-XXXXXX. */
#ifndef THINPROBE_GROUP_H
#define THINPROBE_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where a cpu cgroup can be made. */
struct cgroup_place {
	int version;			/* 1 or 2; 0: nowhere */
	char root[PATH_MAX / 2];	/* the top of the hierarchy, as mounted */
};

/* Finds where the cpu controller is mounted, version 1 first, since a controller is in one hierarchy only. On version 2 the cpu
 * controller must be in the top's cgroup.subtree_control already: switching it on would regroup the whole machine. `root`: put
 * before every path ("" but for tests). 0, or -ENOENT with the reason in `why`. */
int group_find(const char *root, struct cgroup_place *out, char *why, size_t why_size);

struct idle_cgroup {
	struct cgroup_place place;
	char path[PATH_MAX];		/* "": none */
	char why[160];			/* why none */
	pid_t janitor;
	int pipe;			/* held open by this process alone */
};

/* Makes the cgroup with cpu.idle = 1, and who removes it. Never fails: without one `path` is "" and `why` says why.
 * To be called before other threads are started. */
void group_make(struct idle_cgroup *g);
/* In a process to be placed: enters the cgroup, else starts a session with autogroup nice 19. Writes what came of it:
 * "cgroup v1 cpu.idle" or "cgroup v2 cpu.idle" (and ", within this container only"), "autogroup nice 19" or "SCHED_IDLE alone". */
void group_enter(void *group, char *said, size_t size);
/* Whether what /proc/self/ns/cgroup points to is not the machine's own cgroup namespace: then the top that we see is a
 * container's group, which has a weight of its own among the host's, and cpu.idle below it yields to no other. */
bool group_is_contained(const char *ns);
/* Writes "1" to PATH/cpu.idle, and this process into PATH/cgroup.procs. 0 or -errno. */
int group_set_idle(const char *path);
int group_join(const char *path);
/* Removes the cgroup, which must be empty or about to be. */
void group_end(struct idle_cgroup *g);

#endif
