// SPDX-License-Identifier: GPL-3.0-or-later
/* Key names against keysymdef.h, and scripts line by line. */
#include "../unit.h"
#include "clock.h"
#include "act.h"
#include "keyrepeat/script.h"

#include <errno.h>

TEST(names_are_keysymdef)
{
	static const struct {
		const char *text;
		uint32_t keysym;
	} good[] = {
		{ "a", 0x61 },
		{ "A", 0x41 },
		{ "0", 0x30 },
		{ "#", 0x23 },
		{ " ", 0x20 },
		{ "space", 0x20 },
		{ "~", 0x7e },
		{ "\303\244", 0xe4 } /* a with diaeresis, Latin-1 */,
		{ "\342\202\254", 0x010020ac } /* euro */,
		{ "U20AC", 0x010020ac },
		{ "U41", 0x41 },
		{ "\360\237\231\202", 0x0101f642 },
		{ "Return", 0xff0d },
		{ "BackSpace", 0xff08 },
		{ "Escape", 0xff1b },
		{ "F12", 0xffc9 },
		{ "Page_Down", 0xff56 },
		{ "0xff0d", 0xff0d },
		{ "U", 0x55 },
		{ "dead_acute", 0xfe51 },
		{ "eacute", 0xe9 },
		{ "F13", 0xffca },
		{ "XF86AudioMute", 0x1008ff12 },
		{ "Udiaeresis", 0xdc },
		{ "UE4", 0xe4 },
		{ "U100", 0x01000100 },
		{ "Page_Up", 0xff55 },
		{ "Cyrillic_zhe", 0x06d6 },
		{ "3270_Enter", 0xfd1e },
		{ "braille_dots_1", 0x01002801 },
		{ "XF86Switch_VT_1", 0x1008fe01 },
		{ "0xFF0D", 0xff0d },
	};
	static const char *const bad[] = { "",	      "ab",   "Retur", "Return ", "0x", "0xzz",	  "0x0",	"0xffffffff",
					   "U110000", "\303", "\200",  "\377",	  "\t", "U20ACx", "0x123456789" };
	uint32_t keysym;

	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(keysym_parse_text(good[i].text, &keysym), 0);
		assert_int_equal(keysym, good[i].keysym);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(keysym_parse_text(bad[i], &keysym), -EINVAL);
}

TEST(names_are_whole_and_numbers_are_keysyms)
{
	static const char *const bad[] = {
		"U7F", "U1", "U123456789", "NoSymbol", "return", "Return ff0d", "Return ff0d\nTab", "0x-1",
	};
	uint32_t keysym;

	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(keysym_parse_text(bad[i], &keysym), -EINVAL);
}

TEST(keysyms_have_the_first_of_their_names)
{
	static const struct {
		uint32_t keysym;
		const char *name;
	} good[] = {
		{ 0x20, "space" },
		{ 0x61, "a" },
		{ 0xe9, "eacute" },
		{ 0xff0d, "Return" },
		{ 0xff55, "Prior" },
		{ 0xff7e, "Mode_switch" },
		{ 0x20ac, "EuroSign" },
		{ 0x1008ff12, "XF86AudioMute" },
		{ 0x010020ac, "U20AC" },
		{ 0x0101f642, "U0001F642" },
		{ 0, "" },
		{ 0x1ffffffe, "" },
	};
	uint32_t keysym;

	for (size_t i = 0; i < COUNT(good); i++) {
		assert_string_equal(keysym_name(good[i].keysym), good[i].name);
		if (*good[i].name) {
			assert_int_equal(keysym_parse_text(good[i].name, &keysym), 0);
			assert_int_equal(keysym, good[i].keysym);
		}
	}
}

static int read_text(const char *text, struct act_script *s, size_t *line)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	const char *wrong;
	int err;

	assert_non_null(f);
	err = script_read(f, s, line, &wrong);
	fclose(f);
	return err;
}

TEST(script_adds_up_delays)
{
	struct act_script s;
	size_t line;

	assert_int_equal(read_text("# greeting\n\n0 h\n120 i\n  50.5\tReturn  \n0 0x23", &s, &line), 0);
	assert_int_equal(s.n, 4);
	assert_int_equal(s.offset_ns[0], 0);
	assert_int_equal(s.offset_ns[1], 120000000);
	assert_int_equal(s.offset_ns[2], 170500000);
	assert_int_equal(s.offset_ns[3], 170500000);
	assert_int_equal(s.act[0].keysym, 'h');
	assert_int_equal(s.act[2].keysym, 0xff0d);
	assert_int_equal(s.act[3].keysym, '#');
	script_free(&s);
}

/* Delays whose sum is more nanoseconds than there are numbers: what is due after any run stays after any run. */
TEST(script_of_delays_without_end_stays_in_order)
{
	static char text[110000 * 11 + 1];
	struct act_script s;
	size_t line;

	for (size_t i = 0; i < 110000; i++)
		memcpy(text + i * 11, "86400000 a\n", 11);
	assert_int_equal(read_text(text, &s, &line), 0);
	assert_int_equal(s.n, 110000);
	for (size_t i = 1; i < s.n; i++)
		assert_true(s.offset_ns[i] >= s.offset_ns[i - 1]);
	assert_true(s.offset_ns[s.n - 1] > 30 * NS_PER_DAY);
	script_free(&s);
}

TEST(script_has_keys_with_others_held)
{
	struct act_script s;
	size_t line;

	assert_int_equal(read_text("0 ctrl+s\n0 ctrl+shift+Left\n0 alt++\n0 +\n0 shift+a", &s, &line), 0);
	assert_int_equal(s.n, 5);
	assert_int_equal(s.act[0].keysym, 's');
	assert_int_equal(s.act[0].held, ACT_CTRL);
	assert_int_equal(s.act[1].keysym, 0xff51);
	assert_int_equal(s.act[1].held, ACT_CTRL | ACT_SHIFT);
	assert_int_equal(s.act[2].keysym, '+');
	assert_int_equal(s.act[2].held, ACT_ALT);
	assert_int_equal(s.act[3].held, 0);
	assert_false(act_equals(&s.act[3], &s.act[2]));
	script_free(&s);
}

TEST(script_types_a_text)
{
	struct act_script s;
	size_t line;

	/* the blanks of the text are keys; what follows counts from the last of them */
	assert_int_equal(read_text("100 type 50 a  \303\244\n10 b\n", &s, &line), 0);
	assert_int_equal(s.n, 5);
	for (int i = 0; i < 4; i++)
		assert_int_equal(s.offset_ns[i], 100000000 + i * 50000000);
	assert_int_equal(s.act[1].keysym, ' ');
	assert_int_equal(s.act[3].keysym, 0xe4);
	assert_int_equal(s.offset_ns[4], 260000000);
	script_free(&s);
}

TEST(script_moves_and_drags)
{
	struct act_script s;
	size_t line;

	assert_int_equal(read_text("0 move 10,20\n100 button 1 down\n50 move 110,0 over 100\n10 button 1 "
				   "up\n5 button 4 click\n0 move 0,0 over 0",
				   &s, &line),
			 0);
	assert_int_equal(s.n, 1 + 1 + 5 + 1 + 1 + 1);
	assert_int_equal(s.act[0].kind, ACT_MOVE);
	assert_int_equal(s.act[0].x, 10);
	assert_int_equal(s.act[0].y, 20);
	assert_int_equal(s.act[1].kind, ACT_BUTTON);
	assert_int_equal(s.act[1].way, ACT_DOWN);
	/* five steps of 20 ms on a straight line: 20 to the right, 4 up each */
	for (int i = 1; i <= 5; i++) {
		assert_int_equal(s.offset_ns[1 + i], 150000000 + i * 20000000);
		assert_int_equal(s.act[1 + i].x, 10 + 20 * i);
		assert_int_equal(s.act[1 + i].y, 20 - 4 * i);
	}
	assert_int_equal(s.offset_ns[7], 260000000);
	assert_int_equal(s.act[7].way, ACT_UP);
	assert_int_equal(s.act[8].button, 4);
	assert_int_equal(s.act[8].way, ACT_CLICK);
	assert_true(act_equals(&s.act[9], &(struct input_act){ .kind = ACT_MOVE }));
	script_free(&s);
}

TEST(script_names_the_wrong_line)
{
	static const char *const bad[] = { "10 a\n20\n",
					   "10 a\nx b\n",
					   "10 a\n-1 b\n",
					   "10 a\n10 a b\n",
					   "10 a\n10 nokey\n",
					   "10 a\n1e99 a",
					   "10 a\n10 ctrl+",
					   "10 a\n10 ctrl+ctrl+a",
					   "10 a\n10 hyper+a",
					   "10 a\n10 move",
					   "10 a\n10 move 3",
					   "10 a\n10 move 3,-4",
					   "10 a\n10 move 3,40000",
					   "10 a\n10 move 3,4 over",
					   "10 a\n10 move 3,4 over 20 " /* from where? */,
					   "0 move 1,1\n10 move 3,4 during 20",
					   "0 move 1,1\n10 move 3,4 over 20 now",
					   "10 a\n10 button 1",
					   "10 a\n10 button 0 click",
					   "10 a\n10 button 9 click",
					   "10 a\n10 button 1 hold",
					   "10 a\n10 type 20",
					   "10 a\n10 type 20 ",
					   "10 a\n10 type x y",
					   "10 a\n10 type 5 a\001" };
	struct act_script s;
	size_t line;

	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(read_text(bad[i], &s, &line), -EINVAL);
		assert_int_equal(line, 2);
		script_free(&s);
	}
}
