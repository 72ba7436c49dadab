// SPDX-License-Identifier: GPL-3.0-or-later
/* vncplay's traces - written and read back, read from text made by hand, and broken in every way. */
#include <errno.h>
#include <sys/mman.h>

#include "clock.h"
#include "vncplay/common/trace.h"
#define BEFORE_ALL setup
#include "../../../../../tests/unit/unit.h"

#define HEAD \
	"vncplay-trace 1\nserver \"a \\\"b\\\"\"\nscreen 100x80\npixels 0x00RRGGBB\n" \
	"time us since start\nstarted 2026-01-02T03:04:05Z\n"

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

TEST(traces_of_2005_are_refused)
{
	bad("1500 id=503 when=1 modifiers=0 x=7 y=8 button=0 type=java.awt.event.MouseEvent\n", "VNCplay of 2005");
}
