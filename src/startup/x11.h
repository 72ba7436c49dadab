/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x11 - what the files of the screen share, and the one place that names the X libraries. */
#ifndef STARTUP_X11_H
#define STARTUP_X11_H

#include "screen.h"
#include "x11/connection.h"
#include "x11/picture.h"

#include <X11/XKBlib.h>
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XRes.h>
#include <X11/extensions/XTest.h>
#include <X11/extensions/Xdamage.h>
#include <X11/extensions/Xfixes.h>

#define X11_WINDOWS_MAX 512

struct x11_area {
	int x, y, w, h;
};

enum x11_whose { X11_UNASKED, X11_OURS, X11_OTHERS };

/* A child of the root window that was made since the start, or was before a window manager took it. */
struct x11_window {
	Window id;
	bool mapped, frame, override;
	enum x11_whose whose;
	int64_t mapped_ns;
	bool counts, menu;	/* in sight and the application's */
	bool painted;
	struct x11_area at;	/* the part of it on the screen */
	uint64_t *row;		/* hash of each row of it, owned */
	uint64_t sum;
};

enum x11_atom {
	ATOM_TYPE, ATOM_SPLASH, ATOM_TOOLTIP, ATOM_NOTIFICATION, ATOM_DOCK, ATOM_DESKTOP, ATOM_DND,
	ATOM_PID, ATOM_MACHINE, ATOM_TAKES, ATOM_DELETE, ATOM_CHECK, ATOM_NAME, ATOM_UTF8, ATOM_ACTIVE, ATOMS
};

struct screen_watch {
	struct screen_cfg cfg;
	Display *display;
	Window root;
	_Atomic bool broken;
	Atom atom[ATOMS];
	bool knows_pids;		/* the display tells whose a window is */
	pid_t owner;
	bool menus;

	int width, height;
	struct x11_picture picture;
	uint32_t *before, *now;		/* the screen: at the start; and what was read of it, where windows are. Owned */
	Damage damage;
	int damage_event;
	XserverRegion parts;
	int64_t drawn_ns;		/* since when drawing waits for a look; 0: none */
	bool moved;			/* windows came, went or moved */
	int64_t next_ns;		/* no look before */

	struct x11_window window[X11_WINDOWS_MAX];
	int windows;
	struct screen_seen seen;
	char manager[128];
};

/* x11_windows.c */
void x11_windows_forget(struct screen_watch *s);
void x11_windows_event(struct screen_watch *s, const XEvent *event, int64_t now_ns);
/* Finds out which are in sight and count, and reads those that are new or elsewhere. */
void x11_windows_settle(struct screen_watch *s);
bool x11_has_property(Display *d, Window w, Atom name);

/* x11_pixels.c */
bool x11_pixels_open(struct screen_watch *s);
void x11_pixels_close(struct screen_watch *s);
/* Reads a part of the screen into `to` (an array of the screen's size). */
bool x11_pixels_read(struct screen_watch *s, const struct x11_area *at, uint32_t *to);
/* Reads a part of a window, on the screen, and brings its hashes up to date. */
void x11_window_read(struct screen_watch *s, struct x11_window *w, const struct x11_area *part);
struct x11_area x11_both(const struct x11_area *a, const struct x11_area *b);

#endif
