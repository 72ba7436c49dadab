/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target - what keys are sent to and whose pixels are watched: a struct of functions in a file of its own each.
 *
 * Two threads use an open target: one sends, one watches. A back-end keeps what they use apart. */
#ifndef KEYREPEAT_TARGET_H
#define KEYREPEAT_TARGET_H

#include "act.h"
#include "region.h"
#include "seen.h"

#include <stddef.h>
#include <stdint.h>

enum target_watch { WATCH_NONE, WATCH_UPDATE, WATCH_PATCH };

struct target_cfg {
	const char *where;		/* what follows "scheme:" */
	int watch;			/* enum target_watch */
	bool hold;			/* one press, then repeats */
	bool keys;			/* keys will be sent; without, only watched */
	int64_t period_ns;
	int64_t patch_wait_ns;		/* how long open() looks for the patch */
	int64_t connect_ns;		/* how long open() waits for a connection and its greeting, and then for the first picture */
	const char *password_file;	/* NULL: none */
	uint64_t window;		/* keys are for this window only; 0: for whatever has the focus */
	struct region region;		/* only changes in it count (of the window, where there is one); empty: all */
	bool find_region;		/* type a few keys and find it */
	const struct act *first_key;	/* what to type for that */
	struct observations *seen;
};

#define TARGET_WHY 400

struct target_ops {
	const char *scheme;
	/* 0, or -1 with a line in `why` when `where` cannot be meant. May be NULL. */
	int (*check)(const char *where, char *why);
	/* A closed connection, an absent extension, no patch ...: NULL, with one line in `why` that names the cure. When it
	 * returns, the display's first picture (and the patch, if that is watched) has been seen. Stops early when proc_stop is set. */
	void *(*open)(const struct target_cfg *cfg, char *why);
	/* Prepares what send() will do, before the run: a number for it from 0, or -1 with a line in `why`. */
	int (*act)(void *self, const struct act *act, char *why);
	/* Pressing or releasing would block while this is not ready for writing (a server that reads nothing); -1: never blocks. */
	int (*send_fd)(void *self);
	/* About 2 ms before each press, may ask the display: 0, or -1 when the key would go elsewhere
	 * (seen->left says why), or -EPIPE when the connection is gone; gives it up for gone when there is
	 * no answer by until_ns, or soon after a stop. May be NULL. */
	int (*aim)(void *self, int64_t until_ns);
	/* Down, and later up again; of a move, and a button that only goes one way, the second does
	 * nothing. 0 or -EPIPE when the connection is gone. */
	int (*send)(void *self, int key, bool down);
	/* Ready for reading when there may be something to handle. */
	int (*watch_fd)(void *self);
	/* Reads all that has come and tells seen_*(). 0 or -EPIPE. May block in the middle of a message, which
	 * is why it has a thread of its own. */
	int (*handle)(void *self);
	/* Ends a handle() that blocks. May be NULL. */
	void (*interrupt)(void *self);
	/* Gives back what it took (auto-repeat) and frees. */
	void (*close)(void *self);
	/* For the report: server, size, encodings. */
	void (*describe)(void *self, char *text, size_t size);
	/* For people: what gets the keys, as in: window "xterm". NULL: nothing does. */
	void (*receiver)(void *self, char *text, size_t size);
	/* What is watched, and where that comes from. NULL: there is no such thing, and cfg's window and region are not known. */
	void (*region)(void *self, struct region *out, const char **from);
	/* In hold mode the display makes the repeats, not we. */
	bool repeats_itself;
	/* Watching updates, it tells seen_step() what each changed. */
	bool tells_steps;
};

extern const struct target_ops target_x11, target_vnc, target_null;

#endif
