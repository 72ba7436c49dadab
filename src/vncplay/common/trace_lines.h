/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_lines - what the readers of both formats of traces share: events are added one by one,
 * bounds are kept, and errors name the line. */
#ifndef THINPROBE_TRACE_LINES_H
#define THINPROBE_TRACE_LINES_H

#include "trace.h"

#include <stddef.h>

#define TRACE_SIDE_MOST 65535			/* of a place: what RFB can say */
#define TRACE_EVENTS_MOST 4000000
#define TRACE_PIXELS_MOST (32u << 20)		/* of all snapshots together: a few bytes of a line may stand for many */
#define TRACE_AT_MOST_NS (30ll * 86400 * 1000000000)	/* no recording lasts longer: what says so is broken */

struct trace_lines {
	struct input_trace *t;
	size_t pixels;		/* of snapshots so far */
	int line;
	char *why;		/* of the caller */
	size_t size;
};

/* Adds an event, whose pixels belong to the trace from then on (and are freed where this fails).
 * Sets its line. 0, -EPROTO with the reason, -ENOMEM. */
int trace_lines_add(struct trace_lines *r, const struct trace_event *e);
/* "line 12: ..." to the caller. -EPROTO. */
int trace_lines_fail(struct trace_lines *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Room for a snapshot's pixels, all TRACE_ANY: NULL with *err -EPROTO (too many) or -ENOMEM. */
uint32_t *trace_lines_pixels(struct trace_lines *r, struct box box, int *err);

/* The traces of 2005: what is known from line to line. */
struct trace_2005 {
	int64_t at_ns;
	unsigned held;		/* modifiers that are down, as AWT says it */
	unsigned buttons;	/* that are down, bit 0 is button 1 */
	int x, y;
};
/* Takes a line, which is changed. 0, -EPROTO, -ENOMEM. */
int trace_2005_line(struct trace_lines *r, struct trace_2005 *o, char *text);
int trace_2005_end(struct trace_lines *r, struct trace_2005 *o);	/* nothing stays held */

/* The keysym of an AWT key: by its character where that says it, else by its code. 0: none.
 * `control`: Ctrl is held, which makes characters of letters. */
uint32_t awt_keysym(int code, int character, bool control);

#endif
