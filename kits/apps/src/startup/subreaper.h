/* SPDX-License-Identifier: GPL-3.0-or-later */
/* subreaper - starts the application below a process that keeps all its descendants, and kills them if this program is killed.
 *
 * The process is a child subreaper (prctl(2)): descendants whose parent has ended, such as daemons, become its children. When the
 * pipe from this program closes, for whatever reason, it kills all processes below it. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct subreaper_cfg {
	char *const *command; /* NULL-terminated */
	const char *display;  /* value of DISPLAY for the command */
	const char *cgroup;   /* folder of the cgroup that the command enters; NULL: as inherited */
	const char *output;   /* file for standard output and error of the command; NULL: /dev/null */
};

/* Memory shared with the subreaper process. */
struct subreaper_shared {
	_Atomic int64_t exec_ns;       /* just before execvp() (CLOCK_MONOTONIC) */
	_Atomic int refused;	       /* errno if the command could not be executed; 0: executed */
	_Atomic int group_refused;     /* errno if the cgroup could not be entered; 0: entered, or none wanted */
	_Atomic int status;	       /* of the command, as wait() gives it, once `ended` */
	_Atomic bool ended, all_ended; /* the command has ended; all processes below have ended */
};

struct subreaper {
	pid_t pid; /* the subreaper process; 0: none */
	int pipe;
	struct subreaper_shared *shared; /* owned; allocated by the first start, then reused */
};

/* Starts the command (`n` all zero the first time) and waits until it is executed or refused. 0, or -errno with nothing left to
 * end: of this process, or of the command, if shared->refused or shared->group_refused is set. */
int subreaper_start(struct subreaper *n, const struct subreaper_cfg *cfg);
/* True while a process below still runs. */
bool subreaper_running(const struct subreaper *n);
/* Sends SIGTERM to all processes below and, after patience_ns, SIGKILL, and ends the subreaper: no process is left. 0: none was
 * left before; 1: all ended after SIGTERM; 2: killed. */
int subreaper_end(struct subreaper *n, int64_t patience_ns);
