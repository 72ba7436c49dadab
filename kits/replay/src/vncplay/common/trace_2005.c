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

/* The value of a key in " key=value key=value": it ends before the next blank; NULL: it is not there. */
static const char *find_value(const char *line, const char *key)
{
	size_t n = strlen(key);

	while ((line = strchr(line, ' ')))
		if (!strncmp(++line, key, n) && line[n] == '=')
			return line + n + 1;
	return NULL;
}

/* Copies the word at `text`, as much as fits: no number is longer. */
static const char *copy_word(const char *text, char word[32])
{
	snprintf(word, 32, "%.*s", (int)strcspn(text, " "), text);
	return word;
}

/* Reads the number of an optional key; *out is 0 if the line lacks the key. */
static int read_optional(struct trace_line_reader *r, const char *line, const char *key, int64_t *out)
{
	const char *text = find_value(line, key);
	char word[32];

	*out = 0;
	return !text || !cli_parse_int(copy_word(text, word), out)
		       ? 0
		       : trace_lines_set_error(r, "%s=%.20s is not a whole number", key, word);
}

static int read_number(struct trace_line_reader *r, const char *line, const char *key, int64_t *out)
{
	return find_value(line, key) ? read_optional(r, line, key, out) : trace_lines_set_error(r, "no %s= in it", key);
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

static int read_key_event(struct trace_line_reader *r, struct trace_2005_state *o, const char *line)
{
	int64_t id, code, character, modifiers;
	int err = read_number(r, line, "id", &id) ?: read_number(r, line, "keycode", &code)
		       ?: read_number(r, line, "keychar", &character) ?: read_optional(r, line, "modifiers", &modifiers);
	bool down = !err && id == KEY_PRESSED;
	uint32_t keysym;

	if (err || (id != KEY_PRESSED && id != KEY_RELEASED))
		return err;
	for (size_t i = 0; i < HELD; i++)
		if (code == held[i].code)
			return add_modifier_keys(r, o, down ? o->held | held[i].mask : o->held & ~held[i].mask);
	if (code < 0 || code > 0x1ffff || character < 0 || character > 0xffff)
		return trace_lines_set_error(r, "the key code is out of range");
	keysym = trace_2005_keysym((int)code, (int)character, (modifiers & AWT_CTRL) != 0);
	err = add_modifier_keys(r, o, find_value(line, "modifiers") ? (unsigned)modifiers & AWT_HELD : o->held);
	return err || !keysym
		       ? err
		       : add_event(r, o, (struct trace_event){ .kind = down ? TRACE_KEY_DOWN : TRACE_KEY_UP, .keysym = keysym });
}

static int read_mouse_event(struct trace_line_reader *r, struct trace_2005_state *o, const char *line)
{
	int64_t id, x, y, given, number;
	int err = read_number(r, line, "id", &id) ?: read_number(r, line, "x", &x) ?: read_number(r, line, "y", &y)
		       ?: read_optional(r, line, "modifiers", &given) ?: read_optional(r, line, "button", &number);
	bool press = !err && id == MOUSE_PRESSED, release = !err && id == MOUSE_RELEASED;
	unsigned modifiers, buttons = o->buttons;
	int button;

	if (err || (!press && !release && id != MOUSE_MOVED && id != MOUSE_DRAGGED))
		return err; /* other mouse events: the VNCplay of 2005 did not send them */
	if (x < -TRACE_SIDE_MOST || x > TRACE_SIDE_MOST || y < -TRACE_SIDE_MOST || y > TRACE_SIDE_MOST)
		return trace_lines_set_error(r, "the coordinates are out of range");
	o->x = x < 0 ? 0 : (int)x; /* (dragged beyond the edge) */
	o->y = y < 0 ? 0 : (int)y;
	/* without a number of the button, AWT's modifiers state it */
	button = number >= 1 && number <= 8 ? (int)number : given & AWT_MIDDLE ? 2 : given & AWT_RIGHT ? 3 : 1;
	if (press || release)
		buttons |= 1u << (button - 1);
	modifiers = (unsigned)given & AWT_HELD & ~(buttons & 2 ? AWT_MIDDLE : 0u) & ~(buttons & 4 ? AWT_RIGHT : 0u);
	if (buttons && find_value(line, "modifiers")) /* (a move without a button needs no modifier keys) */
		err = add_modifier_keys(r, o, modifiers);
	if (err)
		return err;
	if (!press && !release)
		return add_event(r, o, (struct trace_event){ .kind = TRACE_MOVE });
	o->buttons = press ? buttons : buttons & ~(1u << (button - 1));
	return add_event(r, o, (struct trace_event){ .kind = press ? TRACE_PRESS : TRACE_RELEASE, .button = button });
}

/* Reads a pixel "pxXyY=ARGB"; ARGB is a signed 32-bit number. */
static int read_pixel(struct trace_line_reader *r, const char *text, struct trace_event *e, size_t *n)
{
	long long x, y, argb;
	char word[32], more;
	uint32_t *p;

	if (sscanf(copy_word(text, word), "px%lldy%lld=%lld%c", &x, &y, &argb, &more) != 3 || argb < INT32_MIN ||
	    argb > (int64_t)UINT32_MAX)
		return trace_lines_set_error(r, "a pixel is not of the form pxXyY=ARGB");
	if (x < e->box.x || y < e->box.y || x >= e->box.x + e->box.w || y >= e->box.y + e->box.h)
		return trace_lines_set_error(r, "a pixel outside of its snapshot");
	p = &e->pixels[(y - e->box.y) * e->box.w + x - e->box.x];
	*n += *p == TRACE_ANY;
	*p = (uint32_t)argb & 0xffffff;
	return 0;
}

static int read_snapshot(struct trace_line_reader *r, struct trace_2005_state *o, const char *line)
{
	struct trace_event e = { .kind = TRACE_SNAPSHOT, .why = TRACE_FOR_CLICK };
	int64_t x0, y0, x1, y1;
	size_t n = 0;
	int err = read_number(r, line, "x0", &x0) ?: read_number(r, line, "y0", &y0) ?: read_number(r, line, "x1", &x1)
		       ?: read_number(r, line, "y1", &y1);

	if (err)
		return err;
	if (x0 < 0 || y0 < 0 || x1 < x0 || y1 < y0 || x1 >= SCREEN_SIDE_MOST || y1 >= SCREEN_SIDE_MOST)
		return trace_lines_set_error(r, "a snapshot from %lld,%lld to %lld,%lld", (long long)x0, (long long)y0,
					     (long long)x1, (long long)y1);
	e.box = (struct pixel_area){ (int)x0, (int)y0, (int)(x1 - x0) + 1, (int)(y1 - y0) + 1 };
	err = trace_lines_alloc(r, &e);
	if (err)
		return err;
	while (!err && (line = strstr(line, " px")))
		err = read_pixel(r, ++line, &e, &n);
	if (!err && n != (size_t)e.box.w * (size_t)e.box.h)
		err = trace_lines_set_error(r, "a snapshot of %dx%d with %zu pixels", e.box.w, e.box.h, n);
	if (!err)
		return add_event(r, o, e);
	free(e.pixels);
	return err;
}

static int check_word_syntax(struct trace_line_reader *r, const char *line)
{
	for (size_t n; *(line += strspn(line, " ")); line += n) {
		n = strcspn(line, " ");
		if (!memchr(line, '=', n))
			return trace_lines_set_error(r, "\"%.*s\" is no key=value", (int)(n < 20 ? n : 20), line);
	}
	return 0;
}

int trace_2005_read_line(struct trace_line_reader *r, struct trace_2005_state *o, char *text)
{
	char delay[32], type[32];
	const char *line;
	int64_t ms;
	int err;

	for (char *tab = text; (tab = strchr(tab, '\t'));)
		*tab = ' ';
	text += strspn(text, " ");
	if (!*text)
		return 0;
	line = text + strcspn(text, " ");
	if (cli_parse_int(copy_word(text, delay), &ms) || ms > TRACE_AT_MOST_NS / NS_PER_MS || ms < -TRACE_AT_MOST_NS / NS_PER_MS)
		return trace_lines_set_error(r, "\"%.20s\" is not a delay in milliseconds", delay);
	if (ms > 0) /* (negative: the clock was set back while recording) */
		o->at_ns += ms * NS_PER_MS;
	if (o->at_ns > TRACE_AT_MOST_NS)
		return trace_lines_set_error(r, "later than any recording lasts");
	err = check_word_syntax(r, line);
	if (!err && !find_value(line, "type"))
		err = trace_lines_set_error(r, "no type= in it");
	if (err)
		return err;
	copy_word(find_value(line, "type"), type);
	return !strcmp(type, "sync")			    ? read_snapshot(r, o, line)
	       : !strcmp(type, "java.awt.event.MouseEvent") ? read_mouse_event(r, o, line)
	       : !strcmp(type, "java.awt.event.KeyEvent")   ? read_key_event(r, o, line)
							    : 0; /* the VNCplay of 2005 ignored other types */
}
