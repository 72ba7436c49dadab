/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace - a recorded session: inputs, when they came, and what the screen showed before those that
 * must not go astray. One line an event.
 *
 * vncplay-input_trace(5) has the format; trace_load also reads the traces of the VNCplay of 2005
 * (type=java.awt.event.MouseEvent ..., type=sync ...). */
#ifndef THINPROBE_TRACE_H
#define THINPROBE_TRACE_H

#include "screen.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum trace_event_kind { TRACE_MOVE, TRACE_PRESS, TRACE_RELEASE, TRACE_KEY_DOWN, TRACE_KEY_UP, TRACE_SNAPSHOT };
#define TRACE_ANY 0xff000000u	/* a pixel of a snapshot that changes by itself (a caret that blinks): not to be compared */
#define TRACE_SNAPSHOT_MOST 65536	/* pixels of one snapshot */

enum trace_why { TRACE_FOR_CLICK, TRACE_FOR_KEY, TRACE_FOR_HOVER };

struct trace_event {
	enum trace_event_kind kind;
	int64_t at_ns;		/* since the recording began: when the user did it; a snapshot: the input that it is for */
	int x, y;		/* of the pointer: move, press, release, and (-1: unknown) keys */
	int button;		/* press, release: 1 to 8; 4 to 7 are a wheel's */
	uint32_t keysym;	/* key down, up */
	enum trace_why why;	/* snapshot: what must not go astray */
	struct box box;		/* snapshot: where on the screen */
	bool twin;		/* snapshot: the same was to be seen elsewhere nearby, so it is never to be looked for elsewhere */
	uint32_t *pixels;	/* snapshot: box.w * box.h of them, 0x00RRGGBB or TRACE_ANY; owned by the trace */
	int line;		/* of the file, from 1 */
};

struct input_trace {
	int version;		/* 1; 0: a trace of the VNCplay of 2005 */
	char server[256];	/* the desktop's name; "" where the trace has none */
	int width, height;	/* of the screen; 0 where the trace has none */
	int64_t started_s;	/* when it was recorded, seconds since 1970; 0: not known */
	struct trace_event *events;	/* in the order they are to be done; a snapshot stands before its input */
	int n;
	bool cut;		/* the last line is not whole (the recorder was killed) and was left out */
};

#define TRACE_KEYS_MOST 32
struct trace_keys {	/* the keys that are down: at most TRACE_KEYS_MOST are known */
	uint32_t key[TRACE_KEYS_MOST];	/* keysyms */
	int n;
};
void trace_note_key(struct trace_keys *k, uint32_t keysym, bool down);

/* 0, -EPROTO with `why` (a line of text that names the line and what is wrong), -errno. The trace is empty then. */
int trace_load(const char *path, struct input_trace *t, char *why, size_t size);
void trace_free(struct input_trace *t);
int trace_inputs(const struct input_trace *t);	/* how many events are inputs: all but snapshots */
const char *trace_why_word(enum trace_why why);	/* "click", "key", "hover" */

/* Writing: each event is in the file when the call returns: killed is usable. 0 or -errno. */
struct trace_writer;
struct trace_writer *trace_create(const char *path, const char *server, int width, int height);	/* NULL with errno */
int trace_add(struct trace_writer *w, const struct trace_event *e);
int trace_note(struct trace_writer *w, const char *text);	/* a comment; of one line */
int trace_finish(struct trace_writer *w);

#endif
