// SPDX-License-Identifier: GPL-3.0-or-later
#include "input_script.h"
#include "act.h"
#include "array.h"
#include "cli.h"
#include "clock.h"
#include "vncplay/common/trace.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MOST 1000000
#define BLANK " \t\r\n"
#define MOVE_STEP_MS 20	     /* interval between two steps of a movement, as viewers send them */
#define MOVE_LEAST_MS 120    /* shortest duration of a movement by hand */
#define MOVE_PIXELS_A_MS 1.5 /* speed of a movement by hand, pixels per millisecond */
#define MOVE_MOST_MS 600
#define REST_MS 60   /* pause between a movement and a press */
#define PRESS_MS 60  /* how long a button is down */
#define AGAIN_MS 110 /* pause between two clicks of a double click */
#define KEY_MS 40    /* how long a key is down */
#define HELD_MS 20   /* pause between a modifier key and the next key */
#define TYPE_MS 100

struct input_script_reader {
	struct input_script *h;
	int line, width, height;
	int x, y;	   /* the pointer; -1: not known */
	const char *wrong; /* the error in the line */
};

static int add_script_step(struct input_script_reader *r, double after_ms, struct input_script_step step)
{
	struct input_script *h = r->h;

	if (h->n == STEPS_MOST)
		return -E2BIG;
	if (array_room(&h->steps, h->n))
		return -ENOMEM;
	step.after_ns = (int64_t)(after_ms * NS_PER_MS);
	step.line = r->line;
	h->steps[h->n++] = step;
	return 0;
}

static int reject_line(struct input_script_reader *r, const char *what)
{
	r->wrong = what;
	return -EINVAL;
}

static char *next_word(char **rest)
{
	return strtok_r(NULL, BLANK, rest);
}

static bool parse_milliseconds(const char *text, double *ms)
{
	return text && !cli_parse_real(text, ms) && *ms >= 0 && *ms <= 86400e3;
}

/* Reads "X,Y" or "X Y". */
static bool read_script_place(struct input_script_reader *r, char **rest, int *x, int *y)
{
	char *first = next_word(rest), *comma = first ? strchr(first, ',') : NULL, *second = comma ? comma + 1 : next_word(rest);
	int64_t at[2];

	if (comma)
		*comma = '\0';
	if (!first || !second || cli_parse_int(first, &at[0]) || cli_parse_int(second, &at[1]))
		return reject_line(r, "a place such as 320,200 is expected"), false;
	if (at[0] < 0 || at[1] < 0 || at[0] >= r->width || at[1] >= r->height)
		return reject_line(r, "the place is not on the screen"), false;
	*x = (int)at[0];
	*y = (int)at[1];
	return true;
}

/* Adds the steps of a movement that takes `ms` (negative: as long as a hand would), slower at both ends. */
static int add_move_steps(struct input_script_reader *r, int x, int y, double ms)
{
	double dx = x - r->x, dy = y - r->y, away = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
	int steps, err = 0;

	if (ms < 0) {
		ms = r->x < 0 || !(away > 0) ? 0 : MOVE_LEAST_MS + away / MOVE_PIXELS_A_MS;
		ms = ms > MOVE_MOST_MS ? MOVE_MOST_MS : ms;
	}
	if (r->x < 0 && ms > 0)
		return reject_line(r, "over: the pointer has no place yet to start from");
	steps = (int)(ms / MOVE_STEP_MS) + (ms > 0);
	for (int i = 1; i < steps && !err; i++) {
		double part = (double)i / steps, way = part * part * (3 - 2 * part);

		err = add_script_step(r, ms / steps,
				      (struct input_script_step){ .kind = SCRIPT_MOVE,
								  .x = (int)(r->x + way * dx + 0.5),
								  .y = (int)(r->y + way * dy + 0.5) });
	}
	r->x = x;
	r->y = y;
	return err ? err
		   : add_script_step(r, steps ? ms / steps : 0, (struct input_script_step){ .kind = SCRIPT_MOVE, .x = x, .y = y });
}

static int add_button_step(struct input_script_reader *r, double after_ms, int button, bool down)
{
	return add_script_step(r, after_ms, (struct input_script_step){ .kind = SCRIPT_BUTTON, .button = button, .down = down });
}

/* Pauses: before the first press, before each further one, and how long the button is down. */
static int add_click_steps(struct input_script_reader *r, int button, int64_t times, double first_ms, double again_ms,
			   double press_ms)
{
	int err = 0;

	for (int64_t i = 0; i < times && !err; i++) {
		err = add_button_step(r, i ? again_ms : first_ms, button, true);
		if (!err)
			err = add_button_step(r, press_ms, button, false);
	}
	return err;
}

/* Reads "over MS", "button B" and "N [times]" in any order; NULL: that word is not allowed. */
static int read_action_options(struct input_script_reader *r, char **rest, double *over, int *button, int64_t *times)
{
	char *w;

	while ((w = next_word(rest))) {
		struct input_act act;

		if (over && !strcmp(w, "over")) {
			if (!parse_milliseconds(next_word(rest), over))
				return reject_line(r, "over: milliseconds are expected");
		} else if (button && !strcmp(w, "button")) {
			w = next_word(rest);
			if (!w || act_parse_button(w, "click", &act))
				return reject_line(r, "button: a number from 1 to 8 is expected");
			*button = act.button;
		} else if (times && isdigit((unsigned char)*w)) {
			if (cli_parse_int(w, times) || *times < 1 || *times > 1000)
				return reject_line(r, "1 to 1000 times");
		} else if (!times || strcmp(w, "times") != 0) {
			return reject_line(r, "something follows that does not belong there");
		}
	}
	return 0;
}

static int read_script_move(struct input_script_reader *r, char *rest)
{
	double over = -1;
	int x, y, err;

	if (!read_script_place(r, &rest, &x, &y))
		return -EINVAL;
	err = read_action_options(r, &rest, &over, NULL, NULL);
	return err ? err : add_move_steps(r, x, y, over);
}

static int read_script_click(struct input_script_reader *r, char *rest)
{
	int64_t times = 1;
	int x, y, button = 1, err;

	if (!read_script_place(r, &rest, &x, &y))
		return -EINVAL;
	err = read_action_options(r, &rest, NULL, &button, &times);
	if (!err && (x != r->x || y != r->y))
		err = add_move_steps(r, x, y, -1);
	return err ? err : add_click_steps(r, button, times, REST_MS, AGAIN_MS, PRESS_MS);
}

static int read_script_drag(struct input_script_reader *r, char *rest)
{
	double over = -1;
	int x, y, to_x, to_y, button = 1, err;

	if (!read_script_place(r, &rest, &x, &y) || !read_script_place(r, &rest, &to_x, &to_y))
		return -EINVAL;
	err = read_action_options(r, &rest, &over, &button, NULL);
	if (!err && (x != r->x || y != r->y))
		err = add_move_steps(r, x, y, -1);
	if (!err)
		err = add_button_step(r, REST_MS, button, true);
	if (!err)
		err = add_script_step(r, REST_MS, (struct input_script_step){ .kind = SCRIPT_MOVE, .x = x, .y = y });
	if (!err)
		err = add_move_steps(r, to_x, to_y, over);
	return err ? err : add_button_step(r, REST_MS, button, false);
}

static int read_script_button(struct input_script_reader *r, char *rest)
{
	char *number = next_word(&rest), *way = next_word(&rest);
	struct input_act act;

	if (!number || !way || next_word(&rest) || act_parse_button(number, way, &act))
		return reject_line(r, "button: N down, N up or N click is expected");
	if (r->x < 0)
		return reject_line(r, "button: the pointer has no place yet (move X,Y)");
	return act.way == ACT_CLICK ? add_click_steps(r, act.button, 1, 0, 0, PRESS_MS)
				    : add_button_step(r, 0, act.button, act.way == ACT_DOWN);
}

static int read_script_scroll(struct input_script_reader *r, char *rest)
{
	static const char *const ways[] = { "up", "down", "left", "right", NULL };
	char *way = next_word(&rest);
	int64_t times = 1;
	int i = trace_find_word(ways, way), err;

	if (i < 0)
		return reject_line(r, "scroll: up, down, left or right is expected");
	if (r->x < 0)
		return reject_line(r, "scroll: the pointer has no place yet (move X,Y)");
	err = read_action_options(r, &rest, NULL, NULL, &times);
	return err ? err : add_click_steps(r, 4 + i, times, 0, KEY_MS, KEY_MS / 2);
}

static int add_key_step(struct input_script_reader *r, double after_ms, uint32_t keysym, bool down)
{
	return add_script_step(r, after_ms, (struct input_script_step){ .kind = SCRIPT_KEY, .keysym = keysym, .down = down });
}

static int add_keystroke_steps(struct input_script_reader *r, const struct input_act *act, double first_ms)
{
	static const struct {
		unsigned held;
		uint32_t keysym;
	} held[] = { { ACT_CTRL, 0xffe3 }, { ACT_ALT, 0xffe9 }, { ACT_SHIFT, 0xffe1 } };
	int err = 0;

	for (int i = 0; i < 3 && !err; i++) {
		if (!(act->held & held[i].held))
			continue;
		err = add_key_step(r, first_ms, held[i].keysym, true);
		first_ms = HELD_MS;
	}
	if (!err)
		err = add_key_step(r, first_ms, act->keysym, true);
	if (!err)
		err = add_key_step(r, KEY_MS, act->keysym, false);
	for (int i = 2; i >= 0 && !err; i--)
		if (act->held & held[i].held)
			err = add_key_step(r, HELD_MS, held[i].keysym, false);
	return err;
}

/* Reads "[MS] TEXT". One blank separates them; all other blanks belong to the text. */
static int read_script_typing(struct input_script_reader *r, char *text)
{
	double gap = TYPE_MS, ms;
	bool first = true;
	char *end;
	int err = 0;

	text += strspn(text, " \t");
	text[strcspn(text, "\r\n")] = '\0';
	end = text + strcspn(text, " \t");
	if (*end && isdigit((unsigned char)*text)) {
		char was = *end;

		*end = '\0';
		if (parse_milliseconds(text, &ms)) {
			gap = ms;
			text = end + 1;
		} else {
			*end = was;
		}
	}
	if (!*text)
		return reject_line(r, "type: a text is expected");
	for (const char *rest = text; *rest && !err; first = false) {
		struct input_act act;

		if (act_parse_character(&rest, &act))
			return reject_line(r, "type: not a character (UTF-8)");
		err = add_keystroke_steps(r, &act, first ? 0 : gap > KEY_MS ? gap - KEY_MS : 0);
	}
	return err;
}

static int read_script_key(struct input_script_reader *r, const char *name, char *rest, const char *way)
{
	struct input_act act;

	if (!name || next_word(&rest) || act_parse_key(name, &act) || (way && act.held))
		return reject_line(r, "neither a key nor a word of a script");
	return way ? add_key_step(r, 0, act.keysym, *way == 'd') : add_keystroke_steps(r, &act, 0);
}

static int read_script_quiet(struct input_script_reader *r, char *rest)
{
	char *time = next_word(&rest);
	int64_t ns = 500 * NS_PER_MS;

	if ((time && (cli_parse_ns(time, &ns) || ns < NS_PER_MS || ns > SCRIPT_QUIET_MOST_NS)) || next_word(&rest))
		return reject_line(r, "quiet: a time up to 10s is expected");
	return add_script_step(r, (double)ns / NS_PER_MS, (struct input_script_step){ .kind = SCRIPT_QUIET });
}

static int read_script_pause(struct input_script_reader *r, char *rest)
{
	char *time = next_word(&rest);
	int64_t ns;

	if (!time || cli_parse_ns(time, &ns) || ns < 0 || ns > NS_PER_DAY || next_word(&rest))
		return reject_line(r, "pause: a time such as 500ms is expected");
	return add_script_step(r, (double)ns / NS_PER_MS, (struct input_script_step){ .kind = SCRIPT_LINE });
}

static int parse_script_line(struct input_script_reader *r, char *text)
{
	static const struct {
		const char *word;
		int (*read)(struct input_script_reader *r, char *rest);
	} words[] = { { "move", read_script_move },   { "button", read_script_button }, { "click", read_script_click },
		      { "drag", read_script_drag },   { "scroll", read_script_scroll }, { "type", read_script_typing },
		      { "pause", read_script_pause }, { "quiet", read_script_quiet } };
	char none[] = "", *rest = none, *what = strtok_r(text, BLANK, &rest), *start;
	double delay = 0;
	int err;

	/* A number alone is a key; before another word it is a delay. */
	start = rest ? rest + strspn(rest, BLANK) : none;
	if (isdigit((unsigned char)*what) && *start && parse_milliseconds(what, &delay))
		what = next_word(&rest);
	err = add_script_step(r, delay, (struct input_script_step){ .kind = SCRIPT_LINE });
	if (err)
		return err;
	if (!rest)
		rest = none;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(what, words[i].word))
			return words[i].read(r, rest);
	if (!strcmp(what, "down") || !strcmp(what, "up")) {
		const char *name = next_word(&rest);

		return read_script_key(r, name, rest, what);
	}
	return read_script_key(r, what, rest, NULL);
}

int input_script_read(FILE *in, int width, int height, struct input_script *h, struct why *why)
{
	struct input_script_reader r = { .h = h, .width = width, .height = height, .x = -1, .y = -1 };
	char *text = NULL;
	size_t room = 0;
	ssize_t n;
	int err = 0;

	*h = (struct input_script){ 0 };
	errno = 0;
	for (r.line = 1; !err && (n = getline(&text, &room, in)) >= 0; r.line++) {
		const char *first = text + strspn(text, BLANK);

		if (!*first || *first == '#')
			continue;
		err = strlen(text) == (size_t)n ? parse_script_line(&r, text) : reject_line(&r, "a zero byte");
		if (err)
			break;
	}
	if (!err && ferror(in))
		err = errno ? -errno : -EIO;
	if (err == -EINVAL)
		why_say(why, "line %d: %s", r.line, r.wrong);
	free(text);
	return err;
}

void input_script_free(struct input_script *h)
{
	free(h->steps);
	*h = (struct input_script){ 0 };
}
