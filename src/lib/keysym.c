// SPDX-License-Identifier: GPL-3.0-or-later
#include "keysym.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xkbcommon/xkbcommon.h>

/* The code point of a text that is exactly one UTF-8 character; -1: another text. */
static int64_t decode_utf8(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	int n = text_utf8_length(p);
	int64_t point = n > 1 ? p[0] & (0x7f >> n) : p[0];

	if (!n || !p[0] || p[n])
		return -1;
	for (int i = 1; i < n; i++)
		point = point << 6 | (p[i] & 0x3f);
	return point;
}

int keysym_parse_text(const char *text, uint32_t *out)
{
	int64_t point = decode_utf8(text);
	uint32_t keysym;

	if (point >= 0x100 && point <= 0x10ffff)
		keysym = (uint32_t)point | 0x01000000;
	else if (point >= 0)
		keysym = point < 0x20 || point > 0xff || (point >= 0x7f && point < 0xa0) ? 0 : (uint32_t)point;
	else
		keysym = strspn(text, "0x") == 2 && strlen(text) > 10 ? 0 : xkb_keysym_from_name(text, XKB_KEYSYM_NO_FLAGS);
	if (!keysym || keysym > 0x1fffffff) /* keysyms have 29 bits */
		return -EINVAL;
	*out = keysym;
	return 0;
}

const char *keysym_name(uint32_t keysym)
{
	static char name[64];

	if (keysym > 0x20 && keysym < 0x7f)
		snprintf(name, sizeof(name), "%c", (int)keysym);
	else if (xkb_keysym_get_name(keysym, name, sizeof(name)) < 0 || !strncmp(name, "0x", 2))
		name[0] = '\0';
	return name;
}
