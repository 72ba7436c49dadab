/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input - events that open an episode: keys, buttons, lines through a fifo, starting sound. A source is a struct of functions. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input_event {
	int64_t seen_ns; /* time when the event was read (CLOCK_MONOTONIC) */
	char what[32];	 /* "Return", "button 1", "audio", or the line through the fifo */
};

#define INPUT_KEYS 16
/* The keys and buttons that open an episode. Names are X11 keysyms ("Return", "KP_Enter"), "button" and "any". */
struct trigger_keys {
	int n;
	uint32_t keysym[INPUT_KEYS]; /* keys whose press counts; by default Return and KP_Enter */
	bool any;		     /* every key counts */
	bool button;		     /* the release of a mouse button counts (default); not of the wheel's buttons */
};

struct input_source;
struct input_source_ops {
	const char *name; /* "x11", "evdev", "control", "audio" */
	/* Reads the events that have come, and calls `each` for those that count. More may be left: poll again. 0, or -errno if the
	 * source has ended (-EPIPE: the display went away). Does not block. */
	int (*read)(struct input_source *s, void (*each)(void *arg, const struct input_event *event), void *arg);
	void (*close)(struct input_source *s);
};
struct input_source {
	const struct input_source_ops *ops;
	int fd; /* descriptor to poll */
};

/* Parses --keys "Return,KP_Enter,button". 0, or -EINVAL with the reason in `why`, and *keys is unchanged. Pure. */
int input_parse_keys(const char *text, struct trigger_keys *keys, struct why *why);
bool input_has_key(const struct trigger_keys *keys, uint32_t keysym); /* does this key count? */

/* Open a source. 0, or -errno with one line (what, why, cure) in `why`. */
/* Raw events of all devices, by the X input extension. `display` NULL: $DISPLAY. After a change of the keyboard map, read() asks
 * the display for it and waits for the answer. */
int input_open_x11(struct input_source **out, const char *display, const struct trigger_keys *keys, struct why *why);
/* Events of one /dev/input/eventN. */
int input_open_evdev(struct input_source **out, const char *device, const struct trigger_keys *keys, struct why *why);
/* Lines through a fifo, which is made if it does not exist, and then removed at the end. Every line is an event. Tools that send
 * RFB input write to it. */
int input_open_fifo(struct input_source **out, const char *path, struct why *why);
