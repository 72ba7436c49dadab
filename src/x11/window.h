/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window - where a window is, and which one gets the keyboard. */
#pragma once

#include "connection.h"

bool x11_has_property(Display *d, Window w, Atom name);
/* Reads a property of up to 4 * `most` bytes. Returns its number of elements; 0: no such property. *value is freed by XFree(). */
unsigned long x11_read_property(Display *d, Window w, Atom name, long most, unsigned char **value, int *format);
bool x11_has_manager(const struct x11_connection *x);
/* Where the inside of a window lies on the screen, also beyond its edges. False: the window is not visible. */
bool x11_locate_window(const struct x11_connection *x, Window w, XWindowAttributes *a, struct pixel_area *at);
/* Gives a top-level window the keyboard focus: asks the window manager, which would take back a focus set without it; where no
 * window manager runs, raises the window and sets the focus. True: a window manager was asked. */
bool x11_focus_window(const struct x11_connection *x, Window w);
