// SPDX-License-Identifier: GPL-3.0-or-later
/* side files - written by hand, of both forms, whole and broken, for the inputs of a replay; and what is written, word by word:
 * other programs read it. */
#include <errno.h>

#include "vncplay/common/side_file.h"
#include "../../../../../tests/unit/folder.h"

static struct sent_inputs in;
static struct stimulus *s;
static size_t n;

static int read_text(const char *text, size_t size)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, size, "r");
	int err;

	assert_non_null(f);
	free(s);
	s = NULL;
	sent_inputs_free(&in);
	err = sent_inputs_read(f, &in);
	fclose(f);
	if (!err) {
		s = stimuli_make(&in, &n);
		assert_non_null(s);
	}
	return err;
}

static int read_all(const char *text)
{
	return read_text(text, strlen(text));
}

static int end(void **state)
{
	(void)state;
	free(s);
	s = NULL;
	sent_inputs_free(&in);
	return 0;
}

TEST_WITH(NULL, end, arrivals_of_bytes)
{
	assert_int_equal(read_all("# vncplay-aux 1\nreceived 47 at 0\nreceived 4 at 1999\nreceived x at 7\nreceived 5 to 8\n"
				  "received 4294967295 at 5000123\n"),
			 0);
	assert_int_equal(in.n_arrivals, 3);
	assert_int_equal(in.arrival[1].end, 51);
	assert_int_equal(in.arrival[1].at_us, 1999);
	assert_true(in.arrival[2].end == UINT64_C(4294967346));
	assert_int_equal(in.arrival[2].at_us, 5000123);
}

TEST_WITH(NULL, end, ours)
{
	assert_int_equal(
		read_all(
			"# vncplay-aux 1\nrun start at 0\n"
			"input 0 move at 100000 line=2 late_us=3 x=1 y=2\n"
			"snapshot 1 wait at 120000 line=3 why=click\nWaiting for sync... "
			"at 120\nsnapshot 1 ok at 150000 waited_us=30000\nSync ok at 150\n"
			"input 1 press at 200000 line=4 late_us=3 x=10 y=20 button=1\n== sending mouse click event at 200\n"
			"input 2 release at 280000 line=5 late_us=0 x=11 y=20 button=1\n== sending mouse click event at 280\n"
			"input 3 keydown at 300000 line=6 late_us=0 keysym=0x61\n== sending keyboard event at 300\n"
			"input 4 keydown at 310000 line=7 late_us=0 keysym=0x62\n== sending keyboard event at 310\n"
			"input 5 keyup at 320000 line=8 late_us=0 keysym=0x61\n== sending keyboard event at 320\n"
			"input 6 press at 400000 line=9 late_us=0 x=1 y=1 button=5\ninput 7 release at 400100 line=10 late_us=0 x=1 y=1 button=5\n"
			"input 8 press at 500000 line=9 late_us=0 x=1 y=1 button=1\ninput 9 release at 900000 line=10 late_us=0 x=90 y=1 button=1\n"
			"a line of tomorrow\nrun end at 1000000 status=complete\n"),
		0);
	assert_false(in.old);
	assert_false(in.cut);
	assert_int_equal(in.n, 10);
	assert_int_equal(in.input[9].line, 10);
	assert_int_equal(in.n_syncs, 1);
	assert_int_equal(in.n_old, 5);
	assert_int_equal(in.end_us, 1000000);
	assert_string_equal(in.status, "complete");
	assert_int_equal(n, 5);
	assert_int_equal(s[0].kind, STIMULUS_CLICK);
	assert_int_equal(s[0].n, 1);
	assert_int_equal(s[0].press_us, 200000);
	assert_int_equal(s[0].release_us, 280000);
	assert_int_equal(s[1].release_us, 320000); /* of its own key */
	assert_int_equal(s[2].release_us, -1);
	assert_int_equal(s[3].kind, STIMULUS_SCROLL);
	assert_int_equal(s[4].kind, STIMULUS_DRAG);
}

TEST_WITH(NULL, end, old_lines_are_press_and_release_in_turn)
{
	assert_int_equal(read_all("Trace starting\n== sending mouse click event at 1000\n== sending mouse click event at 1080\n"
				  "== sending keyboard event at 1500\n== sending mouse click event at 1600\n== sending keyboard "
				  "event at 1620\n== sending mouse click event at 3000\n"),
			 0);
	assert_true(in.old);
	assert_int_equal(n, 3);
	assert_int_equal(s[0].release_us, 1080000);
	assert_int_equal(s[1].kind, STIMULUS_KEY);
	assert_int_equal(s[1].release_us, 1620000);
	assert_int_equal(s[2].press_us, 1600000);
	assert_int_equal(s[2].release_us, 3000000); /* held for long, and nothing after it */
}

TEST_WITH(NULL, end, a_release_that_was_never_sent_does_not_shift_the_rest)
{
	assert_int_equal(read_all("== sending mouse click event at 1000\n"
				  "== sending mouse click event at 5000\n== sending mouse click event at 5080\n"
				  "== sending mouse click event at 9000\n== sending mouse click event at 9080\n"),
			 0);
	assert_int_equal(n, 3);
	assert_int_equal(s[0].release_us, -1);
	assert_int_equal(s[1].press_us, 5000000);
	assert_int_equal(s[2].release_us, 9080000);
}

TEST_WITH(NULL, end, a_last_line_that_is_not_whole_is_left_out)
{
	assert_int_equal(read_all("input 0 press at 1000000 line=1 late_us=0 x=1 y=1 button=1\ninput 1 release at 10"), 0);
	assert_true(in.cut);
	assert_int_equal(in.n, 1);
}

TEST_WITH(NULL, end, times_that_go_back_are_put_in_order)
{
	assert_int_equal(read_all("input 0 press at 3000 line=1\ninput 1 release at 2000 line=1\ninput 2 press at 9000 line=1\n"),
			 0);
	assert_true(in.cut);
	assert_int_equal(in.input[0].at_us, 2000);
}

TEST_WITH(NULL, end, nonsense)
{
	static const char *const text[] = {
		"",
		"\n\n",
		"hello\n",
		"input\n",
		"input 1 press at\n",
		"input 1 press at -5\n",
		"input -1 press at 5\n",
		"input 1 kick at 5\n",
		"input 99999999999999999999 press at 5\n",
		"input 1 press at 99999999999999999999999\n",
		"== sending mouse click event at x\n",
		"Sync ok at 99999999999\n",
	};
	char bytes[5000];

	for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++) {
		if (*text[i])
			assert_int_equal(read_all(text[i]), -EPROTO);
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7919 >> 3);
	assert_int_equal(read_text(bytes, sizeof(bytes)), -EPROTO);
	memset(bytes, 'x', sizeof(bytes)); /* a line that is longer than any */
	memcpy(bytes + 4970, "\nSync ok at 17\n", 15);
	assert_int_equal(read_text(bytes, 4985), 0);
	assert_int_equal(in.n_syncs, 1);
	assert_int_equal(n, 0);
}

#define BEGAN 5000000000LL

TEST_WITH(make_folder, remove_folder, test_lines)
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
	struct awaited_screen first = { .n = 0,
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
	side_file_write_wait(w, SIDE_WAIT, &first, BEGAN + 3000000);
	side_file_write_wiggle(w, BEGAN + 303500000, 11, 20);
	side_file_write_wait(w, SIDE_OK, &first, BEGAN + 1004999000);
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
