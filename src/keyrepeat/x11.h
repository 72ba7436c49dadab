/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x11 - what the files of the X11 target share. They are the plug-in keyrepeat_x11.so, which uses functions of the program.
 *
 * The two threads have a connection each: on a single one, waiting for an image would delay the next key. */
#pragma once

#include "guard.h"
#include "target.h"
#include "x11/input.h"
#include "x11/pixels.h"
#include "x11/damage.h"
#include "x11/window.h"

#include <X11/extensions/Xrandr.h>

/* An action as it is sent by XTEST. */
struct x11_act {
	struct input_act act;
	struct x11_chord chord; /* of ACT_KEY */
};

/* Auto-repeat is a setting of the whole display, so it is restored at the end, even after a kill (guard.h). */
struct x11_autorepeat {
	char display[256];
	bool changed, was_on, rate_changed;
	unsigned int delay_ms, interval_ms; /* before the run */
};

struct x11_target {
	struct x11_connection send, watch; /* watch: not open when nothing is watched */
	struct observations *seen;
	int mode; /* enum target_watch */

	int acts;
	struct x11_act *act; /* owned */
	unsigned buttons;    /* pointer buttons held down: bit N for button N */
	bool hold;	     /* one press, which the display repeats */
	atomic_int down;     /* number of the key that is down, from 1; 0: none */
	struct x11_autorepeat repeat;
	struct exit_guard guard;

	Window window;		     /* the only window that may get the keys; None: the one with the focus */
	Window top;		     /* the top-level window around `window`, which the window manager handles */
	Window focus;		     /* the window with the focus when keys last went into `top` */
	struct pixel_area window_at; /* `window` on the screen, without border */

	struct pixel_area area; /* watched part of the screen */
	bool limited;		/* `area` is not the whole screen */
	const char *from;	/* how `area` was chosen: "given", "window", "screen", "found by typing" */
	struct x11_damage drawing;
	struct x11_pixels picture; /* of the area */
	uint32_t *before, *now;	   /* pixels of the area at the last change, and as read now; owned */
	struct x11_patch patch;	   /* with WATCH_PATCH */
};

extern const struct target_ops target_x11;

/* x11_send.c */
/* Switches auto-repeat off, or sets its rate in hold mode. 0, or -1 with a line in `why`. */
int x11_begin_sending(struct x11_target *self, const struct target_cfg *cfg, struct why *why);
void x11_end_sending(struct x11_target *self);
/* Functions of target_ops. */
int x11_add_act(void *p, const struct input_act *act, struct why *why);
int x11_send_act(void *p, int key, bool down);

/* x11_window.c */
/* Checks that the window exists and is visible. 0, or -1 with a line in `why`. */
int x11_find_window(struct x11_target *self, const struct target_cfg *cfg, struct why *why);
/* Raises the window and gives it the focus. 0, or -1 with a line in `why`. */
int x11_take_keyboard(struct x11_target *self, struct why *why);
/* Functions of target_ops. */
void x11_write_receiver(void *p, char *text, size_t size);
int x11_check_keyboard(void *p, int64_t until_ns);
/* Handles an event of the window, which may have been closed or moved, or have lost the keyboard. */
void x11_note_window_event(struct x11_target *self, const XEvent *event);

/* x11_watch.c */
int x11_start_watching(struct x11_target *self, const struct target_cfg *cfg, struct why *why);
void x11_free_pixels(struct x11_target *self);
int x11_handle_events(void *p);
