/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace - a recorded session: inputs, their times, and snapshots of the screen before inputs that could miss their target. One
 * line for each event.
 *
 * vncplay-trace(5) has the format. */
#pragma once

#include "growing_file.h"
#include "screen.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trace_event_kind { TRACE_MOVE, TRACE_PRESS, TRACE_RELEASE, TRACE_KEY_DOWN, TRACE_KEY_UP, TRACE_SNAPSHOT };
extern const char *const trace_event_words[]; /* by enum trace_event_kind, then NULL: "move", "press", ... */
#define TRACE_ANY 0xff000000u		      /* a pixel of a snapshot that is not compared, because it blinks (a caret) */
#define TRACE_SNAPSHOT_MOST 65536	      /* pixels of one snapshot, at most */

enum trace_why { TRACE_FOR_CLICK, TRACE_FOR_KEY, TRACE_FOR_HOVER };
extern const char *const trace_why_words[]; /* by enum trace_why, then NULL: "click", "key", "hover" */

struct trace_event {
	enum trace_event_kind kind;
	int64_t at_ns;	       /* when the user made the input, ns since the recording began; a snapshot: the time of its input */
	int x, y;	       /* the pointer; for keys -1: not known */
	int button;	       /* press, release: 1 to 8; 4 to 7 are the wheel */
	uint32_t keysym;       /* key down, key up */
	enum trace_why why;    /* snapshot: the kind of its input */
	struct pixel_area box; /* snapshot: its place on the screen, pixels */
	bool twin;	       /* snapshot: it also matched elsewhere nearby, so that a replay must not search for it */
	uint32_t *pixels;      /* snapshot: box.w * box.h, 0x00RRGGBB or TRACE_ANY; owned by the trace */
	int line;	       /* line in the file, from 1 */
};

struct input_trace {
	char server[256];	    /* name of the desktop; "": not known */
	int width, height;	    /* of the screen, pixels; 0: not known */
	struct trace_event *events; /* in order; a snapshot stands before its input */
	int n;
	bool cut; /* the last line is incomplete (the recorder was killed) and was left out */
};

#define TRACE_KEYS_MOST 32
struct held_keys {		       /* keys that are down; beyond TRACE_KEYS_MOST further keys are ignored */
	uint32_t key[TRACE_KEYS_MOST]; /* keysyms */
	int n;
};
void held_keys_update(struct held_keys *k, uint32_t keysym, bool down);

/* 0; -EPROTO with the line and the error in `why`; -errno. After an error `t` is empty. */
int trace_load(const char *path, struct input_trace *t, struct why *why);
void trace_free(struct input_trace *t);
int trace_count_inputs(const struct input_trace *t); /* number of events that are no snapshots */

/* Writing: each event is in the file when the call returns, so that the trace of a killed process can be used. 0 or -errno. */
struct growing_file *trace_create(const char *path, const char *server, int width, int height); /* NULL with errno */
int trace_write_event(struct growing_file *f, const struct trace_event *e);
int trace_write_comment(struct growing_file *f, const char *text); /* a comment of one line */
