/* SPDX-License-Identifier: GPL-3.0-or-later */
/* post_events - reads the file of events (keys, clicks) that are sent to an application after its start: one event a line, with a
 * name, a tab, and words. Pure.
 *
 * A word is a key with modifiers ("ctrl+shift+s", "Escape", "a"), "type:TEXT" without spaces (the key "space" is one), or
 * "click:X,Y" with the first button, in pixels from the upper left corner of the application's window. Empty lines and lines that
 * begin with # are ignored. */
#ifndef STARTUP_POST_EVENTS_H
#define STARTUP_POST_EVENTS_H

#include <stddef.h>
#include <stdio.h>

#define POST_WORDS 64	/* in an event */

enum post_kind { POST_KEY, POST_TYPE, POST_CLICK };
enum post_modifier { POST_CTRL = 1, POST_SHIFT = 2, POST_ALT = 4, POST_SUPER = 8 };

struct post_word {
	enum post_kind kind;
	int modifiers;		/* POST_KEY: enum post_modifier, or-ed */
	char *text;		/* POST_KEY: the key's name in X11 ("o", "Escape"); POST_TYPE: the text to type; owned */
	int x, y;		/* POST_CLICK */
};

struct post_event {
	char *name;		/* owned */
	int words;
	struct post_word word[POST_WORDS];
};

struct post_events {
	struct post_event *event;	/* owned */
	size_t n;
};

/* 0, or -EPROTO with the reason in `why` ("line 3: ..."); the events are freed then. */
int post_events_read(struct post_events *s, FILE *in, char *why, size_t size);
void post_events_free(struct post_events *s);

#endif
