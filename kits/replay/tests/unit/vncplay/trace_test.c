// SPDX-License-Identifier: GPL-3.0-or-later
/* vncplay's traces - written and read back, read from text made by hand, in the format of 2005 too, and broken in every way. */
#include <errno.h>
#include <sys/mman.h>

#include "clock.h"
#include "vncplay/common/trace.h"
#include "vncplay/common/trace_lines.h"
#define BEFORE_ALL setup
#include "../../../../../tests/unit/unit.h"

#define HEAD \
	"vncplay-trace 1\nserver \"a \\\"b\\\"\"\nscreen 100x80\npixels 0x00RRGGBB\n" \
	"time us since start\nstarted 2026-01-02T03:04:05Z\n"
/* 2005: a snapshot of 2x1 pixels */
#define SYNC "20 y1=8 px7y8=-16777216 type=sync x0=7 x1=8 y0=8 px8y8=-256\n"
#define MOUSE "type=java.awt.event.MouseEvent"
#define KEY "type=java.awt.event.KeyEvent"

static char path[40];
static struct why why;
static struct input_trace t;

static int setup(void **state)
{
	(void)state;
	/* in memory: thousands of traces are written */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", memfd_create("trace", 0));
	return 0;
}

static int load(const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return trace_load(path, &t, &why);
}

static void good(const char *text)
{
	int err = load(text, strlen(text));

	if (err)
		fail_msg("%d: %s", err, why.text);
}

static void bad(const char *text, const char *line)
{
	assert_int_equal(load(text, strlen(text)), -EPROTO);
	if (!strstr(why.text, line))
		fail_msg("\"%s\" does not say \"%s\"", why.text, line);
	assert_null(t.events);
	assert_int_equal(t.n, 0);
}

static void is(int i, enum trace_event_kind kind, int64_t ms, int x, int y, int button, uint32_t keysym)
{
	const struct trace_event *e = &t.events[i];

	assert_true(i < t.n);
	assert_int_equal(e->kind, kind);
	assert_int_equal(e->at_ns, ms * NS_PER_MS);
	assert_int_equal(e->x, x);
	assert_int_equal(e->y, y);
	assert_int_equal(e->button, button);
	assert_int_equal(e->keysym, keysym);
}

TEST(what_is_written_is_read_back)
{
	uint32_t pixels[6] = { 0, 0xffffff, 0xffffff, TRACE_ANY, TRACE_ANY, 0x123456 };
	struct trace_event in[] = {
		{ .kind = TRACE_MOVE, .at_ns = 1000, .x = 5, .y = 6 },
		{ .kind = TRACE_SNAPSHOT, .at_ns = 5000, .why = TRACE_FOR_KEY, .box = { 4, 5, 3, 2 }, .pixels = pixels },
		{ .kind = TRACE_PRESS, .at_ns = 5000, .x = 5, .y = 6, .button = 8 },
		{ .kind = TRACE_RELEASE, .at_ns = 7 * NS_PER_S, .x = 65535, .y = 0, .button = 8 },
		{ .kind = TRACE_KEY_DOWN, .at_ns = 8 * NS_PER_S, .keysym = 0xff0d },
		{ .kind = TRACE_KEY_UP, .at_ns = 8 * NS_PER_S, .keysym = '#' },
	};
	struct growing_file *w = trace_create(path, "x \"y\" \\ z\n", 640, 480);

	assert_non_null(w);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(trace_write_event(w, &in[i]), 0);
		assert_int_equal(trace_write_comment(w, "a remark"), 0);
		/* valid at every instant */
		assert_int_equal(trace_load(path, &t, &why), 0);
		assert_int_equal(t.n, i + 1);
		assert_false(t.cut);
		if (i < 5)
			trace_free(&t);
	}
	assert_int_equal(growing_file_finish(w), 0);
	assert_int_equal(t.version, 1);
	assert_string_equal(t.server, "x \"y\" \\ z?");
	assert_int_equal(t.width, 640);
	assert_int_equal(t.height, 480);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(t.events[i].kind, in[i].kind);
		assert_int_equal(t.events[i].at_ns, in[i].at_ns);
		assert_int_equal(t.events[i].button, in[i].button);
		assert_int_equal(t.events[i].keysym, in[i].keysym);
		if (in[i].kind < TRACE_KEY_DOWN) {
			assert_int_equal(t.events[i].x, in[i].x);
			assert_int_equal(t.events[i].y, in[i].y);
		}
	}
	assert_int_equal(t.events[1].why, TRACE_FOR_KEY);
	assert_memory_equal(&t.events[1].box, &in[1].box, sizeof(struct pixel_area));
	assert_memory_equal(t.events[1].pixels, pixels, sizeof(pixels));
	trace_free(&t);
}

TEST(a_trace_made_by_hand_is_read)
{
	good(HEAD "# a remark\n\n1000 move 3 4\n2000 keydown 0x61 a\n2000 keyup 0x61\n3000 snapshot hover 1 2 4 1 3*0000fF,-\n"
		  "3000 press 1 3 4\n4000 release 1 3 5\n");
	assert_string_equal(t.server, "a \"b\"");
	assert_int_equal(t.n, 6);
	is(0, TRACE_MOVE, 1, 3, 4, 0, 0);
	is(1, TRACE_KEY_DOWN, 2, 3, 4, 0, 'a');
	is(2, TRACE_KEY_UP, 2, 3, 4, 0, 'a');
	is(3, TRACE_SNAPSHOT, 3, 3, 4, 0, 0);
	assert_int_equal(t.events[3].pixels[2], 0xff);
	assert_int_equal(t.events[3].pixels[3], TRACE_ANY);
	assert_int_equal(t.events[3].line, 12);
	is(5, TRACE_RELEASE, 4, 3, 5, 1, 0);
	trace_free(&t);
}

TEST(a_half_last_line_is_left_out)
{
	good(HEAD "1 press 1 3 4\n200 release 1 3");
	assert_true(t.cut);
	assert_int_equal(t.n, 1);
	trace_free(&t);
	good(HEAD);
	assert_false(t.cut);
	assert_int_equal(t.n, 0);
	trace_free(&t);
}

TEST(what_is_wrong_is_told_with_its_line)
{
	bad("", "empty");
	bad("vncplay-tra", "first line");
	bad("hello\n", "line 1: not a trace");
	bad("FBS 001.000\n", "line 1: not a trace but a log");
	bad("vncplay-trace 2\n", "version 2");
	bad("vncplay-trace 1\n5 move 1 1\n", "line 2: an event before the screen's size");
	bad(HEAD "5 move 1\n", "line 7: move");
	bad(HEAD "5 move 1 -1\n", "line 7: move");
	bad(HEAD "5 move 1 99999\n", "line 7: move");
	bad(HEAD "5 press 0 1 1\n", "from 1 to 8");
	bad(HEAD "5 press 9 1 1\n", "from 1 to 8");
	bad(HEAD "5 keydown 65\n", "keysym");
	bad(HEAD "5 keydown 0x0\n", "keysym");
	bad(HEAD "5 keydown 0x\n", "keysym");
	bad(HEAD "5 keydown 0x123456789\n", "keysym");
	bad(HEAD "5 fly 1 1\n", "\"fly\" is not an event");
	bad(HEAD "5\n", "not an event");
	bad(HEAD "5x move 1 1\n", "not a time");
	bad(HEAD "9999999999999999 move 1 1\n", "not a time");
	bad(HEAD "5 move 1 1 1\n", "something follows");
	bad(HEAD "5 move 1 1\n4 move 1 1\n", "line 8: earlier");
	bad(HEAD "move 1 1\n", "\"move\" is not a word");
	bad(HEAD "5 move 1 1\nscreen 4x4\n", "before the first event");
	bad(HEAD "screen 0x5\n", "screen:");
	bad(HEAD "screen 5\n", "screen:");
	bad(HEAD "server x\n", "server:");
	bad(HEAD "server \"x\\\n", "server:");
	bad(HEAD "pixels 565\n", "pixels:");
	bad(HEAD "started yesterday\n", "started:");
	bad(HEAD "5 snapshot sync 1 1 1 1 000000\n", "click, key or hover");
	bad(HEAD "5 snapshot click 1 1 0 1 000000\n", "within");
	bad(HEAD "5 snapshot click 16383 1 2 1 2*000000\n", "within");
	bad(HEAD "5 snapshot click 1 1 2 1 000000\n", "2 pixels are expected");
	bad(HEAD "5 snapshot click 1 1 2 1 3*000000\n", "2 pixels are expected");
	bad(HEAD "5 snapshot click 1 1 2 1 0*000000,2*000000\n", "2 pixels are expected");
	bad(HEAD "5 snapshot click 1 1 2 1 000000,000000,\n", "2 pixels are expected");
	bad(HEAD "5 snapshot click 1 1 2 1\n", "2 pixels are expected");
	bad(HEAD "5 snapshot click 1 1 2 1 twin\n", "2 pixels are expected");
	bad(HEAD "5 snapshot click 1 1 2 1 2*000000 twin\n", "something follows");
	bad(HEAD "5 snapshot click 1 1 300 300 90000*000000\n", "too large");
	assert_int_equal(load(HEAD "5 move\0 1 1\n", sizeof(HEAD "5 move\0 1 1\n") - 1), -EPROTO);
	assert_int_equal(trace_load("/nowhere/at all", &t, &why), -ENOENT);
}

/* A few bytes of a line may stand for many pixels: their sum has a bound. */
TEST(pixels_of_all_snapshots_have_a_bound)
{
	FILE *f = fopen(path, "w");

	fputs(HEAD, f);
	for (int i = 0; i < 513; i++) /* of 65536 each: 32 Mi and one more */
		fputs("5 snapshot click 0 0 256 256 65536*000000\n", f);
	fclose(f);
	assert_int_equal(trace_load(path, &t, &why), -EPROTO);
	assert_non_null(strstr(why.text, "line 519"));
}

TEST(traces_of_2005_are_read)
{
	good("1500 id=503 when=1 modifiers=0 x=7 y=8 button=0 " MOUSE "\n" SYNC "0 " MOUSE
	     " id=501 when=2 modifiers=16 x=7 y=8 button=1\n"
	     "90 " MOUSE " id=502 modifiers=16 x=7 y=8 button=1\n"
	     "5 " MOUSE " id=500 modifiers=16 x=7 y=8 button=1\n"
	     "5 " MOUSE " id=501 modifiers=4 x=9 y=8 button=3\n"
	     "10 " MOUSE " id=506 modifiers=4 x=-3 y=9 button=0\n"
	     "10 " MOUSE " id=502 modifiers=4 x=11 y=9 button=3\n"
	     "-40 " MOUSE " id=505 modifiers=0 x=11 y=9 button=0\n"
	     "1 " MOUSE " id=501 modifiers=8 x=11 y=9 button=0\n"
	     "3 type=java.awt.event.FocusEvent\n");
	assert_int_equal(t.version, 0);
	assert_int_equal(t.width, 0);
	assert_int_equal(t.n, 8);
	is(0, TRACE_MOVE, 1500, 7, 8, 0, 0);
	assert_int_equal(t.events[1].kind, TRACE_SNAPSHOT);
	assert_int_equal(t.events[1].at_ns, 1520 * NS_PER_MS);
	assert_int_equal(t.events[1].box.x, 7);
	assert_int_equal(t.events[1].box.y, 8);
	assert_int_equal(t.events[1].box.w, 2);
	assert_int_equal(t.events[1].box.h, 1);
	assert_int_equal(t.events[1].pixels[0], 0);	   /* -16777216 is 0xff000000 */
	assert_int_equal(t.events[1].pixels[1], 0xffff00); /* -256 is 0xffffff00 */
	is(2, TRACE_PRESS, 1520, 7, 8, 1, 0);
	is(3, TRACE_RELEASE, 1610, 7, 8, 1, 0);
	is(4, TRACE_PRESS, 1620, 9, 8, 3, 0);
	is(5, TRACE_MOVE, 1630, 0, 9, 0, 0);
	is(6, TRACE_RELEASE, 1640, 11, 9, 3, 0);
	is(7, TRACE_PRESS, 1641, 11, 9, 2, 0); /* AWT's mask of the middle button alone */
	trace_free(&t);
}

TEST(keys_of_2005_are_held_as_they_were)
{
	good("0 " KEY " id=401 modifiers=1 keycode=16 keychar=65535\n" /* Shift */
	     "10 " KEY " id=401 modifiers=1 keycode=65 keychar=65\n"   /* A */
	     "10 " KEY " id=400 modifiers=1 keycode=0 keychar=65\n"    /* typed: nothing was sent */
	     "10 " KEY " id=402 modifiers=1 keycode=65 keychar=65\n"
	     "10 " KEY " id=402 modifiers=0 keycode=16 keychar=65535\n"
	     "10 " KEY " id=401 modifiers=2 keycode=83 keychar=19\n" /* Ctrl+S, whose Ctrl was not told */
	     "10 " KEY " id=402 modifiers=2 keycode=83 keychar=19\n"
	     "10 " KEY " id=401 modifiers=0 keycode=112 keychar=65535\n"); /* F1 */
	assert_int_equal(t.n, 9);
	is(0, TRACE_KEY_DOWN, 0, -1, -1, 0, 0xffe1);
	is(1, TRACE_KEY_DOWN, 10, -1, -1, 0, 'A');
	is(2, TRACE_KEY_UP, 30, -1, -1, 0, 'A');
	is(3, TRACE_KEY_UP, 40, -1, -1, 0, 0xffe1);
	is(4, TRACE_KEY_DOWN, 50, -1, -1, 0, 0xffe3);
	is(5, TRACE_KEY_DOWN, 50, -1, -1, 0, 's');
	is(6, TRACE_KEY_UP, 60, -1, -1, 0, 's');
	is(7, TRACE_KEY_UP, 70, -1, -1, 0, 0xffe3);
	is(8, TRACE_KEY_DOWN, 70, -1, -1, 0, 0xffbe);
	trace_free(&t);
}

/* java.awt.event.KeyEvent's numbers and X11's keysymdef.h */
TEST(keys_of_java_have_their_keysyms)
{
	static const struct {
		int code, character;
		uint32_t keysym;
		bool control;
	} keys[] = {
		{ 65, 'a', 'a', false },
		{ 65, 65535, 'a', false },
		{ 49, '!', '!', false },
		{ 48, 0, '0', false },
		{ 0, 0xe4, 0xe4, false },
		{ 516, 0x20ac, 0x20ac, false },
		{ 0, 0x3b1, 0x010003b1, false },
		{ 10, 10, 0xff0d, false },
		{ 8, 8, 0xff08, false },
		{ 9, 9, 0xff09, false },
		{ 27, 27, 0xff1b, false },
		{ 127, 127, 0xffff, false },
		{ 72, 8, 'h', true },
		{ 8, 8, 0xff08, true },
		{ 67, 3, 'c', true },
		{ 74, 10, 'j', true },
		{ 155, 65535, 0xff63, false },
		{ 36, 65535, 0xff50, false },
		{ 35, 65535, 0xff57, false },
		{ 33, 65535, 0xff55, false },
		{ 34, 65535, 0xff56, false },
		{ 37, 65535, 0xff51, false },
		{ 38, 65535, 0xff52, false },
		{ 39, 65535, 0xff53, false },
		{ 40, 65535, 0xff54, false },
		{ 112, 65535, 0xffbe, false },
		{ 123, 65535, 0xffc9, false },
		{ 61440, 65535, 0xffca, false },
		{ 61451, 65535, 0xffd5, false },
		{ 96, 65535, 0xffb0, false },
		{ 105, 65535, 0xffb9, false },
		{ 106, 65535, 0xffaa, false },
		{ 144, 65535, 0xff7f, false },
		{ 20, 65535, 0xffe5, false },
		{ 129, 65535, 0xfe51, false },
		{ 139, 65535, 0xfe5b, false },
		{ 65406, 65535, 0xfe03, false },
		{ 524, 65535, 0xffeb, false },
		{ 525, 65535, 0xff67, false },
		{ 9999, 65535, 0, false },
		{ 226, 65535, 0xff96, false },
		{ 32, ' ', ' ', false },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (trace_2005_keysym(keys[i].code, keys[i].character, keys[i].control) != keys[i].keysym)
			fail_msg("code %d, character %d: 0x%x", keys[i].code, keys[i].character,
				 trace_2005_keysym(keys[i].code, keys[i].character, keys[i].control));
}

TEST(broken_traces_of_2005_are_refused)
{
	bad("12 type=sync x0=7 x1=8 y0=8 px7y8=1 px8y8=1\n", "no y1=");
	bad("12 type=sync x0=7 x1=8 y0=8 y1=8 px7y8=1\n", "with 1 pixels");
	bad("12 type=sync x0=7 x1=8 y0=8 y1=8 px7y8=1 px7y8=1\n", "with 1 pixels");
	bad("12 type=sync x0=7 x1=8 y0=8 y1=8 px7y8=1 px9y8=1\n", "outside");
	bad("12 type=sync x0=7 x1=8 y0=8 y1=8 px7y8=1 px8yy=1\n", "a pixel is not of the form");
	bad("12 type=sync x0=0 x1=9999 y0=0 y1=9999 px7y8=1\n", "too large");
	bad("12 type=sync x0=-1 x1=9 y0=0 y1=9 px7y8=1\n", "snapshot from -1");
	bad("12 " MOUSE " x=1 y=1\n", "no id=");
	bad("12 " MOUSE " id=501 x=1\n", "no y=");
	bad("12 " MOUSE " id=501 x=1 y=1z\n", "whole number");
	bad("12 " MOUSE " id=501 x=1 y=123456789\n", "coordinates");
	bad("12 " MOUSE " id=501 x=1 y=1\nnow " MOUSE "\n", "line 2: \"now\" is not a delay");
	bad("12 " KEY " id=401 keycode=1\n", "no keychar=");
	bad("12 " KEY " id=401 keycode=1 keychar=-4\n", "key code");
	bad("12 " MOUSE " id=501 x=1 y=1\n12 hello\n", "line 2: \"hello\"");
	bad("12 " MOUSE " id=501 x=1 y=1\n12 x=1\n", "line 2: no type=");
}
