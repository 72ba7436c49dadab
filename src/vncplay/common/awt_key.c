// SPDX-License-Identifier: GPL-3.0-or-later
/* Keys as Java's AWT numbers them (java.awt.event.KeyEvent, VK_...), as keysyms. */
#include "trace_lines.h"

#define UNDEFINED 0xffff	/* CHAR_UNDEFINED: the key makes no character */

static const struct {
	int code;
	uint32_t keysym;
} codes[] = {
	{ 3, 0xff69 }, { 8, 0xff08 }, { 9, 0xff09 }, { 10, 0xff0d }, { 12, 0xff0b }, { 16, 0xffe1 },
	{ 17, 0xffe3 }, { 18, 0xffe9 }, { 19, 0xff13 }, { 20, 0xffe5 }, { 21, 0xff2d }, { 25, 0xff21 },
	{ 27, 0xff1b }, { 28, 0xff23 }, { 29, 0xff22 }, { 31, 0xff7e }, { 32, 0x20 },
	{ 33, 0xff55 }, { 34, 0xff56 }, { 35, 0xff57 }, { 36, 0xff50 }, { 37, 0xff51 }, { 38, 0xff52 }, { 39, 0xff53 }, { 40, 0xff54 },
	{ 106, 0xffaa }, { 107, 0xffab }, { 108, 0xffac }, { 109, 0xffad }, { 110, 0xffae }, { 111, 0xffaf }, { 127, 0xffff },
	/* dead keys: grave to semivoiced sound */
	{ 128, 0xfe50 }, { 129, 0xfe51 }, { 130, 0xfe52 }, { 131, 0xfe53 }, { 132, 0xfe54 }, { 133, 0xfe55 },
	{ 134, 0xfe56 }, { 135, 0xfe57 }, { 136, 0xfe58 }, { 137, 0xfe59 }, { 138, 0xfe5a }, { 139, 0xfe5b },
	{ 140, 0xfe5c }, { 141, 0xfe5d }, { 142, 0xfe5e }, { 143, 0xfe5f },
	{ 144, 0xff7f }, { 145, 0xff14 }, { 150, '&' }, { 151, '*' }, { 152, '"' }, { 153, '<' }, { 154, 0xff61 },
	{ 155, 0xff63 }, { 156, 0xff6a }, { 157, 0xffe7 }, { 160, '>' }, { 161, '{' }, { 162, '}' }, { 192, '`' }, { 222, '\'' },
	{ 224, 0xff97 }, { 225, 0xff99 }, { 226, 0xff96 }, { 227, 0xff98 },	/* arrows of the keypad */
	{ 240, 0xff30 }, { 241, 0xff26 }, { 242, 0xff25 }, { 243, 0xff28 }, { 244, 0xff29 }, { 245, 0xff24 },
	{ 256, 0xff3d }, { 257, 0xff3e }, { 258, 0xff37 }, { 262, 0xff2d }, { 512, '@' }, { 513, ':' },
	{ 514, '^' }, { 515, '$' }, { 516, 0x20ac }, { 517, '!' }, { 518, 0xa1 }, { 519, '(' }, { 520, '#' },
	{ 521, '+' }, { 522, ')' }, { 523, '_' }, { 524, 0xffeb }, { 525, 0xff67 },
	{ 65312, 0xff20 }, { 65368, 0xff58 }, { 65406, 0xfe03 }, { 65481, 0xff66 }, { 65483, 0xff65 }, { 65488, 0xff68 },
	/* Sun's keys: props, stop, copy, paste, cut */
	{ 65482, 0x1005ff70 }, { 65480, 0xff69 }, { 65485, 0x1005ff72 }, { 65487, 0x1005ff74 }, { 65489, 0x1005ff75 },
};

static uint32_t of_code(int code)
{
	if (code >= 'A' && code <= 'Z')
		return (uint32_t)code + 0x20;	/* Shift, where it is held, is a key of its own */
	if ((code >= '0' && code <= '9') || code == ',' || code == '-' || code == '.' || code == '/' ||
	    code == ';' || code == '=' || (code >= '[' && code <= ']'))
		return (uint32_t)code;
	if (code >= 96 && code <= 105)
		return 0xffb0 + (uint32_t)(code - 96);	/* digits of the keypad */
	if (code >= 112 && code <= 123)
		return 0xffbe + (uint32_t)(code - 112);	/* F1 to F12 */
	if (code >= 61440 && code <= 61451)
		return 0xffca + (uint32_t)(code - 61440);	/* F13 to F24 */
	for (unsigned i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].code == code)
			return codes[i].keysym;
	return 0;
}

uint32_t awt_keysym(int code, int character, bool control)
{
	if (!character || character == UNDEFINED)
		return of_code(code);
	if (character < 0x20) {
		/* Backspace, Tab, Return and Escape, unless Ctrl made them of a letter */
		if ((character == 8 || character == 9 || character == 10 || character == 0x1b) && (!control || code == character))
			return of_code(character);
		return control ? (uint32_t)character + 0x60 : of_code(code);
	}
	if (character == 0x7f)
		return 0xffff;
	if (character < 0x7f || (character >= 0xa0 && character <= 0xff))
		return (uint32_t)character;
	if (character < 0xa0)
		return of_code(code);
	/* Java 1.1 on X passed some keysyms straight through, and so did 2005's VNCplay, currencies too */
	if (character >= 0xff00 || (character >= 0x20a0 && character <= 0x20af))
		return (uint32_t)character;
	return character >= 0xd800 && character < 0xe000 ? of_code(code) : 0x01000000u | (uint32_t)character;
}
