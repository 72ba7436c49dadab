/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorder - passes inputs of a user to the server and writes them to a trace, with snapshots of the screen. Pure: inputs,
 * painting and time come in as arguments, messages and trace events go out by callbacks.
 *
 * An input that could miss its target in a replay is held back until the screen around it has settled; then a snapshot is taken
 * and the input is sent (the protocol quiescing of Zeldovich & Chandra 2005). Later inputs wait behind it and keep the intervals
 * that the user gave them, except that pauses may shrink to RECORDER_PAUSE_NS until nothing is late. No input is left out, and the
 * trace has the times at which the user made them. */
#pragma once

#include "vncplay/common/screen.h"
#include "vncplay/common/trace.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/select.h>

#define RECORDER_PAUSE_NS 500000000ll

struct recorder_cfg {
	int64_t quiet_ns;      /* the screen has settled after this time without a change and without an input sent */
	int64_t quiet_most_ns; /* how long an input is held back at most */
	int64_t double_ns;     /* presses on one spot at most this far apart belong to one double click */
	int64_t key_pause_ns;  /* a pause after which keys begin a new run, with a snapshot */
	int64_t hover_ns; /* changes near the pointer within this time after a move are caused by it; 0: no snapshots for moves */
	int snapshot;	  /* width and height of a snapshot, pixels */
	int margin;	  /* pixels around a snapshot that must have settled, too */
	struct pixel_area key_area; /* the area that keys change; w 0: learned from earlier keys */
};
extern const struct recorder_cfg recorder_defaults;

struct recorder_callbacks {				      /* callbacks; each returns 0, or -errno, which ends the recording */
	int (*pointer)(void *whose, int mask, int x, int y);  /* to the server */
	int (*key)(void *whose, uint32_t keysym, bool down);  /* to the server */
	int (*log)(void *whose, const struct trace_event *e); /* to the trace */
	int (*note)(void *whose, const char *text);	      /* to the trace, as a comment */
};

struct recorder_statistics {
	int64_t inputs, presses, releases; /* all inputs; of buttons: presses, releases */
	int64_t keys;			   /* presses of keys */
	int64_t snapshots[3];		   /* by enum trace_why */
	int64_t quiesced;		   /* inputs that were held back */
	int64_t restless;		   /* inputs before which the screen did not settle in time */
	int64_t held_most_ns;		   /* the longest that an input was held back */
};

struct recorder;

/* Reads `screen`, which must outlive the recorder, at every call. Times of the trace count from start_ns (CLOCK_MONOTONIC).
 * NULL: no memory. */
struct recorder *recorder_open(const struct recorder_cfg *cfg, const struct recorder_callbacks *out, void *whose,
			       const struct screen *screen, int64_t start_ns);
void recorder_free(struct recorder *r);

/* Inputs of the user, ascending in time (CLOCK_MONOTONIC). 0 or -ENOMEM. `mask`: buttons down, bit 0 is button 1. */
int recorder_accept_pointer(struct recorder *r, int64_t at_ns, int mask, int x, int y);
int recorder_accept_key(struct recorder *r, int64_t at_ns, uint32_t keysym, bool down);

/* Changes of the screen by the server. */
int recorder_note_resized(struct recorder *r); /* 0 or -ENOMEM */
void recorder_note_painted(struct recorder *r, int64_t now_ns, struct pixel_area box);

/* Sends the inputs that need not wait any more. 0, or the error of a callback. *wake_ns: when to call it again unless something
 * happens before (CLOCK_MONOTONIC; INT64_MAX: never). */
int recorder_send_due(struct recorder *r, int64_t now_ns, int64_t *wake_ns);
bool recorder_has_queued(const struct recorder *r); /* an input waits to be sent */
/* When a pixel that does not blink last changed, CLOCK_MONOTONIC. */
int64_t recorder_last_change_ns(const struct recorder *r);
/* Ends the recording: sends waiting inputs at once and releases all buttons and keys. 0, or the error of a callback. */
int recorder_finish(struct recorder *r, int64_t now_ns);

const struct recorder_statistics *recorder_get_statistics(const struct recorder *r);

/* The source of the inputs: a script, or a person with any viewer. */
struct input_source {
	/* Adds the descriptors to wait for to *fds and raises *top to the highest. Returns when to call `take` at the latest
	 * (CLOCK_MONOTONIC; INT64_MAX: when a descriptor is ready). */
	int64_t (*wait)(struct input_source *u, fd_set *fds, int *top);
	/* Passes new inputs to the recorder. 0; 1: the user is done, the recording ends; -errno with the reason in `why`. */
	int (*take)(struct input_source *u, struct recorder *r, int64_t now_ns, struct why *why);
	void (*painted)(struct input_source *u, struct pixel_area box); /* the screen was painted; may be NULL */
	int (*resized)(struct input_source *u);				/* the screen has a new size; 0 or -errno; may be NULL */
	void (*close)(struct input_source *u);
	const char *ended; /* for the report: why the recording ended when `take` returned 1 */
};

/* Both read `screen`, which must outlive the user. NULL with the reason in `why`.
 * A VNC server for one viewer on address `bind`; port 0: any free port. `words` gets the viewer's command line. */
struct input_source *viewer_source_open(const struct screen *screen, const char *name, const char *bind, int port,
					char words[static 80], struct why *why);
/* A script (input_script.h); path "-": standard input. */
struct input_source *script_source_open(const struct screen *screen, const char *path, struct why *why);
