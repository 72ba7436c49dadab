// SPDX-License-Identifier: GPL-3.0-or-later
#include "input.h"

#include <errno.h>

#define KEY_LEVELS 4 /* 0 plain, 1 with Shift, 2 with AltGr, 3 with both */
#define KEYSYM_SHIFT 0xffe1
#define KEYSYM_LEVEL3 0xfe03 /* ISO_Level3_Shift, "AltGr" */

/* The key that gives the symbol at the lowest level that the keyboard can reach; 0: none. */
static KeyCode find_keycode(Display *d, KeySym keysym, int *level)
{
	bool shift = XKeysymToKeycode(d, KEYSYM_SHIFT), level3 = XKeysymToKeycode(d, KEYSYM_LEVEL3);
	int first, last;

	XDisplayKeycodes(d, &first, &last);
	for (*level = 0; keysym && *level < KEY_LEVELS; ++*level)
		for (int code = first; (shift || !(*level & 1)) && (level3 || !(*level & 2)) && code <= last; code++)
			if (XkbKeycodeToKeysym(d, (KeyCode)code, 0, *level) == keysym)
				return (KeyCode)code;
	return 0;
}

int x11_find_chord(Display *d, const struct input_act *act, struct x11_chord *out)
{
	struct input_act full = *act;
	uint32_t keysym[ACT_KEYSYMS];
	int level;
	KeyCode code = find_keycode(d, act->keysym, &level);

	if (!code)
		return -ENOENT;
	full.held |= (level & 1 ? ACT_SHIFT : 0) | (level & 2 ? ACT_LEVEL3 : 0);
	out->n = act_list_keysyms(&full, keysym);
	for (int i = 0; i < out->n; i++) {
		out->code[i] = i == out->n - 1 ? code : XKeysymToKeycode(d, keysym[i]);
		if (!out->code[i])
			return -ENODEV;
	}
	return 0;
}

void x11_send_chord(Display *d, const struct x11_chord *c, bool down)
{
	for (int i = 0; i < c->n; i++)
		XTestFakeKeyEvent(d, c->code[down ? i : c->n - 1 - i], down, 0);
}
