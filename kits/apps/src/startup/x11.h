/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x11 - what the files that implement screen.h share; the one file of this room that includes a header of the X libraries. */
#pragma once

#include "screen.h"
#include "x11/input.h"
#include "x11/pixels.h"
#include "x11/damage.h"
#include "x11/window.h"

#include <X11/extensions/XRes.h>

#define X11_WINDOWS_MAX 512

enum x11_owner { X11_OWNER_UNKNOWN, X11_OWNER_APPLICATION, X11_OWNER_OTHER };

/* A window created since the start as a child of the root window, even if a window manager has put it into a frame since. */
struct x11_window {
	Window id;
	bool mapped;
	bool frame;    /* of a window manager, around another window */
	bool override; /* override-redirect: a menu or tooltip */
	enum x11_owner owner;
	int64_t mapped_ns;
	bool counts, menu;    /* visible and the application's: as a normal window, as a menu */
	bool painted;	      /* has shown something (screen_content.painted) */
	struct pixel_area at; /* the part that lies on the screen */
	uint64_t *row;	      /* hash of each row of pixels, owned */
	uint64_t sum;	      /* of all rows' hashes */
};

enum x11_atom {
	ATOM_TYPE,
	ATOM_SPLASH,
	ATOM_TOOLTIP,
	ATOM_NOTIFICATION,
	ATOM_DOCK,
	ATOM_DESKTOP,
	ATOM_DND,
	ATOM_PID,
	ATOM_MACHINE,
	ATOM_TAKES,
	ATOM_DELETE,
	ATOM_CHECK,
	ATOM_NAME,
	ATOMS
};

struct screen_watch {
	struct screen_cfg cfg;
	struct x11_connection x;
	Atom atom[ATOMS];
	bool knows_pids; /* the X server can tell the process that owns a window */
	pid_t owner;	 /* windows of this process and its descendants are the application's */
	bool menus;	 /* menus count, too */

	struct x11_pixels picture;
	uint32_t *before, *now; /* pixels of the screen: at the start; and as read since, inside windows; owned */
	struct x11_damage drawing;
	int64_t drawn_ns; /* first drawing since the last look; 0: nothing was drawn */
	bool moved;	  /* windows came, went or moved since the last look */
	int64_t next_ns;  /* earliest time of the next look */

	struct x11_window window[X11_WINDOWS_MAX];
	int windows;
	struct screen_content seen;
	char manager[128];
};

/* x11_windows.c */
void x11_windows_forget(struct screen_watch *s);
void x11_windows_note_event(struct screen_watch *s, const XEvent *event, int64_t now_ns);
/* Finds out which windows are visible and count, and reads the pixels of those that are new or have moved. */
void x11_windows_classify(struct screen_watch *s);
/* Reads a part of the screen into `to`, an array of the screen's size. */
bool x11_screen_read(struct screen_watch *s, const struct pixel_area *at, uint32_t *to);
/* Reads a part of a window from the screen and updates the hashes of its rows. */
void x11_window_update_hash(struct screen_watch *s, struct x11_window *w, const struct pixel_area *part);
