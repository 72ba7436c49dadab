// SPDX-License-Identifier: GPL-3.0-or-later
/* What is learned from logs that are written here: what always comes before an input,
 * what comes by itself, what comes late. */
#include <errno.h>

#include "vncplay/common/fbs.h"
#include "vncplay/learn/learn_core.h"
#define BEFORE_ALL set_up
#define AFTER_ALL remove_folder
#include "../../../../../tests/unit/folder.h"

#define WIDTH 96
#define HEIGHT 64

static struct growing_file *out;
static char log_path[64], side_path[64];
static unsigned char width = WIDTH;

static void begin(void)
{
	unsigned char greeting[] = { 'R', 'F', 'B', ' ',   '0', '0',	'3', '.', '0', '0', '3', '\n', 0,  0,
				     0,	  1,   0,   WIDTH, 0,	HEIGHT, 32,  24,  0,   1,   0,	 255,  0,  255,
				     0,	  255, 16,  8,	   0,	0,	0,   0,	  0,   0,   0,	 1,    'x' };

	greeting[17] = width;
	out = fbs_create(log_path);
	assert_non_null(out);
	fbs_write(out, greeting, sizeof(greeting), 0);
}

static void paint(unsigned ms, int x, int y, int w, int h, int colour)
{
	static unsigned char m[16 + WIDTH * HEIGHT * 4];
	size_t n = 16 + (size_t)(w * h * 4);

	memset(m, 0, 16);
	m[3] = 1;
	m[5] = (unsigned char)x;
	m[7] = (unsigned char)y;
	m[9] = (unsigned char)w;
	m[11] = (unsigned char)h;
	memset(m + 16, colour, n - 16);
	fbs_write(out, m, n, ms);
}

static struct trace_event events[] = {
	{ .kind = TRACE_MOVE, .line = 6 },     { .kind = TRACE_PRESS, .line = 7 },     { .kind = TRACE_RELEASE, .line = 8 },
	{ .kind = TRACE_SNAPSHOT, .line = 9 }, { .kind = TRACE_KEY_DOWN, .line = 10 }, { .kind = TRACE_KEY_UP, .line = 11 },
	{ .kind = TRACE_PRESS, .line = 12 },
};
static const struct input_trace trace = { .version = 1, .events = events, .n = 7 };
#define INPUTS 6

/* move at 100, press at 1000, release at 1050, key at 5000 and 5010, press at 9000 */
static const int64_t sent[INPUTS] = { 100000, 1000000, 1050000, 5000000, 5010000, 9000000 };

/* Reads the log, whose inputs went at these times. 0, or the error with `why`. */
static int count(struct learner *l, const int64_t *at_us, struct sent_inputs *inputs, struct why *why)
{
	struct replay r = { .file = log_path, .tiles.every = true };
	FILE *side = fopen(side_path, "w");
	int err, n = 0;

	assert_non_null(side);
	for (int i = 0; i < trace.n; i++)
		if (events[i].kind != TRACE_SNAPSHOT) {
			fprintf(side, "input %d %s at %lld line=%d\n", n, trace_event_words[events[i].kind], (long long)at_us[n],
				events[i].line);
			n++;
		}
	fprintf(side, "run end at 9999999 status=complete\n");
	assert_int_equal(fclose(side), 0);
	err = replay_read(&r);
	if (!err)
		err = learn_count_changes(l, &r, &r.why);
	*why = r.why;
	sent_inputs_free(inputs);
	*inputs = r.inputs;
	r.inputs = (struct sent_inputs){ 0 };
	replay_free(&r);
	return err;
}

/* A window opens after the press, in time for the key; a letter comes after the key, too late for
 * the next press in the second replay; a caret blinks at the bottom; a clock changes once, in one
 * replay only in each of two distances. */
static void write_run(int run)
{
	begin();
	paint(20, 0, 0, WIDTH, HEIGHT, 10);
	for (unsigned ms = 1000; ms < 9000; ms += 100) {
		if (ms == 1200 + 100u * (unsigned)run)
			paint(ms, 16, 0, 32, 32, 99);
		if (ms % 500 == 0 && ms > 1000)
			paint(ms, 0, 48, 4, 16, ms % 1000 ? 200 : 10);
		if (run == 0 && (ms == 1600 || ms == 5600))
			paint(ms, 80, 48, 16, 16, ms == 1600 ? 31 : 32);
		if (run != 1 && ms == 5200)
			paint(ms, 64, 0, 16, 16, 77);
	}
	paint(9300, 0, 0, WIDTH, 16, 5);
	if (run == 1)
		paint(9500, 64, 0, 16, 16, 77);
	assert_int_equal(growing_file_finish(out), 0);
}

TEST(test_learned)
{
	struct learner *l = learn_begin(&trace);
	struct sent_inputs inputs = { 0 };
	struct why why = { "" };
	struct dependencies d;
	int n;

	assert_int_equal(learn_count_steps(l), 3);
	for (int run = 0; run < 3; run++) {
		write_run(run);
		assert_int_equal(count(l, sent, &inputs, &why), 0);
	}
	learn_find_parts(l);
	for (int run = 0; run < 3; run++) {
		write_run(run);
		assert_int_equal(learn_hash_parts(l, log_path, &inputs), 0);
	}
	learn_make_result(l, &d);
	learn_free(l);
	sent_inputs_free(&inputs);
	assert_int_equal(d.inputs, INPUTS);
	assert_int_equal(d.n_before, 1); /* the window before the key; not the letter, which one replay did without */
	assert_non_null(deps_find(&d, 10, &n));
	assert_int_equal(n, 1);
	assert_memory_equal(&d.before[0].box, &((struct pixel_area){ 16, 0, 32, 32 }), sizeof(struct pixel_area));
	assert_false(d.before[0].any); /* it was the same in all */
	assert_int_equal(d.n_ignore, 2);
	assert_memory_equal(&d.ignore[0].box, &((struct pixel_area){ 0, 48, 16, 16 }), sizeof(struct pixel_area));
	assert_int_equal(d.ignore[0].why, DEPS_ALONE);
	assert_memory_equal(&d.ignore[1].box, &((struct pixel_area){ 80, 48, 16, 16 }), sizeof(struct pixel_area));
	assert_int_equal(d.ignore[1].why, DEPS_SOMETIMES);
	deps_free(&d);
}

/* A block of the millisecond in which an input went is not known to have come before it. */
TEST(test_the_same_millisecond)
{
	static const int64_t times[INPUTS] = { 100000, 1000000, 1050000, 5000999, 5010000, 9000000 };
	struct learner *l = learn_begin(&trace);
	struct sent_inputs inputs = { 0 };
	struct why why = { "" };
	struct dependencies d;
	int n;

	for (int run = 0; run < 2; run++) {
		begin();
		paint(20, 0, 0, WIDTH, HEIGHT, 10);
		paint(5000, 16, 16, 16, 16, 99);
		paint(8999, 32, 32, 16, 16, 50 + run);
		growing_file_finish(out);
		assert_int_equal(run ? 0 : count(l, times, &inputs, &why), 0);
		assert_int_equal(count(l, times, &inputs, &why), 0);
	}
	learn_find_parts(l);
	assert_int_equal(learn_hash_parts(l, log_path, &inputs), 0);
	learn_make_result(l, &d);
	sent_inputs_free(&inputs);
	assert_null(deps_find(&d, 10, &n));
	assert_non_null(deps_find(&d, 12, &n));
	assert_int_equal(n, 2);
	learn_free(l);
	deps_free(&d);
}

TEST(test_screens_differ)
{
	struct learner *l = learn_begin(&trace);
	struct sent_inputs inputs = { 0 };
	struct why why = { "" };

	write_run(0);
	assert_int_equal(count(l, sent, &inputs, &why), 0);
	width = WIDTH + 1;
	write_run(1);
	width = WIDTH;
	assert_int_equal(count(l, sent, &inputs, &why), -ERANGE);
	assert_string_equal(why.text, "its screen has another size");
	sent_inputs_free(&inputs);
	learn_free(l);
}

TEST(test_boxes)
{
	static const char picture[] = "##...#"
				      "##...#"
				      "######"
				      ".#.#..";
	uint8_t set[24];
	struct pixel_area b[8];

	for (int i = 0; i < 24; i++)
		set[i] = picture[i] == '#';
	assert_int_equal(learn_cover_tiles(set, 6, 4, 90, 64, b, 8), 5);
	assert_memory_equal(&b[0], &((struct pixel_area){ 0, 0, 32, 32 }), sizeof(*b));
	assert_memory_equal(&b[1], &((struct pixel_area){ 80, 0, 10, 32 }), sizeof(*b)); /* cut to the screen */
	assert_memory_equal(&b[2], &((struct pixel_area){ 0, 32, 90, 16 }), sizeof(*b));
	assert_memory_equal(&b[3], &((struct pixel_area){ 16, 48, 16, 16 }), sizeof(*b));
	assert_memory_equal(&b[4], &((struct pixel_area){ 48, 48, 16, 16 }), sizeof(*b));
	assert_int_equal(learn_cover_tiles(set, 6, 4, 90, 64, b, 2), 2); /* the two largest */
	assert_int_equal(b[0].h, 32);
	assert_int_equal(b[1].w, 90);
}

static int set_up(void **state)
{
	int err = make_folder(state);

	strcpy(log_path, in_folder("a log"));
	strcpy(side_path, in_folder("a log.aux"));
	return err;
}
