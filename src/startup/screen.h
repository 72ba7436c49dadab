/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen - what an application shows on an X display: which windows count as its own, and a hash of all their pixels.
 *
 * A window counts while it is
 *   - a top-level window that was made after the start: a child of the root window, or what a window manager put into a frame;
 *   - of the application: the display says (X-Resource), or _NET_WM_PID does, that a descendant of
 *     it made it. Where neither is known (a remote display and an old toolkit), any new one with a
 *     name or a class. With a name given, those that carry it in title or class, whoever made them;
 *   - in sight, of at least the least size both ways, and not override-redirect (menus, tooltips, some splash screens);
 *   - not, by _NET_WM_WINDOW_TYPE, a splash screen, tooltip, notification, dock, desktop or what is dragged.
 * For events after the start menus count too: override-redirect windows that are no splash screen,
 * tooltip, notification or dragged thing.
 *
 * Pixels are those of the screen, what a person sees, inside of these windows and without the
 * frames. Damage says what was drawn, and only that is read, so that a display at the other end of
 * a link is not asked for more than was sent to it. A look takes the time of a few requests and of
 * reading these pixels; looks keep a pause of four times as long as the last took (50 ms at most),
 * so that they take a fifth of a CPU. A change has the time of the look that showed it: late by
 * longest_ns at most. */
#ifndef STARTUP_SCREEN_H
#define STARTUP_SCREEN_H

#include "then.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SCREEN_WHY 256

struct screen_watch;

struct screen_cfg {
	const char *display;	/* NULL: as the environment says */
	const char *window;	/* only windows of this name or class; NULL: those of the application */
	int least;		/* size of a window that counts, in pixels */
};

struct screen_seen {
	int windows;			/* that count now */
	bool painted;			/* one of them shows something: more than one colour, and not what was there before */
	uint64_t picture, set;		/* hashes: of what they show with where they are; of which they are */
	int64_t mapped_ns;		/* the first that counts came into sight; 0: none yet */
	int64_t paint_ns;		/* the first look that showed something in one that counts */
	int64_t splash_ns;		/* the first that is a splash screen by its type, or override-redirect, before any that counts */
	int64_t longest_ns;		/* from a damage being told to the end of the look that showed it, at most */
	int64_t looks, look_ns;		/* and when the last was over */
	int width, height;		/* of the largest that counts */
};

/* Opens the display. NULL with a line in `why`. Owned until screen_close(). */
struct screen_watch *screen_open(const struct screen_cfg *cfg, char *why);
void screen_close(struct screen_watch *s);
const char *screen_display(const struct screen_watch *s);
/* The window manager's name, "unnamed" for one that does not tell it, NULL: none runs. */
const char *screen_manager(struct screen_watch *s);
/* The server's vendor and size, and how pixels are read. */
void screen_describe(struct screen_watch *s, char *text, size_t size);

/* Forgets all windows; those that are there now are nobody's. To be called before the application starts. */
int screen_begin(struct screen_watch *s);
/* Whose descendants' windows are the application's. */
void screen_owner(struct screen_watch *s, pid_t root);
/* Menus count too, or no longer. */
void screen_with_menus(struct screen_watch *s, bool on);

int screen_fd(const struct screen_watch *s);
/* Takes the events that have come; -EPIPE when the display has gone. */
int screen_handle(struct screen_watch *s);
/* When a look is due; INT64_MAX: nothing was drawn since the last. */
int64_t screen_due(const struct screen_watch *s);
/* Waits until the display has told all that was drawn up to now. Until when nothing was drawn that was not looked at: now, or
 * when a look became due. */
int64_t screen_sync(struct screen_watch *s);
/* Looks. -EPIPE when the display has gone. */
int screen_look(struct screen_watch *s);
const struct screen_seen *screen_seen(const struct screen_watch *s);

/* Can all its keys be typed on this display's keyboard? 0, or -1 with a line in `why`. */
int screen_check(struct screen_watch *s, const struct then *script, char *why);
/* Gives the window that was opened last the keyboard, unless a menu is open. */
void screen_focus(struct screen_watch *s);
/* Sends what is to be done, all at once. */
void screen_send(struct screen_watch *s, const struct then_event *e);
/* Asks all windows of the application to close, as a click on the cross does. How many took it. */
int screen_ask_to_close(struct screen_watch *s);

#endif
