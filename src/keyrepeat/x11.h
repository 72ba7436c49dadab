/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x11 - what the files of the X11 target share; the one file of this room that includes the headers of the X libraries.
 *
 * The two threads have a connection each: on a single one, waiting for an image would delay the next key. */
#pragma once

#include "restore_on_exit.h"
#include "region.h"
#include "target.h"
#include "watchdog.h"
#include "why.h"
#include "x11/connection.h"
#include "x11/input.h"
#include "x11/picture.h"
#include "x11/screen_patch.h"

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <X11/extensions/Xdamage.h>
#include <X11/extensions/Xfixes.h>
#include <X11/extensions/Xrandr.h>

/* An action as it is sent by XTEST. */
struct x11_prepared_act {
	enum act_kind kind;
	KeyCode code;
	bool shift, level3, ctrl, alt;	/* modifiers to hold down; level3: AltGr */
	short x, y;
	unsigned char button;
	enum act_way way;
};

/* Auto-repeat is a setting of the whole display, so it is restored at the end, even after a kill (restore_on_exit.h). */
struct x11_autorepeat_setting {
	char display[256];
	bool changed, was_on, rate_changed;
	unsigned int delay_ms, interval_ms;	/* before the run */
};

/* Limits how long Xlib may wait for a display that does not answer (watchdog.h). */
struct x11_wait_limit {
	struct watchdog watchdog;
	bool running;
};

struct x11_target {
	Display *send, *watch;		/* watch: NULL when nothing is watched */
	_Atomic bool send_broken, watch_broken;
	struct x11_wait_limit send_limit, watch_limit;
	struct screen_observations *seen;
	int mode;			/* enum target_watch */

	KeyCode shift, level3, ctrl, alt;	/* keys of the modifiers; 0: the keyboard has none */
	int strokes;
	struct x11_prepared_act *stroke;	/* owned */
	unsigned buttons;		/* pointer buttons held down: bit N for button N */
	struct x11_autorepeat_setting repeat;
	struct restore_guard guard;

	Window window;			/* the only window that may get the keys; None: the one with the focus */
	Window top;			/* the top-level window around `window`, which the window manager handles */
	Window focus;			/* the window with the focus when keys last went into `top` */
	struct screen_region window_at;	/* `window` on the screen, without border */

	struct screen_region area;		/* watched part of the screen */
	bool limited;			/* `area` is not the whole screen */
	const char *from;		/* how `area` was chosen: "given", "window", "screen", "found by typing" */
	Damage damage;
	int damage_event;
	XserverRegion parts, interest;	/* the damage; the area */
	struct x11_screen_pixels picture;	/* of the area */
	uint32_t *before, *now;		/* pixels of the area at the last change, and as read now; owned */
	struct x11_number_patch patch;		/* with WATCH_PATCH */
};

/* x11.c */
/* Lets Xlib wait until until_ns; WATCHDOG_IDLE: no limit. */
void x11_wait_limit_set_end_time(struct x11_wait_limit *p, int64_t until_ns);
struct screen_region x11_screen_as_region(Display *d);

/* x11_send.c */
/* Switches auto-repeat off, or sets its rate in hold mode. 0, or -1 with a line in `why`. */
int x11_prepare_sending_keys(struct x11_target *self, const struct target_cfg *cfg, struct why *why);
void x11_end_sending_keys(struct x11_target *self);
int x11_prepare_act(void *p, const struct input_act *act, struct why *why);
int x11_target_fd_for_sending(void *p);
int x11_press_or_release(void *p, int key, bool down);

/* x11_window.c */
/* Checks that the window exists and is visible. 0, or -1 with a line in `why`. */
int x11_find_target_window(struct x11_target *self, const struct target_cfg *cfg, struct why *why);
/* Raises the window and gives it the focus. 0, or -1 with a line in `why`. */
int x11_focus_window_until_it_has_keys(struct x11_target *self, struct why *why);
/* Functions of target_ops. */
void x11_write_key_receiver_name(void *p, char *text, size_t size);
int x11_check_window_gets_keys(void *p, int64_t until_ns);
/* Handles an event of the window, which may have been closed or moved, or have lost the keyboard. */
void x11_handle_window_event(struct x11_target *self, const XEvent *event);

/* x11_watch.c */
int x11_start_watching_screen(struct x11_target *self, const struct target_cfg *cfg, struct why *why);
void x11_free_watched_pixels(struct x11_target *self);
int x11_target_fd_to_watch(void *p);
int x11_handle_display_events(void *p);

/* x11_region.c */
/* Types a few keys and sets self->area to the region in which their echo appears. 0, or -1 with a line in `why`. */
int x11_find_echo_region_by_typing(struct x11_target *self, const struct target_cfg *cfg, struct why *why);
