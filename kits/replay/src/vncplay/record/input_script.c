// SPDX-License-Identifier: GPL-3.0-or-later
#include "input_script.h"
#include "act.h"
#include "cli.h"
#include "clock.h"
#include "lines.h"
#include "memory.h"

#include <ctype.h>
#include <errno.h>

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
	const char *wrong; /* the first error in the line; steps are of no use from then on */
};

static void reject_line(struct input_script_reader *r, const char *what)
{
	r->wrong = r->wrong ? r->wrong : what;
}

static void add_step(struct input_script_reader *r, double after_ms, struct input_script_step step)
{
	struct input_script *h = r->h;

	if (h->n == STEPS_MOST) {
		reject_line(r, "the script is too long");
		return;
	}
	memory_more(h->steps, (size_t)h->n);
	step.after_ns = (int64_t)(after_ms * NS_PER_MS);
	step.line = r->line;
	h->steps[h->n++] = step;
}

static void add_place_step(struct input_script_reader *r, double after_ms, int x, int y)
{
	add_step(r, after_ms, (struct input_script_step){ .kind = SCRIPT_MOVE, .x = x, .y = y });
}

static void add_button_step(struct input_script_reader *r, double after_ms, int button, bool down)
{
	add_step(r, after_ms, (struct input_script_step){ .kind = SCRIPT_BUTTON, .button = button, .down = down });
}

static void add_key_step(struct input_script_reader *r, double after_ms, uint32_t keysym, bool down)
{
	add_step(r, after_ms, (struct input_script_step){ .kind = SCRIPT_KEY, .keysym = keysym, .down = down });
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
static void read_script_place(struct input_script_reader *r, char **rest, int *x, int *y)
{
	char *first = next_word(rest), *comma = first ? strchr(first, ',') : NULL, *second = comma ? comma + 1 : next_word(rest);
	int64_t at[2] = { 0, 0 };

	if (comma)
		*comma = '\0';
	if (!first || !second || cli_parse_int(first, &at[0]) || cli_parse_int(second, &at[1]))
		reject_line(r, "a place such as 320,200 is expected");
	else if (at[0] < 0 || at[1] < 0 || at[0] >= r->width || at[1] >= r->height)
		reject_line(r, "the place is not on the screen");
	*x = (int)at[0];
	*y = (int)at[1];
}

/* Adds the steps of a movement that takes `ms` (negative: as long as a hand would), slower at both ends. */
static void add_move_steps(struct input_script_reader *r, int x, int y, double ms)
{
	double dx = x - r->x, dy = y - r->y, away = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
	int steps;

	if (ms < 0) {
		ms = r->x < 0 || !(away > 0) ? 0 : MOVE_LEAST_MS + away / MOVE_PIXELS_A_MS;
		ms = ms > MOVE_MOST_MS ? MOVE_MOST_MS : ms;
	}
	if (r->x < 0 && ms > 0)
		reject_line(r, "over: the pointer has no place yet to start from");
	steps = (int)(ms / MOVE_STEP_MS) + (ms > 0);
	for (int i = 1; i < steps && !r->wrong; i++) {
		double part = (double)i / steps, way = part * part * (3 - 2 * part);

		add_place_step(r, ms / steps, (int)(r->x + way * dx + 0.5), (int)(r->y + way * dy + 0.5));
	}
	r->x = x;
	r->y = y;
	add_place_step(r, steps ? ms / steps : 0, x, y);
}

/* Pauses: before the first press, before each further one, and how long the button is down. */
static void add_click_steps(struct input_script_reader *r, int button, int64_t times, double first_ms, double again_ms,
			    double press_ms)
{
	for (int64_t i = 0; i < times; i++) {
		add_button_step(r, i ? again_ms : first_ms, button, true);
		add_button_step(r, press_ms, button, false);
	}
}

/* Reads "over MS", "button B" and "N [times]" in any order; NULL: that word is not allowed. */
static void read_action_options(struct input_script_reader *r, char **rest, double *over, int *button, int64_t *times)
{
	char *w;

	while ((w = next_word(rest))) {
		struct input_act act;

		if (over && !strcmp(w, "over")) {
			if (!parse_milliseconds(next_word(rest), over))
				reject_line(r, "over: milliseconds are expected");
		} else if (button && !strcmp(w, "button")) {
			w = next_word(rest);
			if (!w || act_parse_button(w, "click", &act))
				reject_line(r, "button: a number from 1 to 8 is expected");
			else
				*button = act.button;
		} else if (times && isdigit((unsigned char)*w)) {
			if (cli_parse_int(w, times) || *times < 1 || *times > 1000)
				reject_line(r, "1 to 1000 times");
		} else if (!times || strcmp(w, "times") != 0) {
			reject_line(r, "something follows that does not belong there");
		}
		if (r->wrong)
			return;
	}
}

static void read_script_move(struct input_script_reader *r, char *rest)
{
	double over = -1;
	int x, y;

	read_script_place(r, &rest, &x, &y);
	read_action_options(r, &rest, &over, NULL, NULL);
	add_move_steps(r, x, y, over);
}

static void read_script_click(struct input_script_reader *r, char *rest)
{
	int64_t times = 1;
	int x, y, button = 1;

	read_script_place(r, &rest, &x, &y);
	read_action_options(r, &rest, NULL, &button, &times);
	if (r->wrong)
		return;
	if (x != r->x || y != r->y)
		add_move_steps(r, x, y, -1);
	add_click_steps(r, button, times, REST_MS, AGAIN_MS, PRESS_MS);
}

static void read_script_drag(struct input_script_reader *r, char *rest)
{
	double over = -1;
	int x, y, to_x, to_y, button = 1;

	read_script_place(r, &rest, &x, &y);
	read_script_place(r, &rest, &to_x, &to_y);
	read_action_options(r, &rest, &over, &button, NULL);
	if (x != r->x || y != r->y)
		add_move_steps(r, x, y, -1);
	add_button_step(r, REST_MS, button, true);
	add_place_step(r, REST_MS, x, y);
	add_move_steps(r, to_x, to_y, over);
	add_button_step(r, REST_MS, button, false);
}

static void read_script_button(struct input_script_reader *r, char *rest)
{
	char *number = next_word(&rest), *way = next_word(&rest);
	struct input_act act;

	if (!number || !way || next_word(&rest) || act_parse_button(number, way, &act))
		reject_line(r, "button: N down, N up or N click is expected");
	else if (r->x < 0)
		reject_line(r, "button: the pointer has no place yet (move X,Y)");
	else if (act.way == ACT_CLICK)
		add_click_steps(r, act.button, 1, 0, 0, PRESS_MS);
	else
		add_button_step(r, 0, act.button, act.way == ACT_DOWN);
}

static void read_script_scroll(struct input_script_reader *r, char *rest)
{
	static const char *const ways[] = { "up", "down", "left", "right", NULL };
	int64_t times = 1;
	int i = find_word(ways, next_word(&rest));

	if (i < 0)
		reject_line(r, "scroll: up, down, left or right is expected");
	if (r->x < 0)
		reject_line(r, "scroll: the pointer has no place yet (move X,Y)");
	read_action_options(r, &rest, NULL, NULL, &times);
	if (!r->wrong)
		add_click_steps(r, 4 + i, times, 0, KEY_MS, KEY_MS / 2);
}

static void add_keystroke_steps(struct input_script_reader *r, const struct input_act *act, double first_ms)
{
	uint32_t keysym[ACT_KEYSYMS];
	int n = act_list_keysyms(act, keysym);

	for (int i = 0; i < n; i++)
		add_key_step(r, i ? HELD_MS : first_ms, keysym[i], true);
	for (int i = n - 1; i >= 0; i--)
		add_key_step(r, i == n - 1 ? KEY_MS : HELD_MS, keysym[i], false);
}

/* Reads "[MS] TEXT". One blank separates them; all other blanks belong to the text. */
static void read_script_typing(struct input_script_reader *r, char *text)
{
	double gap = TYPE_MS, ms;
	bool first = true;
	char *end;

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
		reject_line(r, "type: a text is expected");
	for (const char *rest = text; *rest && !r->wrong; first = false) {
		struct input_act act;

		if (act_parse_character(&rest, &act))
			reject_line(r, "type: not a character (UTF-8)");
		else
			add_keystroke_steps(r, &act, first ? 0 : gap > KEY_MS ? gap - KEY_MS : 0);
	}
}

static void read_script_key(struct input_script_reader *r, const char *name, char *rest, const char *way)
{
	struct input_act act;

	if (!name || next_word(&rest) || act_parse_key(name, &act) || (way && act.held))
		reject_line(r, "neither a key nor a word of a script");
	else if (way)
		add_key_step(r, 0, act.keysym, *way == 'd');
	else
		add_keystroke_steps(r, &act, 0);
}

static void read_script_quiet(struct input_script_reader *r, char *rest)
{
	char *time = next_word(&rest);
	int64_t ns = 500 * NS_PER_MS;

	if ((time && (cli_parse_ns(time, &ns) || ns < NS_PER_MS || ns > SCRIPT_QUIET_MOST_NS)) || next_word(&rest))
		reject_line(r, "quiet: a time up to 10s is expected");
	add_step(r, (double)ns / NS_PER_MS, (struct input_script_step){ .kind = SCRIPT_QUIET });
}

static void read_script_pause(struct input_script_reader *r, char *rest)
{
	char *time = next_word(&rest);
	int64_t ns = 0;

	if (!time || cli_parse_ns(time, &ns) || ns < 0 || ns > NS_PER_DAY || next_word(&rest))
		reject_line(r, "pause: a time such as 500ms is expected");
	add_step(r, (double)ns / NS_PER_MS, (struct input_script_step){ .kind = SCRIPT_LINE });
}

static void parse_script_line(struct input_script_reader *r, char *text)
{
	static const struct {
		const char *word;
		void (*read)(struct input_script_reader *r, char *rest);
	} words[] = { { "move", read_script_move },   { "button", read_script_button }, { "click", read_script_click },
		      { "drag", read_script_drag },   { "scroll", read_script_scroll }, { "type", read_script_typing },
		      { "pause", read_script_pause }, { "quiet", read_script_quiet } };
	char none[] = "", *rest = none, *what = strtok_r(text, BLANK, &rest), *start;
	double delay = 0;

	/* A number alone is a key; before another word it is a delay. */
	start = rest ? rest + strspn(rest, BLANK) : none;
	if (isdigit((unsigned char)*what) && *start && parse_milliseconds(what, &delay))
		what = next_word(&rest);
	add_step(r, delay, (struct input_script_step){ .kind = SCRIPT_LINE });
	if (!rest)
		rest = none;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(what, words[i].word)) {
			words[i].read(r, rest);
			return;
		}
	if (!strcmp(what, "down") || !strcmp(what, "up")) {
		const char *name = next_word(&rest);

		read_script_key(r, name, rest, what);
	} else {
		read_script_key(r, what, rest, NULL);
	}
}

int input_script_read(FILE *in, int width, int height, struct input_script *h, struct why *why)
{
	struct input_script_reader r = { .h = h, .width = width, .height = height, .x = -1, .y = -1 };
	struct line_reader lines;
	int err = line_reader_init(&lines, in), got = 0;

	*h = (struct input_script){ 0 };
	while (!err && !r.wrong && (got = line_reader_next(&lines)) == 1) {
		const char *first = lines.text + strspn(lines.text, BLANK);

		r.line = (int)lines.line;
		if (*first && *first != '#')
			parse_script_line(&r, lines.text);
	}
	if (r.wrong || got == -EPROTO)
		err = why_fail(-EINVAL, why, "line %lu: %s", lines.line, r.wrong ? r.wrong : lines.why);
	line_reader_free(&lines);
	return err ? err : got < 0 ? got : 0;
}

void input_script_free(struct input_script *h)
{
	free(h->steps);
	*h = (struct input_script){ 0 };
}
