// SPDX-License-Identifier: GPL-3.0-or-later
#include "rdp/scancode.h"

#include <stddef.h>
#include <string.h>

/* Rows of keys beside each other, without and with Shift. */
static const struct {
	unsigned first;
	const char *plain, *shifted;
} rows[] = {
	{ 0x02, "1234567890-=", "!@#$%^&*()_+" },
	{ 0x10, "qwertyuiop[]", "QWERTYUIOP{}" },
	{ 0x1e, "asdfghjkl;'`", "ASDFGHJKL:\"~" },
	{ 0x2b, "\\zxcvbnm,./", "|ZXCVBNM<>?" },
	{ 0x39, " ", "" },
};

/* Other keys, by keysym. `n` keysyms and scancodes follow each other. */
static const struct {
	uint32_t keysym;
	uint16_t code, n;
} others[] = {
	{ 0xff08, 0x0e, 2 },				    /* BackSpace, Tab */
	{ 0xff0d, 0x1c, 1 },				    /* Return */
	{ 0xff13, 0x145, 1 },				    /* Pause */
	{ 0xff14, 0x46, 1 },				    /* Scroll_Lock */
	{ 0xff1b, 0x01, 1 },				    /* Escape */
	{ 0xff50, 0x147, 1 },				    /* Home */
	{ 0xff51, 0x14b, 1 },				    /* Left */
	{ 0xff52, 0x148, 1 },				    /* Up */
	{ 0xff53, 0x14d, 1 },				    /* Right */
	{ 0xff54, 0x150, 1 },				    /* Down */
	{ 0xff55, 0x149, 1 },				    /* Prior */
	{ 0xff56, 0x151, 1 },				    /* Next */
	{ 0xff57, 0x14f, 1 },				    /* End */
	{ 0xff61, 0x137, 1 },				    /* Print */
	{ 0xff63, 0x152, 1 },				    /* Insert */
	{ 0xff67, 0x15d, 1 },				    /* Menu */
	{ 0xff7f, 0x45, 1 },				    /* Num_Lock */
	{ 0xff8d, 0x11c, 1 },				    /* KP_Enter */
	{ 0xffaa, 0x37, 1 },				    /* KP_Multiply */
	{ 0xffab, 0x4e, 1 },				    /* KP_Add */
	{ 0xffad, 0x4a, 1 },				    /* KP_Subtract */
	{ 0xffae, 0x53, 1 },				    /* KP_Decimal */
	{ 0xffaf, 0x135, 1 },				    /* KP_Divide */
	{ 0xffb0, 0x52, 1 },				    /* KP_0 */
	{ 0xffb1, 0x4f, 3 },				    /* KP_1 to KP_3 */
	{ 0xffb4, 0x4b, 3 },				    /* KP_4 to KP_6 */
	{ 0xffb7, 0x47, 3 },				    /* KP_7 to KP_9 */
	{ 0xffbe, 0x3b, 10 },				    /* F1 to F10 */
	{ 0xffc8, 0x57, 2 },				    /* F11, F12 */
	{ 0xffe1, SCANCODE_SHIFT, 1 }, { 0xffe2, 0x36, 1 }, /* Shift_R */
	{ 0xffe3, 0x1d, 1 },				    /* Control_L */
	{ 0xffe4, 0x11d, 1 },				    /* Control_R */
	{ 0xffe5, 0x3a, 1 },				    /* Caps_Lock */
	{ 0xffe9, 0x38, 1 },				    /* Alt_L */
	{ 0xffea, 0x138, 1 },				    /* Alt_R */
	{ 0xffeb, 0x15b, 2 },				    /* Super_L, Super_R */
	{ 0xffff, 0x153, 1 },				    /* Delete */
	{ 0xfe03, 0x138, 1 },				    /* ISO_Level3_Shift */
};

bool scancode_find(uint32_t keysym, unsigned *code, bool *shift)
{
	*shift = false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && keysym >= 0x20 && keysym < 0x7f; i++) {
		const char *plain = strchr(rows[i].plain, (int)keysym), *shifted = strchr(rows[i].shifted, (int)keysym);

		if (!plain && !shifted)
			continue;
		*shift = !plain;
		*code = rows[i].first + (unsigned)(plain ? plain - rows[i].plain : shifted - rows[i].shifted);
		return true;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (keysym >= others[i].keysym && keysym - others[i].keysym < others[i].n) {
			*code = others[i].code + (unsigned)(keysym - others[i].keysym);
			return true;
		}
	return false;
}

uint16_t scancode_find_character(uint32_t keysym)
{
	if ((keysym >= 0x20 && keysym < 0x7f) || (keysym >= 0xa0 && keysym <= 0xff))
		return (uint16_t)keysym;
	return keysym >= 0x01000100 && keysym <= 0x0100ffff ? (uint16_t)(keysym & 0xffff) : 0;
}
