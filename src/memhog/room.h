/* SPDX-License-Identifier: GPL-3.0-or-later */
/* room - how much memory there is: on the machine, in our memory group, and what must stay for
 * everybody else. Pure but for reading the files named. */
#ifndef THINPROBE_ROOM_H
#define THINPROBE_ROOM_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct room_machine {
	int64_t total, available, swap_total, swap_free;	/* bytes */
};
/* A text like /proc/meminfo. 0, or -EPROTO when a line is missing. */
int room_read_meminfo(FILE *in, struct room_machine *out);

/* The memory cgroup of a process. */
struct room_group {
	int version;			/* 1, 2; 0: none was found */
	char folder[PATH_MAX];
	int64_t limit;			/* the lowest of its own and of those above it; INT64_MAX: none */
	int64_t used;			/* as counted against that limit, of the group itself */
	int64_t swapped;		/* of the group and those below it; -1: not told */
};
/* Looks for the group in texts like /proc/self/cgroup and /proc/self/mountinfo; `root` stands
 * before all folders (""). 0, -ENOENT: not there or not to be seen. Figures are not read yet. */
int room_find_group(FILE *cgroup, FILE *mountinfo, const char *root, struct room_group *out);
/* Reads limit, used and swapped again. 0 or -errno. */
int room_read_group(struct room_group *g);

/* Whether that limit is lower than the machine itself. */
bool room_confined(const struct room_machine *m, const struct room_group *g);

/* What a percentage is of: the group's limit, or the machine. */
int64_t room_whole(const struct room_machine *m, const struct room_group *g);

/* What would be left for everybody else on the machine once `size` more bytes are taken. In a group
 * with a limit the memory taken ends there, and the rest is between the group and its swap: what
 * the machine has available is left to the others. Without one, the others can be pushed into swap,
 * and what is left is what is available and free swap together. */
int64_t room_left(const struct room_machine *m, const struct room_group *g, int64_t size);

/* A tenth of the machine, at least 256 MiB. */
int64_t room_reserve(const struct room_machine *m);

/* When to look again, given what is left above the reserve: sooner than the fastest memory could be filled with it. */
int64_t room_look_again_ns(int64_t above);

#endif
