/* SPDX-License-Identifier: GPL-3.0-or-later */
/* input - presses keys (XTEST extension). */
#pragma once

#include "act.h"
#include "connection.h"

/* A key with its modifiers. */
#define X11_CHORD_KEYS ACT_KEYSYMS
struct x11_chord {
	KeyCode code[X11_CHORD_KEYS]; /* `n` keys in the order of pressing */
	int n;
};
/* Finds the keys of an action. 0; -ENOENT: no key gives the symbol; -ENODEV: the keyboard lacks a modifier. */
int x11_find_chord(Display *d, const struct input_act *act, struct x11_chord *out);
/* Presses the keys, or releases them in the opposite order. The requests are sent with the next flush. */
void x11_send_chord(Display *d, const struct x11_chord *c, bool down);
