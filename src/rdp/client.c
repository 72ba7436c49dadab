// SPDX-License-Identifier: GPL-3.0-or-later
#include "client.h"
#include "plugin.h"

#include <stddef.h>
#include <string.h>

const struct rdp_client_ops *rdp_plugin_load(struct why *why)
{
	static const struct plugin plugin = {
		.file = RDP_PLUGIN,
		.symbol = RDP_PLUGIN_OPS,
		.scheme = "rdp",
		.absent = "was built without libfreerdp; apt-get install freerdp2-dev (or freerdp3-dev), and make",
		.packages = "libfreerdp-client" FREERDP "-" FREERDP,
	};
	const struct rdp_client_ops *ops = plugin_load(&plugin, why);

	if (!ops || ops->abi == RDP_PLUGIN_ABI)
		return ops;
	why_say(why, "%s is not of this build: install it and the program again", RDP_PLUGIN);
	return NULL;
}

int64_t rdp_stamp_ms(uint32_t stamp)
{
	unsigned ms = stamp & 0x3ff, second = stamp >> 10 & 0x3f, minute = stamp >> 16 & 0x3f, hour = stamp >> 22;

	if (ms > 999 || second > 59 || minute > 59 || hour > 23)
		return 0;
	return ((hour * 60 + minute) * 60 + second) * 1000 + ms;
}

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

/* Scancodes of keysyms that follow each other. */
static const struct {
	uint32_t first;
	uint16_t code[10]; /* 0: none */
} others[] = {
	{ 0xff08, { 0x0e, 0x0f, 0, 0, 0, 0x1c } },				/* BackSpace, Tab; Return */
	{ 0xff13, { 0, 0x46, 0, 0, 0, 0, 0, 0, 0x01 } },			/* Scroll_Lock; Escape */
	{ 0xff50, { 0x147, 0x14b, 0x148, 0x14d, 0x150, 0x149, 0x151, 0x14f } }, /* Home, Left, Up, Right, Down, Prior, Next, End */
	{ 0xff61, { 0x137, 0, 0x152, 0, 0, 0, 0x15d } },			/* Print; Insert; Menu */
	{ 0xff7f, { 0x45 } },							/* Num_Lock */
	{ 0xff8d, { 0x11c } },							/* KP_Enter */
	{ 0xffaa, { 0x37, 0x4e, 0, 0x4a, 0x53, 0x135 } },			/* KP_Multiply, Add; Subtract, Decimal, Divide */
	{ 0xffb0, { 0x52, 0x4f, 0x50, 0x51, 0x4b, 0x4c, 0x4d, 0x47, 0x48, 0x49 } }, /* KP_0 to KP_9 */
	{ 0xffbe, { 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40, 0x41, 0x42, 0x43, 0x44 } }, /* F1 to F10 */
	{ 0xffc8, { 0x57, 0x58 } },						    /* F11, F12 */
	{ 0xffe1, { SCANCODE_SHIFT, 0x36, 0x1d, 0x11d, 0x3a } }, /* Shift, Control, each left and right; Caps_Lock */
	{ 0xffe9, { 0x38, 0x138, 0x15b, 0x15c } },		 /* Alt, Super, each left and right */
	{ 0xffff, { 0x153 } },					 /* Delete */
	{ 0xfe03, { 0x138 } },					 /* ISO_Level3_Shift */
};

unsigned scancode_find(uint32_t keysym, bool *shift)
{
	*shift = false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && keysym >= 0x20 && keysym < 0x7f; i++) {
		const char *plain = strchr(rows[i].plain, (int)keysym), *shifted = strchr(rows[i].shifted, (int)keysym);

		*shift = shifted != NULL;
		if (plain || shifted)
			return rows[i].first + (unsigned)(plain ? plain - rows[i].plain : shifted - rows[i].shifted);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (keysym >= others[i].first && keysym - others[i].first < sizeof(others->code) / sizeof(*others->code) &&
		    others[i].code[keysym - others[i].first])
			return others[i].code[keysym - others[i].first];
	return 0;
}

uint16_t scancode_find_character(uint32_t keysym)
{
	if (keysym >= 0xa0 && keysym <= 0xff)
		return (uint16_t)keysym;
	return keysym >= 0x01000100 && keysym <= 0x0100ffff ? (uint16_t)keysym : 0;
}
