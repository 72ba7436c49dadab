/* SPDX-License-Identifier: GPL-3.0-or-later */
/* then - what is done to an application after it has started: one event a line, a name, a tab, and words.
 *
 * Words: a key with modifiers ("ctrl+shift+s", "Escape", "a"), "type:text" (no spaces in it: a key
 * "space" stands for one) and "click:X,Y" (the first button, counted from the corner of the
 * application's window). Empty lines and those with # in front are left out. Pure. */
#ifndef STARTUP_THEN_H
#define STARTUP_THEN_H

#include <stddef.h>
#include <stdio.h>

#define THEN_WORDS 64	/* in an event */

enum then_kind { THEN_KEY, THEN_TYPE, THEN_CLICK };
enum then_modifier { THEN_CTRL = 1, THEN_SHIFT = 2, THEN_ALT = 4, THEN_SUPER = 8 };

struct then_word {
	enum then_kind kind;
	int modifiers;		/* of a key */
	char *text;		/* the key's name as X calls it ("o", "Escape"), or what to type; owned */
	int x, y;
};

struct then_event {
	char *name;		/* owned */
	int words;
	struct then_word word[THEN_WORDS];
};

struct then {
	struct then_event *event;	/* owned */
	size_t n;
};

/* 0, or -EPROTO with what is wrong in `why` ("line 3: ..."), or -ENOMEM. */
int then_read(struct then *s, FILE *in, char *why, size_t size);
void then_free(struct then *s);

#endif
