/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorder - what a user does goes to the server, and into a trace together with what the screen
 * showed before it mattered. Pure: inputs, paints and time come in, what is to be sent and written
 * goes out by calls.
 *
 * Inputs that could go astray in a replay are held back until the screen around them has come to
 * rest, and a snapshot is taken then (the protocol quiescing of Zeldovich & Chandra 2005). What
 * follows waits behind, and goes with the distances that the user gave it, except that a pause may
 * shrink to RECORDER_PAUSE_NS until nothing is late. Nothing is ever left out, and the trace has
 * the times at which the user did it. */
#ifndef THINPROBE_VNCPLAY_RECORDER_H
#define THINPROBE_VNCPLAY_RECORDER_H

#include "vncplay/common/screen.h"
#include "vncplay/common/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/select.h>

#define RECORDER_PAUSE_NS 500000000ll

struct recorder_cfg {
	int64_t quiet_ns;	/* without a change, and without an input sent: the screen has come to rest */
	int64_t quiet_most_ns;	/* it is waited for so long at most */
	int64_t double_ns;	/* presses on one spot at most so far apart belong together */
	int64_t key_pause_ns;	/* between keys: what follows is a new run */
	int64_t hover_ns;	/* after a move: what changes near the pointer is the move's doing; 0: no snapshots for moves */
	int snapshot;		/* pixels a side */
	int margin;		/* pixels around it that are watched, too */
	bool anchor;		/* where a snapshot is of one colour: another one of what is next to it */
	struct box key_area;	/* what keys change; w 0: learned from what they did change */
};
extern const struct recorder_cfg recorder_defaults;

struct recorder_out {	/* each 0 or -errno, which ends the recording */
	int (*pointer)(void *whose, int mask, int x, int y);
	int (*key)(void *whose, uint32_t keysym, bool down);
	int (*log)(void *whose, const struct trace_event *e);
	int (*note)(void *whose, const char *text);
};

struct recorder_count {
	int64_t inputs, presses, releases, keys;	/* keys: presses of keys */
	int64_t snapshots[3];				/* by enum trace_why */
	int64_t quiesced, restless;			/* inputs that were held back; of them, those for which it never came to rest */
	int64_t held_most_ns;				/* the longest that an input was late */
};

struct recorder;

/* `screen` is looked at whenever something happens, and must stay. NULL: no memory. Times of the trace count from start_ns. */
struct recorder *recorder_open(const struct recorder_cfg *cfg, const struct recorder_out *out,
			       void *whose, const struct screen *screen, int64_t start_ns);
void recorder_free(struct recorder *r);

/* What the user does, in order of time. 0, -ENOMEM. `mask`: the buttons that are down, bit 0 is button 1. */
int recorder_pointer(struct recorder *r, int64_t at_ns, int mask, int x, int y);
int recorder_key(struct recorder *r, int64_t at_ns, uint32_t keysym, bool down);

/* What the server does. */
int recorder_resized(struct recorder *r);	/* 0, -ENOMEM */
void recorder_painted(struct recorder *r, int64_t now_ns, struct box box);

/* Sends what may go now. 0 or the error of a call. *wake_ns: when to be called next, unless something comes (INT64_MAX: never). */
int recorder_step(struct recorder *r, int64_t now_ns, int64_t *wake_ns);
bool recorder_holds(const struct recorder *r);	/* something is held back */
/* Nothing was painted anywhere since then, except what blinks. */
int64_t recorder_quiet_since(const struct recorder *r);
/* The end: what is held back goes at once, buttons and keys that are down come up. 0 or the error of a call. */
int recorder_end(struct recorder *r, int64_t now_ns);

const struct recorder_count *recorder_counts(const struct recorder *r);

/* --- who works at the screen that is recorded: a script, or a person with any viewer --- */

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
