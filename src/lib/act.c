// SPDX-License-Identifier: GPL-3.0-or-later
#include "act.h"
#include "cli.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNICODE_KEYSYM 0x01000000 /* keysymdef.h: plus the code point, from 0x100 on */

bool act_equals(const struct input_act *a, const struct input_act *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case ACT_KEY: return a->keysym == b->keysym && a->held == b->held;
	case ACT_MOVE: return a->x == b->x && a->y == b->y;
	default: return a->button == b->button && a->way == b->way;
	}
}

int act_parse_key(const char *text, struct input_act *out)
{
	static const struct {
		const char *prefix;
		unsigned held;
	} modifiers[] = { { "shift+", ACT_SHIFT }, { "ctrl+", ACT_CTRL }, { "alt+", ACT_ALT } };
	size_t i = 0, n = sizeof(modifiers) / sizeof(*modifiers);

	*out = (struct input_act){ .kind = ACT_KEY };
	while (i < n) {
		size_t length = strlen(modifiers[i].prefix);

		if (strncmp(text, modifiers[i].prefix, length) != 0) {
			i++;
			continue;
		}
		if (out->held & modifiers[i].held)
			return -EINVAL;
		out->held |= modifiers[i].held;
		text += length;
		i = 0;
	}
	return keysym_parse_text(text, &out->keysym);
}

int act_parse_character(const char **text, struct input_act *out)
{
	char one[8] = "";
	size_t n = 1;

	while (n < 4 && ((unsigned char)(*text)[n] & 0xc0) == 0x80)
		n++;
	memcpy(one, *text, n);
	*text += n;
	return act_parse_key(one, out);
}

int act_parse_button(const char *number, const char *way, struct input_act *out)
{
	static const char *const ways[] = { [ACT_CLICK] = "click", [ACT_DOWN] = "down", [ACT_UP] = "up" };
	int64_t button;

	*out = (struct input_act){ .kind = ACT_BUTTON };
	if (cli_parse_int(number, &button) || button < 1 || button > ACT_BUTTON_MAX)
		return -EINVAL;
	out->button = (int)button;
	for (int i = ACT_CLICK; i <= ACT_UP; i++) {
		out->way = (enum act_way)i;
		if (!strcmp(way, ways[i]))
			return 0;
	}
	return -EINVAL;
}

int act_parse_position(const char *text, struct input_act *out)
{
	char x[16], y[16];
	int64_t at[2];
	int end = 0;

	*out = (struct input_act){ .kind = ACT_MOVE };
	if (sscanf(text, "%15[0-9],%15[0-9]%n", x, y, &end) != 2 || text[end])
		return -EINVAL;
	if (cli_parse_int(x, &at[0]) || cli_parse_int(y, &at[1]) || at[0] > ACT_PLACE_MAX || at[1] > ACT_PLACE_MAX)
		return -EINVAL;
	out->x = (int)at[0];
	out->y = (int)at[1];
	return 0;
}

int act_list_keysyms(const struct input_act *act, uint32_t keysym[static ACT_KEYSYMS])
{
	static const struct {
		unsigned held;
		uint32_t keysym;
	} modifiers[] = { { ACT_CTRL, 0xffe3 },
			  { ACT_ALT, 0xffe9 },
			  { ACT_SHIFT, 0xffe1 },
			  { ACT_LEVEL3, 0xfe03 /* ISO_Level3_Shift */ },
			  { ACT_SUPER, 0xffeb } };
	int n = 0;

	for (size_t i = 0; i < sizeof(modifiers) / sizeof(*modifiers); i++)
		if (act->held & modifiers[i].held)
			keysym[n++] = modifiers[i].keysym;
	keysym[n++] = act->keysym;
	return n;
}

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

/* "\nNAME NUMBER\nNAME NUMBER\n ...", numbers in hexadecimal: made by the Makefile from libxkbcommon's header, since the library
 * brings 7 MB of keyboard layouts with it. */
static const char names[] = KEYSYM_NAMES;

/* 0: no keysym has this name. */
static int64_t find_named_keysym(const char *name)
{
	char row[64];
	const char *at;

	if (strpbrk(name, " \n") || snprintf(row, sizeof(row), "\n%s ", name) >= (int)sizeof(row))
		return 0;
	at = strstr(names, row);
	return at ? strtoll(at + strlen(row), NULL, 16) : 0;
}

/* -1: the text is no number of 1 to 8 digits. */
static int64_t parse_hexadecimal(const char *text)
{
	size_t n = strspn(text, "0123456789abcdefABCDEF");

	return n && n <= 8 && !text[n] ? strtoll(text, NULL, 16) : -1;
}

/* 0: a control character, or none. */
static int64_t character_keysym(int64_t point)
{
	if (point < 0x20 || (point >= 0x7f && point < 0xa0) || point > 0x10ffff)
		return 0;
	return point > 0xff ? point | UNICODE_KEYSYM : point;
}

int keysym_parse_text(const char *text, uint32_t *out)
{
	int64_t point = decode_utf8(text), keysym = point >= 0 ? character_keysym(point) : find_named_keysym(text);

	if (point < 0 && !keysym && text[0] == 'U')
		keysym = character_keysym(parse_hexadecimal(text + 1));
	else if (point < 0 && !keysym && !strncmp(text, "0x", 2))
		keysym = parse_hexadecimal(text + 2);
	if (keysym <= 0 || keysym > 0x1fffffff) /* keysyms have 29 bits */
		return -EINVAL;
	*out = (uint32_t)keysym;
	return 0;
}

const char *keysym_name(uint32_t keysym)
{
	static char name[64];
	char number[16];
	const char *end, *begin;

	snprintf(number, sizeof(number), " %x\n", keysym);
	end = strstr(names, number);
	for (begin = end; end && begin[-1] != '\n'; begin--)
		;
	name[0] = '\0';
	if (keysym > 0x20 && keysym < 0x7f)
		snprintf(name, sizeof(name), "%c", (int)keysym);
	else if (end)
		snprintf(name, sizeof(name), "%.*s", (int)(end - begin), begin);
	else if (keysym >= UNICODE_KEYSYM + 0x100 && keysym <= UNICODE_KEYSYM + 0x10ffff)
		snprintf(name, sizeof(name), "U%0*X", keysym > UNICODE_KEYSYM + 0xffff ? 8 : 4, keysym - UNICODE_KEYSYM);
	return name;
}
