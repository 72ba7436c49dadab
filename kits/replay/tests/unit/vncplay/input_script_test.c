// SPDX-License-Identifier: GPL-3.0-or-later
/* hand - scripts as the steps that they stand for. */
#include <errno.h>

#include "clock.h"
#include "vncplay/record/input_script.h"
#include "why.h"
#include "../../../../../tests/unit/unit.h"

static struct input_script h;
static struct why why;

static int parse(const char *text)
{
	FILE *in = open_text(text);
	int err;

	input_script_free(&h); /* of the script before */
	err = input_script_read(in, 800, 600, &h, &why);

	fclose(in);
	return err;
}

static void good(const char *text)
{
	if (parse(text))
		fail_msg("%s", why.text);
}

static void bad(const char *text, const char *says)
{
	assert_int_equal(parse(text), -EINVAL);
	if (!strstr(why.text, says))
		fail_msg("\"%s\" does not say \"%s\"", why.text, says);
}

static int steps(enum input_script_kind kind)
{
	int n = 0;

	for (int i = 0; i < h.n; i++)
		n += h.steps[i].kind == kind;
	return n;
}

/* The steps as text: MS:WHAT after each other, MS after the step before. A line begins with |, a key is its character or keysym. */
static const char *as_text(void)
{
	static char text[2000];
	size_t n = 0;

	*text = '\0';
	for (int i = 0; i < h.n; i++) {
		const struct input_script_step *s = &h.steps[i];
		char way = s->down ? '+' : '-', what[40] = "|";

		if (s->kind == SCRIPT_QUIET)
			strcpy(what, "quiet");
		else if (s->kind == SCRIPT_MOVE)
			snprintf(what, sizeof(what), "%d,%d", s->x, s->y);
		else if (s->kind == SCRIPT_BUTTON)
			snprintf(what, sizeof(what), "%d%c", s->button, way);
		else if (s->kind == SCRIPT_KEY)
			snprintf(what, sizeof(what), s->keysym < 0x7f ? "%c%c" : "%x%c", s->keysym, way);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%lld:%s", i ? " " : "", (long long)(s->after_ns / NS_PER_MS),
				      what);
	}
	return text;
}

TEST(actions_are_steps)
{
	static const struct {
		const char *script, *steps;
	} cases[] = {
		{ "", "" },
		{ "# a remark\n\n120 a\n", "120:| 0:a+ 40:a-" },
		{ "ctrl+shift+s\n", "0:| 0:ffe3+ 20:ffe1+ 20:s+ 40:s- 20:ffe1- 20:ffe3-" },
		{ "5\n", "0:| 0:5+ 40:5-" }, /* alone, a number is a key */
		{ "down Shift_L\nup Shift_L\n", "0:| 0:ffe1+ 0:| 0:ffe1-" },
		/* near enough for a double click */
		{ "click 30,40 2 times button 3\n", "0:| 0:30,40 60:3+ 60:3- 110:3+ 60:3-" },
		{ "click 30 40\nclick 30 40\n", "0:| 0:30,40 60:1+ 60:1- 0:| 60:1+ 60:1-" }, /* it is there already */
		{ "move 1,1\nbutton 1 click\nbutton 2 down\nbutton 2 up\n", "0:| 0:1,1 0:| 0:1+ 60:1- 0:| 0:2+ 0:| 0:2-" },
		{ "move 1,1\nscroll down 2\nscroll left\n", "0:| 0:1,1 0:| 0:5+ 20:5- 40:5+ 20:5- 0:| 0:6+ 20:6-" },
		/* a character every 50 ms; all blanks but the first belong to the text */
		{ "type 50 a  \xc3\xa4\n", "0:| 0:a+ 40:a- 10: + 40: - 10: + 40: - 10:e4+ 40:e4-" },
		{ "type 42\n", "0:| 0:4+ 40:4- 60:2+ 40:2-" }, /* no text behind it: it is the text */
		{ "type hi you\n", "0:| 0:h+ 40:h- 60:i+ 40:i- 60: + 40: - 60:y+ 40:y- 60:o+ 40:o- 60:u+ 40:u-" },
		{ "pause 1500ms\nquiet\nquiet 2s\n", "0:| 1500:| 0:| 500:quiet 0:| 2000:quiet" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		good(cases[i].script);
		assert_string_equal(as_text(), cases[i].steps);
	}
	good("# a remark\n\n120 a\n");
	assert_int_equal(h.steps[0].line, 3);
}

TEST(a_move_goes_as_a_hand_does)
{
	int64_t ms = 0;

	good("move 100,100\nmove 400 200 over 400\n");
	assert_int_equal(steps(SCRIPT_MOVE), 1 + 21);
	for (int i = 3; i < h.n; i++) {
		ms += h.steps[i].after_ns;
		assert_true(h.steps[i].x >= h.steps[i - 1].x || i == 3);
		assert_true(h.steps[i].after_ns <= 20 * NS_PER_MS);
	}
	assert_true(ms > 399 * NS_PER_MS && ms < 401 * NS_PER_MS);
	assert_int_equal(h.steps[h.n - 1].x, 400);
	assert_int_equal(h.steps[h.n - 1].y, 200);
	good("move 100,100\nmove 400,200\n");
	assert_true(steps(SCRIPT_MOVE) > 5);
	good("move 100,100\nmove 400,200 over 0\n");
	assert_int_equal(steps(SCRIPT_MOVE), 2);
}

TEST(a_drag_presses_moves_and_releases)
{
	good("drag 10,10 100,10\n");
	assert_int_equal(steps(SCRIPT_BUTTON), 2);
	assert_true(steps(SCRIPT_MOVE) > 5);
	assert_int_equal(h.steps[2].kind, SCRIPT_BUTTON);
	assert_true(h.steps[2].down);
	assert_int_equal(h.steps[h.n - 1].kind, SCRIPT_BUTTON);
	assert_false(h.steps[h.n - 1].down);
	assert_int_equal(h.steps[h.n - 2].x, 100);
}

TEST(what_is_wrong_is_told)
{
	bad("a\nfly 1,1\n", "line 2: neither");
	bad("move 1\n", "line 1: a place");
	bad("move 800,1\n", "not on the screen");
	bad("move 1,1 under 5\n", "does not belong");
	bad("move 1,1 over\n", "over:");
	bad("move 1,1 over 5\n", "no place yet");
	bad("button 1 click\n", "no place yet");
	bad("scroll down\n", "no place yet");
	bad("move 1,1\nscroll in\n", "scroll:");
	bad("move 1,1\nbutton 9 click\n", "button:");
	bad("click 1,1 0\n", "1 to 1000 times");
	bad("click 1,1 button\n", "button:");
	bad("drag 1,1\n", "a place");
	bad("pause\n", "pause:");
	bad("pause long\n", "pause:");
	bad("quiet 11s\n", "quiet:");
	bad("type\n", "type:");
	bad("type \xff\n", "type:");
	bad("down ctrl+a\n", "neither");
	bad("a b\n", "neither");
}
