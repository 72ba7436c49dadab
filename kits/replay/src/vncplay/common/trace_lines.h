/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace_lines - shared by the readers of both formats of traces: events are added one by one, limits are checked, errors name
 * the line. */
#pragma once

#include "trace.h"

#include <stddef.h>

#define TRACE_SIDE_MOST 65535 /* largest coordinate: RFB has 16 bits */
#define TRACE_EVENTS_MOST 4000000
/* pixels of all snapshots together, at most: a few bytes of a line may stand for many pixels */
#define TRACE_PIXELS_MOST (32u << 20)
#define TRACE_AT_MOST_NS (30ll * 86400 * 1000000000) /* largest time of an event */

struct trace_line_reader {
	struct input_trace *t;
	size_t pixels; /* pixels of the snapshots so far */
	int line;
	struct why *why; /* the caller's, for an error */
};

/* Adds an event and sets its line. The trace owns its pixels from then on; after an error they are freed. 0, or -EPROTO with the
 * reason. */
int trace_lines_add_event(struct trace_line_reader *r, const struct trace_event *e);
/* Writes "line 12: ..." to r->why. Returns -EPROTO. */
int trace_lines_set_error(struct trace_line_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Makes e->pixels for e->box, all TRACE_ANY. 0, or -EPROTO: too many. */
int trace_lines_alloc(struct trace_line_reader *r, struct trace_event *e);

/* State between the lines of a trace of 2005. */
struct trace_2005_state {
	int64_t at_ns;
	unsigned held;	  /* modifiers that are down, as bits of AWT */
	unsigned buttons; /* buttons down: bit 0 is button 1 */
	int x, y;
};
/* Reads a line, whose text it changes. 0 or -EPROTO. */
int trace_2005_read_line(struct trace_line_reader *r, struct trace_2005_state *o, char *text);
int trace_2005_end(struct trace_line_reader *r, struct trace_2005_state *o); /* releases all modifier keys */

/* The keysym of an AWT key: of its character if it has one, else of its code. 0: none. `control`: Ctrl is down, which turns
 * letters into control characters. */
uint32_t trace_2005_keysym(int code, int character, bool control);
