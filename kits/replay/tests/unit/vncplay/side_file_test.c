// SPDX-License-Identifier: GPL-3.0-or-later
/* The side file of a replay, word by word: other programs read it. */
#include "vncplay/common/side_file.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../../../../../tests/unit/folder.h"

#define BEGAN 5000000000LL

TEST(test_lines)
{
	static const char expected[] = "# vncplay-aux 1\n"
				       "# settings: speed=1\n"
				       "run start at 1000\n"
				       "input 0 move at 2000 line=7 late_us=3 x=10 y=20\n"
				       "snapshot 0 wait at 3000 line=8 why=click\n"
				       "Waiting for sync... at 3\n"
				       "wiggle at 303500 x=11 y=20\n"
				       "snapshot 0 ok at 1004999 waited_us=1001999 mismatched=2 of=121 moved=40,-3\n"
				       "Sync ok at 1004\n"
				       "input 1 press at 1005000 line=9 late_us=0 x=50 y=17 button=1\n"
				       "== sending mouse click event at 1005\n"
				       "input 2 release at 1105999 line=10 late_us=-1 x=50 y=17 button=1\n"
				       "== sending mouse click event at 1105\n"
				       "input 3 keydown at 2000000 line=11 late_us=12 keysym=0xff0d\n"
				       "== sending keyboard event at 2000\n"
				       "input 4 keyup at 2050000 line=12 late_us=12 keysym=0xff0d\n"
				       "== sending keyboard event at 2050\n"
				       "snapshot 1 wait at 2100000 line=13 why=key\n"
				       "Waiting for sync... at 2100\n"
				       "snapshot 1 timeout at 3100000 waited_us=1000000 mismatched=0 of=0 moved=0,0\n"
				       "run end at 3200000 status=timeout\n";
	struct trace_event e = { .kind = TRACE_MOVE, .x = 10, .y = 20, .line = 7, .button = 1, .keysym = 0xff0d };
	struct awaited_screen s = { .n = 0,
				    .line = 8,
				    .why = TRACE_FOR_CLICK,
				    .waited_ns = 1001999000,
				    .mismatched = 2,
				    .of = 121,
				    .dx = 40,
				    .dy = -3 },
			      d = { .n = 1, .line = 13, .why = TRACE_FOR_KEY };
	struct growing_file *w = side_file_create(in_folder("an aux"), BEGAN);

	assert_non_null(w);
	side_file_write_setting(w, "speed=%d", 1);
	side_file_write_start(w, BEGAN + 1000000);
	side_file_write_input(w, 0, &e, 10, 20, BEGAN + 2000999, 3999);
	side_file_write_wait(w, SIDE_WAIT, &s, BEGAN + 3000000);
	side_file_write_wiggle(w, BEGAN + 303500000, 11, 20);
	side_file_write_wait(w, SIDE_OK, &s, BEGAN + 1004999000);
	e.kind = TRACE_PRESS;
	e.line += 2;
	side_file_write_input(w, 1, &e, 50, 17, BEGAN + 1005000000, 0);
	e.kind = TRACE_RELEASE;
	e.line++;
	side_file_write_input(w, 2, &e, 50, 17, BEGAN + 1105999000, -1000);
	e.kind = TRACE_KEY_DOWN;
	e.line++;
	side_file_write_input(w, 3, &e, 50, 17, BEGAN + 2000000000, 12000);
	e.kind = TRACE_KEY_UP;
	e.line++;
	side_file_write_input(w, 4, &e, 50, 17, BEGAN + 2050000000, 12000);
	side_file_write_wait(w, SIDE_WAIT, &d, BEGAN + 2100000000);
	d.waited_ns = 1000000000;
	side_file_write_wait(w, SIDE_TIMEOUT, &d, BEGAN + 3100000000LL);
	side_file_write_end(w, BEGAN + 3200000000LL, "timeout");
	assert_int_equal(growing_file_finish(w), 0);
	assert_string_equal(content(in_folder("an aux")), expected);
}
