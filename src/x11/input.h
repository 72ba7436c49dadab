/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input - which window gets the keyboard, and which key of it gives a symbol. */
#pragma once

#include "connection.h"

bool x11_window_has_property(Display *d, Window w, Atom name);
/* Gives a top-level window the keyboard focus: asks the window manager, which would take back a focus set without it; where no
 * window manager runs, raises the window and sets the focus. True: a window manager was asked. */
bool x11_focus_window(Display *d, Window w);
/* The key that gives `keysym`, and its shift level: 0 plain, 1 with Shift, 2 with AltGr, 3 with both; the lowest of the levels
 * whose bit (1 << level) is set in `usable`. 0: there is no such key. */
KeyCode x11_find_keycode(Display *d, KeySym keysym, unsigned usable, int *level);
