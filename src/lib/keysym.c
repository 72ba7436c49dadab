// SPDX-License-Identifier: GPL-3.0-or-later
#include "keysym.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; uint32_t keysym; } names[] = {
	{ "space", 0x20 }, { "BackSpace", 0xff08 }, { "Tab", 0xff09 }, { "Return", 0xff0d }, { "Escape", 0xff1b },
	{ "Delete", 0xffff }, { "Home", 0xff50 }, { "Left", 0xff51 }, { "Up", 0xff52 }, { "Right", 0xff53 },
	{ "Down", 0xff54 }, { "Prior", 0xff55 }, { "Page_Up", 0xff55 }, { "Next", 0xff56 }, { "Page_Down", 0xff56 },
	{ "End", 0xff57 }, { "Insert", 0xff63 }, { "KP_Enter", 0xff8d }, { "F1", 0xffbe }, { "F2", 0xffbf },
	{ "F3", 0xffc0 }, { "F4", 0xffc1 }, { "F5", 0xffc2 }, { "F6", 0xffc3 }, { "F7", 0xffc4 }, { "F8", 0xffc5 },
	{ "F9", 0xffc6 }, { "F10", 0xffc7 }, { "F11", 0xffc8 }, { "F12", 0xffc9 }, { "Shift_L", 0xffe1 },
	{ "Control_L", 0xffe3 }, { "Alt_L", 0xffe9 }, { "Shift_R", 0xffe2 }, { "Control_R", 0xffe4 },
	{ "Alt_R", 0xffea }, { "Meta_L", 0xffe7 }, { "Super_L", 0xffeb }, { "Super_R", 0xffec },
	{ "Caps_Lock", 0xffe5 }, { "Num_Lock", 0xff7f }, { "ISO_Level3_Shift", 0xfe03 },
	{ "Menu", 0xff67 }, { "Print", 0xff61 }, { "Pause", 0xff13 },
};

/* One whole UTF-8 character, and nothing after it: its code point, or -1. */
static int64_t one_character(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	int more = p[0] >= 0xf0 && p[0] < 0xf8 ? 3 : p[0] >= 0xe0 && p[0] < 0xf0 ? 2 : p[0] >= 0xc2 && p[0] < 0xe0 ? 1 : 0;
	int64_t point = p[0];

	if (!p[0] || (p[0] >= 0x80 && !more))
		return -1;
	if (more)
		point = p[0] & (0x3f >> more);
	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return -1;
		point = point << 6 | (p[i] & 0x3f);
	}
	return p[more + 1] ? -1 : point;
}

static bool of_point(int64_t point, uint32_t *out)
{
	if (point < 0x20 || (point >= 0x7f && point < 0xa0) || point > 0x10ffff)
		return false;
	*out = (uint32_t)(point < 0x100 ? point : point | 0x01000000);
	return true;
}

/* The digits after a prefix, all of them: -1 if there are none or others follow. */
static int64_t hex(const char *digits)
{
	size_t n = strspn(digits, "0123456789abcdefABCDEF");

	return n > 0 && n <= 8 && !digits[n] ? strtoll(digits, NULL, 16) : -1;
}

int keysym_read(const char *text, uint32_t *out)
{
	int64_t v = one_character(text);

	if (v >= 0)
		return of_point(v, out) ? 0 : -EINVAL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i].name, text)) {
			*out = names[i].keysym;
			return 0;
		}
	}
	if (!strncmp(text, "0x", 2)) {
		v = hex(text + 2);
		if (v <= 0 || v > 0x1fffffff)	/* keysyms have 29 bits */
			return -EINVAL;
		*out = (uint32_t)v;
		return 0;
	}
	return text[0] == 'U' && of_point(hex(text + 1), out) ? 0 : -EINVAL;
}

const char *keysym_name(uint32_t keysym)
{
	static char one[2];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].keysym == keysym)
			return names[i].name;
	one[0] = keysym > 0x20 && keysym < 0x7f ? (char)keysym : '\0';
	return one;
}
