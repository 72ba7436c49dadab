/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen - the content of an application on an X display: which windows belong to it, and a hash of all their pixels.
 *
 * A window counts if it is - a top-level window created after the start: a child of the root window, also one that a window
 * manager put into a frame; - of the application: X-Resource or _NET_WM_PID names one of its processes as the owner. Where neither
 * is known (a remote display and an old toolkit), any new window with a name or a class. With --window, any window with that text
 * in its title or class; - visible, at least of the least size in both directions, and not override-redirect (menus, tooltips,
 * some splash screens); - not, by _NET_WM_WINDOW_TYPE, a splash screen, tooltip, notification, dock, desktop or dragged icon. For
 * events after the start, menus count, too: override-redirect windows that are none of these types.
 *
 * Pixels are those of the screen, as the user sees them, inside these windows without their frames. Only damaged parts are read,
 * so that a remote display has to send no more pixels back than were drawn. After a look there is a pause of four times its
 * duration (50 ms at most), so that looks take a fifth of a CPU. A change gets the time of the look that showed it, at most
 * longest_ns late. */
#pragma once

#include "post_events.h"
#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct screen_watch;

struct screen_cfg {
	const char *display; /* NULL: $DISPLAY */
	const char *window;  /* only windows with this text in title or class; NULL: those of the application's processes */
	int least;	     /* least width and height of a window that counts, in pixels */
};

struct screen_content {
	int windows;		/* number of windows that count now */
	bool painted;		/* a window that counts has more than one colour and differs from the screen before the start */
	uint64_t picture;	/* hash of pixels and places of all windows that count */
	uint64_t set;		/* hash of the ids of these windows */
	int64_t mapped_ns;	/* when the first window that counts was mapped; 0: none yet */
	int64_t paint_ns;	/* end of the first look with `painted`; 0: none yet */
	int64_t splash_ns;	/* when a splash screen or override-redirect window was mapped before all others; 0: none */
	int64_t longest_ns;	/* longest time from a damage event to the end of the look that showed the change */
	int64_t looks, look_ns; /* number of looks; end of the last look */
	int width, height;	/* of the largest window that counts, in pixels */
};

/* Opens the display. NULL with a line in `why`. Owned until screen_close(). */
struct screen_watch *screen_open(const struct screen_cfg *cfg, struct why *why);
void screen_close(struct screen_watch *s);
const char *screen_display_name(const struct screen_watch *s);
/* The name of the window manager; "unnamed": it has none; NULL: no window manager runs. */
const char *screen_manager_name(struct screen_watch *s);
/* Writes the server's vendor and screen size, and how pixels are read. */
void screen_describe(struct screen_watch *s, char *text, size_t size);

/* Forgets all windows and reads the screen, before the application starts: windows that exist now never count. 0 or -EPIPE. */
int screen_reset(struct screen_watch *s);
/* Sets the process whose descendants are the application. */
void screen_set_root_process(struct screen_watch *s, pid_t root);
/* Sets whether menus of the application count as its windows. */
void screen_include_menus(struct screen_watch *s, bool on);

int screen_fd(const struct screen_watch *s);
/* Handles the events that have come. 0; -EPIPE: the display is gone. */
int screen_handle_events(struct screen_watch *s);
/* When the next look is due; INT64_MAX: nothing was drawn since the last look. */
int64_t screen_next_look_ns(const struct screen_watch *s);
/* Waits until the X server has reported all drawing up to now. Returns the time until which all drawing has been looked at: now, or
 * the first drawing not looked at. */
int64_t screen_await_reports(struct screen_watch *s);
/* Reads what was drawn and updates screen_get_content(). 0; -EPIPE: the display is gone. */
int screen_look(struct screen_watch *s);
const struct screen_content *screen_get_content(const struct screen_watch *s);

/* Checks that the display's keyboard has all keys of the script. 0, or -1 with a line in `why`. */
int screen_check_keys(struct screen_watch *s, const struct event_script *script, struct why *why);
/* Gives the newest window the keyboard focus, unless a menu is open. */
void screen_focus_newest(struct screen_watch *s);
/* Sends all keys and clicks of an event at once. */
void screen_send_input(struct screen_watch *s, const struct scripted_event *e);
/* Asks all windows of the application to close (WM_DELETE_WINDOW). Returns how many accept such a request. */
int screen_request_close(struct screen_watch *s);
