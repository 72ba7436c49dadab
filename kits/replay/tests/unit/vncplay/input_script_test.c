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
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
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

static void key_is(int i, uint32_t keysym, bool down)
{
	assert_true(i < h.n);
	assert_int_equal(h.steps[i].kind, SCRIPT_KEY);
	assert_int_equal(h.steps[i].keysym, keysym);
	assert_int_equal(h.steps[i].down, down);
}

TEST(keys_are_held_in_order)
{
	good("# a remark\n\n120 a\nctrl+shift+s\n5\ndown Shift_L\nup Shift_L\n");
	assert_int_equal(h.steps[0].kind, SCRIPT_LINE);
	assert_int_equal(h.steps[0].after_ns, 120 * NS_PER_MS);
	assert_int_equal(h.steps[0].line, 3);
	key_is(1, 'a', true);
	key_is(2, 'a', false);
	assert_int_equal(h.steps[3].after_ns, 0);
	key_is(4, 0xffe3, true);
	key_is(5, 0xffe1, true);
	key_is(6, 's', true);
	key_is(7, 's', false);
	key_is(8, 0xffe1, false);
	key_is(9, 0xffe3, false);
	key_is(11, '5', true); /* alone, a number is a key */
	key_is(14, 0xffe1, true);
	key_is(16, 0xffe1, false);
	assert_int_equal(h.n, 17);
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

TEST(clicks_are_near_enough_for_a_double_click)
{
	int64_t ns = 0;
	int presses = 0;

	good("click 30,40 2 times button 3\n");
	assert_int_equal(steps(SCRIPT_BUTTON), 4);
	for (int i = 0; i < h.n; i++) {
		if (presses)
			ns += h.steps[i].after_ns;
		if (h.steps[i].kind != SCRIPT_BUTTON)
			continue;
		assert_int_equal(h.steps[i].button, 3);
		presses += h.steps[i].down;
		if (presses == 2)
			break;
	}
	assert_true(ns > 50 * NS_PER_MS && ns < 250 * NS_PER_MS);
	good("click 30 40\nclick 30 40 3\nbutton 1 click\nbutton 2 down\nbutton 2 up\n");
	assert_int_equal(steps(SCRIPT_BUTTON), 2 + 6 + 2 + 2);
	assert_int_equal(steps(SCRIPT_MOVE), 1); /* it is there already */
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

TEST(a_wheel_turns)
{
	good("move 1,1\nscroll down 3\nscroll left\n");
	assert_int_equal(steps(SCRIPT_BUTTON), 8);
	assert_int_equal(h.steps[3].button, 5);
	assert_int_equal(h.steps[h.n - 1].button, 6);
}

TEST(texts_keep_their_blanks)
{
	good("type 50 a  \xc3\xa4\n");
	assert_int_equal(steps(SCRIPT_KEY), 8);
	key_is(1, 'a', true);
	key_is(3, ' ', true);
	key_is(5, ' ', true);
	key_is(7, 0xe4, true);
	assert_int_equal(h.steps[3].after_ns + h.steps[2].after_ns, 50 * NS_PER_MS);
	good("type 42\n"); /* no text behind it: it is the text */
	assert_int_equal(steps(SCRIPT_KEY), 4);
	key_is(1, '4', true);
	good("type hello world\n");
	assert_int_equal(steps(SCRIPT_KEY), 22);
}

TEST(pauses_and_rest)
{
	good("pause 1500ms\nquiet\nquiet 2s\n");
	assert_int_equal(h.steps[1].kind, SCRIPT_LINE);
	assert_int_equal(h.steps[1].after_ns, 1500 * NS_PER_MS);
	assert_int_equal(h.steps[3].kind, SCRIPT_QUIET);
	assert_int_equal(h.steps[3].after_ns, 500 * NS_PER_MS);
	assert_int_equal(h.steps[5].after_ns, 2 * NS_PER_S);
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
	good("");
	assert_int_equal(h.n, 0);
}
