/* SPDX-License-Identifier: GPL-3.0-or-later */
/* act - one input action of a user: a key with its modifiers, a pointer move, or a button; and the names of keys. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum act_kind { ACT_KEY, ACT_MOVE, ACT_BUTTON };
enum { ACT_SHIFT = 1, ACT_CTRL = 2, ACT_ALT = 4, ACT_SUPER = 8, ACT_LEVEL3 = 16 }; /* modifiers; LEVEL3: AltGr */
enum act_way { ACT_CLICK, ACT_DOWN, ACT_UP };

#define ACT_BUTTON_MAX 8    /* 1 to 3 are left, middle, right; 4 and 5 turn the wheel */
#define ACT_PLACE_MAX 32767 /* pixels */

struct input_act {
	enum act_kind kind;
	uint32_t keysym;
	unsigned held; /* modifiers (ACT_SHIFT ...), pressed before the key and released after it */
	int x, y;      /* pixels of the screen */
	int button;
	enum act_way way;
};

bool act_equals(const struct input_act *a, const struct input_act *b);
/* Reads a key such as "a", "Return", "ctrl+s", "ctrl+shift+Left". 0 or -EINVAL. */
int act_parse_key(const char *text, struct input_act *out);
/* Reads the first character (UTF-8) of a text that is not empty, as the key that types it, and moves `text` past it. 0, or -EINVAL:
 * no key types it. */
int act_parse_character(const char **text, struct input_act *out);
/* Reads a button action such as "1" "down", "1" "up", "4" "click". 0 or -EINVAL. */
int act_parse_button(const char *number, const char *way, struct input_act *out);
/* Reads the position of a pointer move, "320,200". 0 or -EINVAL. */
int act_parse_position(const char *text, struct input_act *out);

#define ACT_KEYSYMS 6
/* Lists the keysyms of a key action in the order of pressing: its modifiers, then its key. Returns their number. */
int act_list_keysyms(const struct input_act *act, uint32_t keysym[static ACT_KEYSYMS]);

/* Names of keys and their numbers in X11 and RFB (keysymdef.h; RFC 6143, 7.5.4). Reads a key: one character in UTF-8 ("a", "ä"), a
 * name of keysymdef.h ("Return", "F13"), a code point "U20AC", or a number "0xff0d". 0 or -EINVAL. */
int keysym_parse_text(const char *text, uint32_t *out);
/* The name of a key: the character itself if it is printable ASCII; "" if there is none. Static, valid until the next call. */
const char *keysym_name(uint32_t keysym);
