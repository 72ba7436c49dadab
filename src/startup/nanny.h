/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nanny - starts the application below a process that gathers all its descendants, and that ends them should we be killed.
 *
 * The nanny is a child subreaper: what an application leaves behind (daemons, children of children) becomes its child.
 * When the pipe to us closes, however we ended, it kills all that is below it. */
#ifndef STARTUP_NANNY_H
#define STARTUP_NANNY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct nanny_cfg {
	char *const *command;	/* NULL-terminated */
	const char *display;	/* what DISPLAY is set to */
	const char *cgroup;	/* folder of a group to enter, NULL: as inherited */
	const char *output;	/* where standard output and error of the command go; NULL: nowhere */
};

/* Shared with the nanny. */
struct nanny_told {
	_Atomic int64_t exec_ns;	/* just before the program was executed */
	_Atomic int refused;		/* errno of what could not be done, 0: nothing */
	_Atomic int group_refused;	/* the same of entering the group */
	_Atomic int status;		/* of the first process, as wait() gives it, once `ended` */
	_Atomic bool ended, all_ended;	/* the first process; everything below */
	_Atomic bool leave;		/* when we go, all below stays */
};

struct nanny {
	pid_t pid;		/* the nanny; 0: none */
	int pipe;
	struct nanny_told *told;	/* owned; made by the first start, then used again */
};

/* Starts it (`n` all zero the first time) and waits until the command is executed or refused. 0, or
 * -errno: of our own, or of the command (told->refused, told->group_refused say which). Then there
 * is nothing to end. */
int nanny_start(struct nanny *n, const struct nanny_cfg *cfg);
/* Does anything below still run? */
bool nanny_has_any(const struct nanny *n);
/* Asks all that is below to end (SIGTERM), after `patience_ns` kills it, and ends the nanny: nothing is left when it returns.
 * 0: nothing was left to be asked; 1: asked; 2: killed. */
int nanny_end(struct nanny *n, int64_t patience_ns);
/* Ends the nanny alone: what is below goes on, also when we have ended. */
void nanny_leave(struct nanny *n);

#endif
