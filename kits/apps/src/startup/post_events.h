/* SPDX-License-Identifier: GPL-3.0-or-later */
/* post_events - reads the file of events (keys, clicks) that are sent to an application after its start: one event a line, with a
 * name, a tab, and words. Pure.
 *
 * A word is a key with modifiers ("ctrl+shift+s", "Escape", "a"), "type:TEXT" without spaces (the key "space" is one), or
 * "click:X,Y" with the first button, in pixels from the upper left corner of the application's window. Empty lines and lines that
 * begin with # are ignored. */
#pragma once

#include "act.h"
#include "why.h"

#include <stddef.h>
#include <stdio.h>

#define POST_SUPER ACT_SUPER /* in act.held, beside ACT_SHIFT, ACT_CTRL and ACT_ALT */

struct scripted_event {
	char *name;	       /* owned */
	struct input_act *act; /* n keys, and clicks (ACT_BUTTON) at x, y in the window; owned */
	size_t n;
};

struct event_script {
	struct scripted_event *event; /* owned */
	size_t n;
};

/* 0, or -EPROTO with the reason in `why` ("line 3: ..."); the events are freed then. */
int event_script_read(struct event_script *s, FILE *in, struct why *why);
void event_script_free(struct event_script *s);
/* Reads a key with modifiers. 0 or -EINVAL. */
int post_parse_key(const char *text, struct input_act *out);
