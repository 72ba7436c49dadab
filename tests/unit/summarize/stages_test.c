#include "../unit.h"
// SPDX-License-Identifier: GPL-3.0-or-later
/* stages and wire_check - one train by hand: what keys, wire and application tell, put together; times in ms. */
#include "summarize/stages.h"

#include <errno.h>
#include "../unit.h"

#define MS 1000000LL
#define WIRE "schema\tkind\tn\ttime_ns\tend_ns\tpackets\tbytes\tkey\tlow_ns\thigh_ns\texact\tblock\n"
#define ECHO "schema\tseq\treceived_ns\tdraw_ns\tflushed_ns\tdropped\tcoalesced\n"

static int read_wire(struct train_traces *t, const char *text, unsigned long *line)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err = rows_read(in, &traces_wire, t, line);

	fclose(in);
	return err;
}

static int read_echo(struct train_traces *t, const char *text, unsigned long *line)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err = rows_read(in, &traces_echoes, t, line);

	fclose(in);
	return err;
}

static void stages_free(struct stage_samples *s)
{
	for (int i = 0; i < STAGES; i++)
		sample_free(&s->of[i]);
}

TEST(a_key_is_split_into_stages_that_add_up)
{
	const struct stage_times t = { 100, 103, 110, 145, 1250, 1800, 1875 },
				 without = { 100, 103, 110, TRACE_NONE, TRACE_NONE, 1800, 1875 };
	static const int64_t lengths[STAGES] = { 3, 7, 35, 1105, 550, TRACE_NONE, 75, 1775 };
	int64_t ns[STAGES], sum = 0;

	stages_compute(&t, ns);
	for (int s = 0; s < STAGES; s++) {
		assert_int_equal(ns[s], lengths[s]);
		sum += s < LATENCY && s != WIRE_WIRE ? ns[s] : 0;
	}
	assert_int_equal(sum, t.pixels - t.due);
	assert_int_equal(ns[WIRE_WIRE], TRACE_NONE);
	stages_compute(&without, ns);
	assert_int_equal(ns[WIRE_WIRE], 1690);
	assert_int_equal(ns[WIRE_APP], TRACE_NONE);
	assert_int_equal(ns[DUE_SENT] + ns[SENT_WIRE] + ns[WIRE_WIRE] + ns[WIRE_PIXELS], t.pixels - t.due);
}

/* Keys 6 to 9 (the first five are warm-up) at 1000, 1050, 1100, 1150 ms; the application had counted 300 before. Keys 6 and 7 are
 * answered by one redraw, 8 never is in the pixels, 9's range has two ends. */
static const char wire_text[] = WIRE "wire/1\tupdate\t1\t990000000\t990000000\t1\t9\t\t\t\t\t1\n"
				     "wire/1\tupdate\t2\t1090000000\t1095000000\t2\t90\t\t\t\t\t1\n"
				     "wire/1\tkey\t6\t1001000000\t\t\t\t6\t1090000000\t1090000000\t0\t1\n"
				     "wire/1\tkey\t7\t1051000000\t\t\t\t7\t1090000000\t1200000000\t0\t1\n"
				     "wire/1\tkey\t8\t1101000000\t\t\t\t8\t1200000000\t\t0\t1\n"
				     "wire/1\tkey\t9\t1151000000\t\t\t\t9\t\t\t0\t1\n"
				     "wire/1\tupdate\t3\t1200000000\t1200000000\t1\t9\t\t\t\t\t1\n";
static const char echo_text[] = ECHO "echo/1\t306\t1002000000\t1080000000\t1081000000\t0\t1\n"
				     "echo/1\t307\t1053000000\t1080000000\t1081000000\t0\t0\n"
				     "echo/1\t308\t1103000000\t\t\t0\t0\n"
				     "echo/1\t309\t1153000000\t1180000000\t1181000000\t0\t0\n";

static struct key_times keys_of[] = {
	{ .number = 6, .due_ns = 999 * MS, .sent_ns = 1000 * MS, .answer_ns = 1097 * MS, .high_ns = 1097 * MS, .exact = true },
	{ .number = 7, .due_ns = 1049 * MS, .sent_ns = 1050 * MS, .answer_ns = 1097 * MS, .high_ns = 1097 * MS, .exact = true },
	{ .number = 8, .due_ns = 1099 * MS, .sent_ns = 1100 * MS, .censored_ns = 3000 * MS },
	{ .number = 9, .due_ns = 1149 * MS, .sent_ns = 1150 * MS, .answer_ns = 1201 * MS, .high_ns = 1300 * MS },
};

static void train_of(struct key_samples *k, struct train_traces *t)
{
	unsigned long line;

	*k = (struct key_samples){ .key = keys_of, .n = 4, .skipped = 5 };
	*t = (struct train_traces){ 0 };
	assert_int_equal(read_wire(t, wire_text, &line), 0);
	assert_int_equal(read_echo(t, echo_text, &line), 0);
}

TEST(keys_with_an_exact_answer_are_split)
{
	struct stage_samples s;
	struct train_traces t;
	struct key_samples k;

	train_of(&k, &t);
	s = stages_split_train(&k, &t, 300);
	assert_int_equal(s.keys, 4);
	assert_int_equal(s.split, 2);
	/* key 6: due 999, sent 1000, wire 1001, read 1002, out 1081, reply 1090, pixels 1097 */
	assert_int_equal(s.of[DUE_SENT].value[0], 1 * MS);
	assert_int_equal(s.of[SENT_WIRE].value[0], 1 * MS);
	assert_int_equal(s.of[WIRE_APP].value[0], 1 * MS);
	assert_int_equal(s.of[APP_DRAWN].value[0], 79 * MS);
	assert_int_equal(s.of[DRAWN_WIRE].value[0], 9 * MS);
	assert_int_equal(s.of[WIRE_PIXELS].value[0], 7 * MS);
	assert_int_equal(s.of[WIRE_APP].value[1], 2 * MS);
	for (size_t i = 0; i < s.split; i++) {
		int64_t sum = 0;

		for (int stage = 0; stage < LATENCY; stage++)
			sum += stage == WIRE_WIRE ? 0 : s.of[stage].value[i];
		assert_int_equal(sum, keys_of[i].answer_ns - keys_of[i].due_ns);
		assert_int_equal(s.of[LATENCY].value[i], sum);
	}
	stages_free(&s);
	/* numbers of other keys: the log tells of later ones only, so nothing can be split */
	s = stages_split_train(&k, &t, 290);
	assert_int_equal(s.split, 0);
	stages_free(&s);
	/* the application keeps no log */
	t.echoes = 0;
	s = stages_split_train(&k, &t, 300);
	assert_int_equal(s.split, 2);
	assert_int_equal(s.of[WIRE_WIRE].value[0], 89 * MS);
	assert_int_equal(s.of[APP_DRAWN].n, 0);
	stages_free(&s);
	traces_free(&t);
}

TEST(the_patch_counts_modulo_2_24)
{
	struct stage_samples s;
	struct train_traces t;
	struct key_samples k;

	train_of(&k, &t);
	for (size_t i = 0; i < t.echoes; i++)
		t.echo[i].number += 3 << 24;
	s = stages_split_train(&k, &t, 300);
	assert_int_equal(s.split, 2);
	stages_free(&s);
	traces_free(&t);
}

TEST(an_application_that_serves_by_itself_has_drawn_when_it_is_on_the_wire)
{
	struct stage_samples s;
	struct train_traces t;
	struct key_samples k;

	train_of(&k, &t);
	t.echo[0].flushed = 1091 * MS;
	s = stages_split_train(&k, &t, 300);
	assert_int_equal(s.of[APP_DRAWN].value[0], 88 * MS);
	assert_int_equal(s.of[DRAWN_WIRE].value[0], 0);
	assert_int_equal(s.of[LATENCY].value[0], 98 * MS);
	stages_free(&s);
	traces_free(&t);
}

TEST(an_update_that_began_before_the_drawing_is_not_the_reply)
{
	struct stage_samples s;
	struct train_traces t;
	struct key_samples k;

	train_of(&k, &t);
	t.echo[0].draw = 1091 * MS;
	s = stages_split_train(&k, &t, 300);
	assert_int_equal(s.split, 1);
	stages_free(&s);
	/* nor one from before the key */
	t.key[1].seen = 1091 * MS;
	s = stages_split_train(&k, &t, 300);
	assert_int_equal(s.split, 0);
	stages_free(&s);
	traces_free(&t);
}

TEST(ranges_are_held_against_the_pixels)
{
	struct wire_check_counts wire_check;
	struct train_traces t;
	struct key_samples k;

	train_of(&k, &t);
	wire_check = wire_check_compare(&k, &t);
	assert_int_equal(wire_check.keys, 2); /* 8 was not answered, 9 is no exact answer */
	assert_int_equal(wire_check.held, 2);
	assert_int_equal(wire_check.exact, 0);
	assert_int_equal(wire_check.untested, 2);
	/* a range that ends before, one that begins after, one that is open, one that says "no answer" */
	t.key[0].high = 1089 * MS;
	t.key[0].exact = true;
	t.key[1].low = 1091 * MS;
	wire_check = wire_check_compare(&k, &t);
	assert_int_equal(wire_check.held, 0);
	assert_int_equal(wire_check.exact, 1);
	t.key[0].low = 1050 * MS;
	t.key[0].high = TRACE_NONE;
	t.key[1].low = TRACE_NONE;
	wire_check = wire_check_compare(&k, &t);
	assert_int_equal(wire_check.held, 1);
	/* not in the capture: nothing to hold */
	t.key[1].captured = false;
	wire_check = wire_check_compare(&k, &t);
	assert_int_equal(wire_check.keys, 1);
	assert_int_equal(wire_check.untested, 3);
	traces_free(&t);
}

TEST(keys_as_the_wire_alone_tells_them)
{
	struct train_traces t;
	struct key_samples k, w;

	train_of(&k, &t);
	w = wire_check_make_keys(&k, &t);
	assert_int_equal(w.n, 4);
	assert_int_equal(w.skipped, 5);
	assert_true(w.ranged);
	assert_int_equal(w.key[0].answer_ns, 1090 * MS);
	assert_int_equal(w.key[0].high_ns, 1090 * MS);
	assert_int_equal(w.key[0].censored_ns, 0);
	assert_int_equal(w.key[1].high_ns, 1200 * MS);
	/* an open end is later than the early one, no answer later than the next update */
	assert_int_equal(w.key[2].answer_ns, 1200 * MS);
	assert_int_equal(w.key[2].high_ns, 0);
	assert_int_equal(w.key[2].censored_ns, 1200 * MS);
	assert_int_equal(w.key[3].answer_ns, 0);
	assert_int_equal(w.key[3].censored_ns, 1200 * MS);
	keys_free(&w);
	traces_free(&t);
}

/* Keys 7 and 8 crossed when 9 had been sent: they are the slow ones. */
TEST(a_key_that_was_not_seen_alone_stays)
{
	static const char late[] = WIRE "wire/1\tupdate\t1\t990000000\t990000000\t1\t9\t\t\t\t\t1\n"
					"wire/1\tkey\t6\t1001000000\t\t\t\t6\t1200000000\t1200000000\t0\t1\n"
					"wire/1\tkey\t7\t\t\t\t\t7\t1200000000\t1300000000\t0\t1\n"
					"wire/1\tkey\t8\t\t\t\t\t8\t\t\t0\t1\n"
					"wire/1\tkey\t9\t1151000000\t\t\t\t9\t\t\t0\t2\n"
					"wire/1\tupdate\t2\t1200000000\t1200000000\t1\t9\t\t\t\t\t1\n";
	struct train_traces t = { 0 };
	struct wire_check_counts wire_check;
	struct key_samples k = { .key = keys_of, .n = 4 }, w;
	unsigned long line;

	assert_int_equal(read_wire(&t, late, &line), 0);
	w = wire_check_make_keys(&k, &t);
	assert_int_equal(w.n, 4);
	assert_int_equal(w.key[1].answer_ns, 1200 * MS);
	assert_int_equal(w.key[2].answer_ns, 0);
	assert_int_equal(w.key[2].censored_ns, 1200 * MS);
	wire_check = wire_check_compare(&k, &t);
	assert_int_equal(wire_check.keys, 2);
	keys_free(&w);
	/* the block's first key was not seen: it is not in the capture, whatever else crossed meanwhile */
	t.key[0].captured = t.key[1].captured = t.key[2].captured = false;
	w = wire_check_make_keys(&k, &t);
	assert_int_equal(w.n, 1);
	keys_free(&w);
	traces_free(&t);
}

TEST(the_capture_says_which_blocks_it_holds)
{
	static const char said[] =
		"schema\tkind\tn\ttime_ns\tend_ns\tpackets\tbytes\tkey\tlow_ns\thigh_ns\texact\tblock\tcaptured\n"
		"wire/1\tkey\t1\t\t\t\t\t6\t1200000000\t1200000000\t0\t1\t1\n"
		"wire/1\tkey\t2\t1051000000\t\t\t\t7\t1200000000\t1200000000\t0\t1\t1\n"
		"wire/1\tkey\t3\t1101000000\t\t\t\t8\t\t\t0\t2\t0\n";
	struct train_traces t = { 0 };
	unsigned long line;

	assert_int_equal(read_wire(&t, said, &line), 0);
	assert_true(t.key[0].captured && t.key[1].captured); /* the first was held up */
	assert_false(t.key[2].captured);
	traces_free(&t);
}

TEST(broken_rows_are_named)
{
	static const struct {
		const char *text;
		unsigned long line;
	} broken[] = {
		{ "", 0 },
		{ "schema\tkind\n", 1 },
		{ WIRE "wire/2\tupdate\t1\t1\t1\t1\t1\t\t\t\t\t1\n", 2 },
		{ WIRE "wire/1\tupdate\t1\t\t1\t1\t1\t\t\t\t\t1\n", 2 },
		{ WIRE "wire/1\tupdate\t1\t5\t4\t1\t1\t\t\t\t\t1\n", 2 },
		{ WIRE "wire/1\tkey\t1\t5\t\t\t\t\t\t\t\t1\n", 2 },
		{ WIRE "wire/1\tkey\t1\t5\t\t\t\t2\t\t\t\t1\nwire/1\tkey\t1\t5\t\t\t\t2\t\t\t\t1\n", 3 },
		{ WIRE "wire/1\tkey\t1\t5\t\t\t\t2\tx\t\t\t1\n", 2 },
		{ WIRE "wire/1\tkey\t1\t9223372036854775807\t\t\t\t2\t\t\t\t1\n", 2 },
		{ WIRE "wire/1\tkey\t1\t5\t\t\t\t2\t-5\t\t\t1\n", 2 },
		{ WIRE "wire/1\tupdate\t1\t5\t9223372036854775807\t1\t1\t\t\t\t\t1\n", 2 },
	};
	unsigned long line;

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		struct train_traces t = { 0 };

		assert_int_equal(read_wire(&t, broken[i].text, &line), -EPROTO);
		assert_int_equal(line, broken[i].line);
		traces_free(&t);
	}
	{
		struct train_traces t = { 0 };

		assert_int_equal(read_echo(&t, ECHO "echo/1\t\t1\t1\t1\t0\t0\n", &line), -EPROTO);
		assert_int_equal(read_echo(&t, ECHO "echo/1\t9223372036854775807\t1\t1\t1\t0\t0\n", &line), -EPROTO);
		assert_int_equal(read_echo(&t, ECHO "echo/1\t1\t1\t-9223372036854775807\t1\t0\t0\n", &line), -EPROTO);
		/* kinds to come are passed over */
		assert_int_equal(read_wire(&t, WIRE "wire/1\tdream\t1\t5\t\t\t\t\t\t\t\t1\n", &line), 0);
		assert_int_equal(t.keys + t.updates, 0);
		traces_free(&t);
	}
}
