/* SPDX-License-Identifier: GPL-3.0-or-later */
/* who - the program that had most CPU time on this machine between two looks at /proc. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WHO_LEAST 0.2 /* of a CPU: a program that had less is not named */

struct who_process {
	pid_t pid;
	uint64_t start; /* clock ticks since boot: tells a new process of the same number */
	int64_t ticks;	/* of CPU time so far */
	char name[16];
};

struct who_scene {
	struct who_process *process; /* owned; in the order of pid */
	size_t n;
	int64_t at_ns, busy; /* clock ticks that all CPUs worked for processes so far; -1: not known */
};

struct who {
	struct who_scene was; /* of the latest look; without a process: none yet */
	char text[96];
};

#define WHO_SHORTEST_NS 50000000LL /* between two looks: CPU time is counted in ticks of 10 ms */

/* Says which program had most CPU since the latest look: "backup.sh 93 %" (of one CPU, all its processes together), "no program"
 * (none had WHO_LEAST), or that programs had it which have ended or are not shown; "" after the first look. Where the latest look
 * was less than WHO_SHORTEST_NS ago, the same again. The text lives until the next look. */
const char *who_look(struct who *w, int64_t now_ns);
void who_free(struct who *w);

/* Pure: the same of two looks, where `ticks_per_s` are a second; process `own` is never named. */
void who_compare(const struct who_scene *was, const struct who_scene *now, pid_t own, long ticks_per_s, char *text, size_t size);
