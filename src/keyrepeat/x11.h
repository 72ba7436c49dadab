/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x11 - what the files of the X11 target share, and the one place that names the X libraries.
 *
 * Two connections, one for each thread: on one alone, waiting for an image would hold up the next key. */
#ifndef KEYREPEAT_X11_H
#define KEYREPEAT_X11_H

#include "guard.h"
#include "patch.h"
#include "region.h"
#include "target.h"
#include "watchdog.h"
#include "x11/connection.h"
#include "x11/picture.h"

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <X11/extensions/Xdamage.h>
#include <X11/extensions/Xfixes.h>
#include <X11/extensions/Xrandr.h>

/* What is sent for an act. */
struct x11_stroke {
	enum act_kind kind;
	KeyCode code;
	bool shift, level3, ctrl, alt;
	short x, y;
	unsigned char button;
	enum act_way way;
};

/* Auto-repeat is a state of the whole display, so it is put back however we end. */
struct x11_repeat {
	char display[256];
	bool changed, was_on, rate_changed;
	unsigned int delay_ms, interval_ms;
};

/* A display that does not answer must not keep us: waiting for it has an end (watchdog.h). */
struct x11_patience {
	struct watchdog watchdog;
	bool watched;
};

struct x11 {
	Display *send, *watch;		/* watch: NULL when nothing is watched */
	_Atomic bool send_broken, watch_broken;
	struct x11_patience send_patience, watch_patience;
	struct observations *seen;
	int mode;			/* enum target_watch */

	KeyCode shift, level3, ctrl, alt;
	int strokes;
	struct x11_stroke *stroke;	/* owned */
	unsigned buttons;		/* that we hold down, a bit each */
	struct x11_repeat repeat;
	struct guard guard;

	Window window;			/* keys must go into it; None: wherever the focus is */
	Window top;			/* the window of a program that it is in, as a window manager sees it */
	Window focus;			/* where the focus was when last looked at and keys went into `top` */
	struct region window_at;	/* on the screen, without border */

	struct region area;		/* watched, on the screen */
	bool limited;			/* it is not all of the screen */
	const char *from;		/* where it comes from */
	Damage damage;
	int damage_event;
	XserverRegion parts, interest;
	struct x11_picture picture;	/* of the area, or of the patch */
	uint32_t *before, *now;		/* the area's pixels: as they were, and where what is read comes together; owned */
	struct region patch;		/* where the patch is on the screen, with a margin */
	struct patch_place place;	/* within it */
};

/* x11.c */
/* Waiting may last until then, or WATCHDOG_IDLE. */
void x11_await(struct x11_patience *p, int64_t until_ns);
struct region x11_screen(Display *d);

/* x11_send.c */
/* Takes auto-repeat off, or sets its rate. 0, or -1 with a line in `why`. */
int x11_send_open(struct x11 *self, const struct target_cfg *cfg, char *why);
void x11_send_close(struct x11 *self);
int x11_act(void *p, const struct act *act, char *why);
int x11_send_fd(void *p);
int x11_send(void *p, int key, bool down);

/* x11_window.c */
/* Looks the window up: it is there and in sight. 0, or -1 with a line in `why`. */
int x11_window_open(struct x11 *self, const struct target_cfg *cfg, char *why);
/* Raises it and gives it the focus. 0, or -1 with a line in `why`. */
int x11_window_take(struct x11 *self, char *why);
/* Asks the server whether the next key would go into the window: as target.h says. */
void x11_window_receiver(void *p, char *text, size_t size);
int x11_window_aim(void *p, int64_t until_ns);
/* An event of the window: it may have gone, moved, or lost the keyboard. */
void x11_window_event(struct x11 *self, const XEvent *event);

/* x11_watch.c */
int x11_watch_open(struct x11 *self, const struct target_cfg *cfg, char *why);
void x11_watch_close(struct x11 *self);
int x11_watch_fd(void *p);
int x11_handle(void *p);

/* x11_region.c */
/* Types a few keys and finds where they show: sets self->area. 0, or -1 with a line in `why`. */
int x11_region_find(struct x11 *self, const struct target_cfg *cfg, char *why);

#endif
