/* SPDX-License-Identifier: GPL-3.0-or-later */
/* group - the scheduling group of the idle loops: a cpu cgroup with cpu.idle = 1, or an autogroup with nice 19.
 *
 * SCHED_IDLE yields only within a task group: against a task of another login, which is another group, a plain idle loop gets a
 * third of the CPU. So the process of the loops enters a cpu cgroup of its own at the top of the hierarchy, with cpu.idle = 1
 * (version 1 or 2); if none can be made, a session of its own whose autogroup has nice 19.
 *
 * The cgroup is removed however this process ends (guard.h). Cgroups are named thinprobe-XXXXXX. */
#pragma once

#include "guard.h"
#include "why.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where a cpu cgroup can be made. */
struct cgroup_mount {
	int version;		 /* cgroup version, 1 or 2; 0: no cgroup can be made */
	char root[PATH_MAX / 2]; /* mount point of the hierarchy */
};

/* Finds where the cpu controller is mounted, version 1 first, since a controller is in one hierarchy only. On version 2 the cpu
 * controller must be in the top's cgroup.subtree_control already: switching it on would regroup the whole machine. `root`: put
 * before every path ("" but for tests). 0, or -ENOENT with the reason in `why`. */
int group_find_mount(const char *root, struct cgroup_mount *out, struct why *why);

struct idle_cgroup {
	struct cgroup_mount place;
	char path[PATH_MAX]; /* path of the cgroup; "": none */
	struct why why;	     /* why there is no cgroup */
	struct exit_guard guard;
};

/* Makes the cgroup with cpu.idle = 1, and its guard process. Never fails: without a cgroup, `path` is "" and `why` has the
 * reason. To be called before other threads are started. */
void group_make(struct idle_cgroup *g);
/* Called in the process of the loops: enters the cgroup, else a new session with autogroup nice 19. Writes the result into `said`:
 * "cgroup v1 cpu.idle" or "cgroup v2 cpu.idle" (and ", within this container only"), "autogroup nice 19" or "SCHED_IDLE alone". */
void group_enter(void *group, char *said, size_t size);
/* Is `ns`, the target of /proc/self/ns/cgroup, another cgroup namespace than the initial one? Then the visible top is a
 * container's group with a weight of its own, and cpu.idle below it does not yield to the host's other groups. */
bool group_is_container(const char *ns);
/* Write "1" to PATH/cpu.idle, and this process into PATH/cgroup.procs. 0 or -errno. */
int group_set_idle(const char *path);
int group_join(const char *path);
/* Removes the cgroup, which must be empty or about to be. */
void group_remove(struct idle_cgroup *g);
