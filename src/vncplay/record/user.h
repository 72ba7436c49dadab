/* SPDX-License-Identifier: GPL-3.0-or-later */
/* user - who works at the screen that is recorded: a script, or a person with any viewer. Each in its own file. */
#ifndef THINPROBE_VNCPLAY_USER_H
#define THINPROBE_VNCPLAY_USER_H

#include "recorder.h"
#include "vncplay/common/screen.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/select.h>

struct user {
	/* What to sleep on: descriptors are added to *fds, *top is the highest of all. Returns when it
	 * wants to be called at the latest (INT64_MAX: does not matter). */
	int64_t (*wait)(struct user *u, fd_set *fds, int *top);
	/* Hands what was done to the recorder. 1: that was all, the recording is over; 0; -errno with a line in why. */
	int (*take)(struct user *u, struct recorder *r, int64_t now_ns, char *why, size_t size);
	void (*painted)(struct user *u, struct box box);	/* or NULL */
	int (*resized)(struct user *u);	/* 0 or -errno; or NULL */
	void (*close)(struct user *u);
	const char *ended;		/* the words for the report when take returned 1 */
};

/* Each looks at `screen`, which must stay, from then on. NULL with one line in `why`. */
/* Port 0: any that is free. Says the viewer's command in `words`. */
struct user *user_proxy(const struct screen *screen, const char *name, const char *bind, int port, char words[80],
			char *why, size_t size);
struct user *user_script(const struct screen *screen, const char *path, char *why, size_t size);

#endif
