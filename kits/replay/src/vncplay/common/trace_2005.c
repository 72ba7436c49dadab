// SPDX-License-Identifier: GPL-3.0-or-later
/* trace_2005 - traces of the VNCplay of 2005: "DELAY_MS key=value ...", keys in any order; each line is an event of Java's AWT
 * or a snapshot.
 *
 * Java states the modifiers beside each event. The VNCplay of 2005 pressed and released Ctrl, Shift, Meta and Alt to match
 * them, and this reader does as well; unlike it, this reader also takes the events of those keys. AWT calls button 2 Alt and
 * button 3 Meta. */
#include "cli.h"
#include "clock.h"
#include "trace_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { AWT_SHIFT = 1, AWT_CTRL = 2, AWT_META = 4, AWT_ALT = 8, AWT_HELD = 15 };
#define AWT_MIDDLE AWT_ALT
#define AWT_RIGHT AWT_META
enum { VK_SHIFT = 16, VK_CONTROL = 17, VK_ALT = 18, VK_META = 157 };
enum { KEY_PRESSED = 401, KEY_RELEASED = 402, MOUSE_PRESSED = 501, MOUSE_RELEASED = 502, MOUSE_MOVED = 503, MOUSE_DRAGGED = 506 };

static const struct {
	unsigned mask;
	int code;
	uint32_t keysym;
} held[] = { { AWT_CTRL, VK_CONTROL, 0xffe3 },
	     { AWT_SHIFT, VK_SHIFT, 0xffe1 },
	     { AWT_META, VK_META, 0xffe7 },
	     { AWT_ALT, VK_ALT, 0xffe9 } };
#define HELD (sizeof(held) / sizeof(*held))

/* --- key codes of AWT (java.awt.event.KeyEvent, VK_...) as keysyms --- */

#define AWT_UNDEFINED 0xffff /* CHAR_UNDEFINED: the key produces no character */

static const struct {
	int first, last; /* codes; their keysyms follow one another, too */
	uint32_t keysym;
} awt_keys[] = {
	{ 'A', 'Z', 'a' }, /* (Shift is a key event of its own) */
	{ '0', '9', '0' },
	{ ',', '/', ',' },
	{ ';', ';', ';' },
	{ '=', '=', '=' },
	{ '[', ']', '[' },
	{ 32, 32, ' ' },
	{ 96, 105, 0xffb0 },
	{ 106, 111, 0xffaa },
	{ 112, 123, 0xffbe },
	{ 61440, 61451, 0xffca }, /* keypad; F1 to F12; F13 to F24 */
	{ 3, 3, 0xff69 },
	{ 8, 9, 0xff08 },
	{ 10, 10, 0xff0d },
	{ 12, 12, 0xff0b },
	{ 16, 16, 0xffe1 },
	{ 17, 17, 0xffe3 },
	{ 18, 18, 0xffe9 },
	{ 19, 19, 0xff13 },
	{ 20, 20, 0xffe5 },
	{ 21, 21, 0xff2d },
	{ 25, 25, 0xff21 },
	{ 27, 27, 0xff1b },
	{ 28, 28, 0xff23 },
	{ 29, 29, 0xff22 },
	{ 31, 31, 0xff7e },
	{ 33, 35, 0xff55 },
	{ 36, 40, 0xff50 },
	{ 127, 127, 0xffff },
	{ 128, 143, 0xfe50 }, /* dead keys: grave to semivoiced sound */
	{ 144, 144, 0xff7f },
	{ 145, 145, 0xff14 },
	{ 150, 150, '&' },
	{ 151, 151, '*' },
	{ 152, 152, '"' },
	{ 153, 153, '<' },
	{ 154, 154, 0xff61 },
	{ 155, 155, 0xff63 },
	{ 156, 156, 0xff6a },
	{ 157, 157, 0xffe7 },
	{ 160, 160, '>' },
	{ 161, 161, '{' },
	{ 162, 162, '}' },
	{ 192, 192, '`' },
	{ 222, 222, '\'' },
	{ 224, 224, 0xff97 },
	{ 225, 225, 0xff99 },
	{ 226, 226, 0xff96 },
	{ 227, 227, 0xff98 }, /* arrows of the keypad */
	{ 240, 240, 0xff30 },
	{ 241, 241, 0xff26 },
	{ 242, 242, 0xff25 },
	{ 243, 244, 0xff28 },
	{ 245, 245, 0xff24 },
	{ 256, 257, 0xff3d },
	{ 258, 258, 0xff37 },
	{ 262, 262, 0xff2d },
	{ 512, 512, '@' },
	{ 513, 513, ':' },
	{ 514, 514, '^' },
	{ 515, 515, '$' },
	{ 516, 516, 0x20ac },
	{ 517, 517, '!' },
	{ 518, 518, 0xa1 },
	{ 519, 519, '(' },
	{ 520, 520, '#' },
	{ 521, 521, '+' },
	{ 522, 522, ')' },
	{ 523, 523, '_' },
	{ 524, 524, 0xffeb },
	{ 525, 525, 0xff67 },
	{ 65312, 65312, 0xff20 },
	{ 65368, 65368, 0xff58 },
	{ 65406, 65406, 0xfe03 },
	{ 65481, 65481, 0xff66 },
	{ 65483, 65483, 0xff65 },
	{ 65488, 65488, 0xff68 },
	/* Sun's keys: props, stop, copy, paste, cut */
	{ 65482, 65482, 0x1005ff70 },
	{ 65480, 65480, 0xff69 },
	{ 65485, 65485, 0x1005ff72 },
	{ 65487, 65487, 0x1005ff74 },
	{ 65489, 65489, 0x1005ff75 },
};

static uint32_t find_awt_keysym(int code)
{
	for (unsigned i = 0; i < sizeof(awt_keys) / sizeof(*awt_keys); i++)
		if (code >= awt_keys[i].first && code <= awt_keys[i].last)
			return awt_keys[i].keysym + (uint32_t)(code - awt_keys[i].first);
	return 0;
}

uint32_t trace_2005_keysym(int code, int character, bool control)
{
	if (!character || character == AWT_UNDEFINED)
		return find_awt_keysym(code);
	if (character < 0x20) {
		/* Backspace, Tab, Return and Escape, unless Ctrl and a letter produced them */
		if ((character == 8 || character == 9 || character == 10 || character == 0x1b) && (!control || code == character))
			return find_awt_keysym(character);
		return control ? (uint32_t)character + 0x60 : find_awt_keysym(code);
	}
	if (character == 0x7f)
		return 0xffff;
	if (character < 0x7f || (character >= 0xa0 && character <= 0xff))
		return (uint32_t)character;
	if (character < 0xa0)
		return find_awt_keysym(code);
	/* Java 1.1 on X passed some keysyms unchanged, and the VNCplay of 2005 as well, also of currencies */
	if (character >= 0xff00 || (character >= 0x20a0 && character <= 0x20af))
		return (uint32_t)character;
	return character >= 0xd800 && character < 0xe000 ? find_awt_keysym(code) : 0x01000000u | (uint32_t)character;
}

/* The values of a line. */
struct line_values {
	const char *type;
	int64_t id, modifiers, x, y, button, keycode, keychar, x0, y0, x1, y1;
	unsigned has;
};
static const struct {
	const char *key;
	size_t at;
} keys[] = {
#define KEY(name) \
	{ \
#name, offsetof(struct line_values, name) \
	}
	KEY(id), KEY(modifiers), KEY(x), KEY(y), KEY(button), KEY(keycode), KEY(keychar), KEY(x0), KEY(y0), KEY(x1), KEY(y1),
};
enum { HAS_ID, HAS_MODIFIERS, HAS_X, HAS_Y, HAS_BUTTON, HAS_KEYCODE, HAS_KEYCHAR, HAS_X0, HAS_Y0, HAS_X1, HAS_Y1, KEYS };

static int check_values(struct trace_line_reader *r, const struct line_values *t, unsigned first, unsigned last)
{
	for (unsigned i = first; i <= last; i++)
		if (!(t->has & 1u << i))
			return trace_lines_set_error(r, "no %s= in it", keys[i].key);
	return 0;
}

static int add_event(struct trace_line_reader *r, struct trace_2005_state *o, struct trace_event e)
{
	e.at_ns = o->at_ns;
	e.x = o->x;
	e.y = o->y;
	return trace_lines_add_event(r, &e);
}

/* Adds presses and releases of modifier keys until those in `want` are down. */
static int add_modifier_keys(struct trace_line_reader *r, struct trace_2005_state *o, unsigned want)
{
	int err = 0;

	for (size_t i = 0; i < HELD && !err; i++)
		if ((want ^ o->held) & held[i].mask)
			err = add_event(r, o,
					(struct trace_event){ .kind = want & held[i].mask ? TRACE_KEY_DOWN : TRACE_KEY_UP,
							      .keysym = held[i].keysym });
	o->held = want & AWT_HELD;
	return err;
}

int trace_2005_end(struct trace_line_reader *r, struct trace_2005_state *o)
{
	return add_modifier_keys(r, o, 0);
}

static int read_key_event(struct trace_line_reader *r, struct trace_2005_state *o, const struct line_values *t)
{
	bool down = t->id == KEY_PRESSED;
	int err = check_values(r, t, HAS_KEYCODE, HAS_KEYCHAR);
	uint32_t keysym;

	if (err || (t->id != KEY_PRESSED && t->id != KEY_RELEASED))
		return err;
	for (size_t i = 0; i < HELD; i++)
		if (t->keycode == held[i].code)
			return add_modifier_keys(r, o, down ? o->held | held[i].mask : o->held & ~held[i].mask);
	if (t->keycode < 0 || t->keycode > 0x1ffff || t->keychar < 0 || t->keychar > 0xffff)
		return trace_lines_set_error(r, "the key code is out of range");
	keysym = trace_2005_keysym((int)t->keycode, (int)t->keychar, (t->modifiers & AWT_CTRL) != 0);
	err = add_modifier_keys(r, o, t->has & 1u << HAS_MODIFIERS ? (unsigned)t->modifiers & AWT_HELD : o->held);
	return err || !keysym
		       ? err
		       : add_event(r, o, (struct trace_event){ .kind = down ? TRACE_KEY_DOWN : TRACE_KEY_UP, .keysym = keysym });
}

/* The button of an event: its number or, without one, the button that AWT's modifiers state. */
static int find_button(const struct line_values *t)
{
	if (t->button >= 1 && t->button <= 8)
		return (int)t->button;
	return t->modifiers & AWT_MIDDLE ? 2 : t->modifiers & AWT_RIGHT ? 3 : 1;
}

static int read_mouse_event(struct trace_line_reader *r, struct trace_2005_state *o, const struct line_values *t)
{
	bool press = t->id == MOUSE_PRESSED, release = t->id == MOUSE_RELEASED;
	unsigned modifiers = (unsigned)t->modifiers & AWT_HELD, buttons = o->buttons;
	int err = check_values(r, t, HAS_X, HAS_Y), button = find_button(t);

	if (err || (!press && !release && t->id != MOUSE_MOVED && t->id != MOUSE_DRAGGED))
		return err; /* other mouse events: the VNCplay of 2005 did not send them */
	if (t->x < -TRACE_SIDE_MOST || t->x > TRACE_SIDE_MOST || t->y < -TRACE_SIDE_MOST || t->y > TRACE_SIDE_MOST)
		return trace_lines_set_error(r, "the coordinates are out of range");
	o->x = t->x < 0 ? 0 : (int)t->x; /* (dragged beyond the edge) */
	o->y = t->y < 0 ? 0 : (int)t->y;
	if (press || release)
		buttons |= 1u << (button - 1);
	if (buttons & 2)
		modifiers &= ~(unsigned)AWT_MIDDLE;
	if (buttons & 4)
		modifiers &= ~(unsigned)AWT_RIGHT;
	if (buttons && t->has & 1u << HAS_MODIFIERS) /* (a move without a button needs no modifier keys) */
		err = add_modifier_keys(r, o, modifiers);
	if (err)
		return err;
	if (!press && !release)
		return add_event(r, o, (struct trace_event){ .kind = TRACE_MOVE });
	o->buttons = press ? buttons : buttons & ~(1u << (button - 1));
	return add_event(r, o, (struct trace_event){ .kind = press ? TRACE_PRESS : TRACE_RELEASE, .button = button });
}

/* Reads a pixel "pxXpyY=ARGB"; ARGB is a signed 32-bit number. */
static int read_pixel(struct trace_line_reader *r, char *key, const char *value, struct trace_event *e, size_t *n)
{
	char *y = strstr(key, "y"), *px = key + 2;
	int64_t at_x, at_y, argb;
	uint32_t *p;

	if (!y || y == px)
		return 0; /* not a pixel */
	*y++ = '\0';
	if (cli_parse_int(px, &at_x) || cli_parse_int(y, &at_y) || cli_parse_int(value, &argb) || argb < INT32_MIN ||
	    argb > (int64_t)UINT32_MAX)
		return trace_lines_set_error(r, "a pixel is not of the form pxXpyY=ARGB");
	at_x -= e->box.x;
	at_y -= e->box.y;
	if (at_x < 0 || at_y < 0 || at_x >= e->box.w || at_y >= e->box.h)
		return trace_lines_set_error(r, "a pixel outside of its snapshot");
	p = &e->pixels[at_y * e->box.w + at_x];
	*n += *p == TRACE_ANY;
	*p = (uint32_t)argb & 0xffffff;
	return 0;
}

/* Reads a snapshot. `pixels`: a copy of the line from its second word on. */
static int read_snapshot(struct trace_line_reader *r, struct trace_2005_state *o, const struct line_values *t, char *pixels)
{
	struct trace_event e = { .kind = TRACE_SNAPSHOT, .why = TRACE_FOR_CLICK };
	char *rest = NULL;
	size_t n = 0;
	int err = check_values(r, t, HAS_X0, HAS_Y1);

	if (err)
		return err;
	if (t->x0 < 0 || t->y0 < 0 || t->x1 < t->x0 || t->y1 < t->y0 || t->x1 >= SCREEN_SIDE_MOST || t->y1 >= SCREEN_SIDE_MOST)
		return trace_lines_set_error(r, "a snapshot from %lld,%lld to %lld,%lld", (long long)t->x0, (long long)t->y0,
					     (long long)t->x1, (long long)t->y1);
	e.box = (struct box){ (int)t->x0, (int)t->y0, (int)(t->x1 - t->x0) + 1, (int)(t->y1 - t->y0) + 1 };
	e.pixels = trace_lines_alloc(r, e.box, &err);
	if (!e.pixels)
		return err;
	for (char *word = strtok_r(pixels, " \t", &rest); word && !err; word = strtok_r(NULL, " \t", &rest)) {
		char *value = strchr(word, '=');

		if (!strncmp(word, "px", 2) && value) {
			*value++ = '\0';
			err = read_pixel(r, word, value, &e, &n);
		}
	}
	if (!err && n != (size_t)e.box.w * (size_t)e.box.h)
		err = trace_lines_set_error(r, "a snapshot of %dx%d with %zu pixels", e.box.w, e.box.h, n);
	if (!err)
		return add_event(r, o, e);
	free(e.pixels);
	return err;
}

static int read_values(struct trace_line_reader *r, struct line_values *t, char *text)
{
	char *rest = NULL;

	for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		char *value = strchr(word, '=');

		if (!value)
			return trace_lines_set_error(r, "\"%.20s\" is no key=value", word);
		*value++ = '\0';
		if (!strcmp(word, "type"))
			t->type = value;
		for (unsigned i = 0; i < KEYS; i++) {
			if (strcmp(word, keys[i].key) != 0)
				continue;
			if (cli_parse_int(value, (int64_t *)((char *)t + keys[i].at)))
				return trace_lines_set_error(r, "%s=%.20s is not a whole number", word, value);
			t->has |= 1u << i;
		}
	}
	return t->type ? 0 : trace_lines_set_error(r, "no type= in it");
}

int trace_2005_read_line(struct trace_line_reader *r, struct trace_2005_state *o, char *text)
{
	char *rest = NULL, *delay = strtok_r(text, " \t", &rest), *again = NULL;
	struct line_values t = { 0 };
	int64_t ms;
	int err;

	if (!delay)
		return 0;
	if (cli_parse_int(delay, &ms) || ms > TRACE_AT_MOST_NS / NS_PER_MS || ms < -TRACE_AT_MOST_NS / NS_PER_MS)
		return trace_lines_set_error(r, "\"%.20s\" is not a delay in milliseconds", delay);
	if (ms > 0) /* (negative: the clock was set back while recording) */
		o->at_ns += ms * NS_PER_MS;
	if (o->at_ns > TRACE_AT_MOST_NS)
		return trace_lines_set_error(r, "later than any recording lasts");
	if (strstr(rest, "type=sync")) {
		again = strdup(rest);
		if (!again)
			return -ENOMEM;
	}
	err = read_values(r, &t, rest);
	if (!err && !strcmp(t.type, "sync"))
		err = again ? read_snapshot(r, o, &t, again) : 0;
	else if (!err && !strcmp(t.type, "java.awt.event.MouseEvent"))
		err = check_values(r, &t, HAS_ID, HAS_ID) ?: read_mouse_event(r, o, &t);
	else if (!err && !strcmp(t.type, "java.awt.event.KeyEvent"))
		err = check_values(r, &t, HAS_ID, HAS_ID) ?: read_key_event(r, o, &t);
	/* other types: the VNCplay of 2005 ignored them */
	free(again);
	return err;
}
