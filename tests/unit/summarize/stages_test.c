// SPDX-License-Identifier: GPL-3.0-or-later
/* stages and wire_check - one train by hand: what keys, wire and application tell, put together; times in ms. */
#include "summarize/stages.h"

#include <errno.h>
#include "../unit.h"

#define MS 1000000LL
#define WIRE "schema\tkind\tn\ttime_ns\tend_ns\tpackets\tbytes\tkey\tlow_ns\thigh_ns\texact\tblock\n"
#define ECHO "schema\tseq\treceived_ns\tdraw_ns\tflushed_ns\tdropped\tcoalesced\n"

static struct train_traces traces;
static struct key_samples keys;
static struct stage_samples stages;
static unsigned long line;

static int read_rows(const struct input_table *kind, const char *text)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err = rows_read(in, kind, &traces, &line);

	fclose(in);
	return err;
}

TEST(a_key_is_split_into_stages_that_add_up)
{
	const struct stage_times t = { 100, 103, 110, 145, 1250, 1800, 1875 },
				 without = { 100, 103, 110, TRACE_NONE, TRACE_NONE, 1800, 1875 };
	static const int64_t lengths[STAGES] = { 3, 7, 35, 1105, 550, TRACE_NONE, 75, 1775 };
	int64_t ns[STAGES], sum = 0;

	stages_compute_lengths(&t, ns);
	for (int s = 0; s < STAGES; s++) {
		assert_int_equal(ns[s], lengths[s]);
		sum += s < LATENCY && s != WIRE_WIRE ? ns[s] : 0;
	}
	assert_int_equal(sum, t.pixels - t.due);
	assert_int_equal(ns[WIRE_WIRE], TRACE_NONE);
	stages_compute_lengths(&without, ns);
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

static int forget(void **state)
{
	for (int i = 0; i < STAGES; i++)
		sample_free(&stages.of[i]);
	traces_free(&traces);
	return 0;
}

static int make_train(void **state)
{
	keys = (struct key_samples){ .key = keys_of, .n = 4, .skipped = 5 };
	return read_rows(&traces_wire, wire_text) || read_rows(&traces_echoes, echo_text);
}

/* Splits the train, whose numbers begin after `base`; so many keys can be. */
static void split(int64_t base, size_t n)
{
	for (int i = 0; i < STAGES; i++)
		sample_free(&stages.of[i]);
	stages = stages_split_train(&keys, &traces, base);
	assert_int_equal(stages.split, n);
}

TEST_WITH(make_train, forget, keys_with_an_exact_answer_are_split)
{
	/* key 6: due 999, sent 1000, wire 1001, read 1002, out 1081, reply 1090, pixels 1097 */
	static const struct {
		enum stage stage;
		int64_t ms;
	} key_6[] = {
		{ DUE_SENT, 1 }, { SENT_WIRE, 1 }, { WIRE_APP, 1 }, { APP_DRAWN, 79 }, { DRAWN_WIRE, 9 }, { WIRE_PIXELS, 7 }
	};

	split(300, 2);
	assert_int_equal(stages.keys, 4);
	for (size_t i = 0; i < COUNT(key_6); i++)
		assert_int_equal(stages.of[key_6[i].stage].value[0], key_6[i].ms * MS);
	assert_int_equal(stages.of[WIRE_APP].value[1], 2 * MS);
	for (size_t i = 0; i < stages.split; i++) {
		int64_t sum = 0;

		for (int stage = 0; stage < LATENCY; stage++)
			sum += stage == WIRE_WIRE ? 0 : stages.of[stage].value[i];
		assert_int_equal(sum, keys_of[i].answer_ns - keys_of[i].due_ns);
		assert_int_equal(stages.of[LATENCY].value[i], sum);
	}
	split(290, 0); /* numbers of other keys: the log tells of later ones only, so nothing can be split */
	for (size_t i = 0; i < traces.echoes; i++) /* the patch counts modulo 2^24 */
		traces.echo[i].number += 3 << 24;
	split(300, 2);
	traces.echoes = 0; /* the application keeps no log */
	split(300, 2);
	assert_int_equal(stages.of[WIRE_WIRE].value[0], 89 * MS);
	assert_int_equal(stages.of[APP_DRAWN].n, 0);
}

TEST_WITH(make_train, forget, an_application_that_serves_by_itself_has_drawn_when_it_is_on_the_wire)
{
	traces.echo[0].flushed = 1091 * MS;
	split(300, 2);
	assert_int_equal(stages.of[APP_DRAWN].value[0], 88 * MS);
	assert_int_equal(stages.of[DRAWN_WIRE].value[0], 0);
	assert_int_equal(stages.of[LATENCY].value[0], 98 * MS);
	/* an update that began before the drawing is not the reply, nor one from before the key */
	traces.echo[0].draw = 1091 * MS;
	split(300, 1);
	traces.key[1].seen = 1091 * MS;
	split(300, 0);
}

static void compare(size_t checked, size_t held, size_t exact, size_t untested)
{
	struct wire_check_counts wire_check = wire_check_compare(&keys, &traces);

	assert_int_equal(wire_check.keys, checked);
	assert_int_equal(wire_check.held, held);
	assert_int_equal(wire_check.exact, exact);
	assert_int_equal(wire_check.untested, untested);
}

TEST_WITH(make_train, forget, ranges_are_held_against_the_pixels)
{
	compare(2, 2, 0, 2); /* 8 was not answered, 9 is no exact answer */
	/* a range that ends before, one that begins after, one that is open, one that says "no answer" */
	traces.key[0].high = 1089 * MS;
	traces.key[0].exact = true;
	traces.key[1].low = 1091 * MS;
	compare(2, 0, 1, 2);
	traces.key[0].low = 1050 * MS;
	traces.key[0].high = TRACE_NONE;
	traces.key[1].low = TRACE_NONE;
	compare(2, 1, 1, 2);
	/* not in the capture: nothing to hold */
	traces.key[1].captured = false;
	compare(1, 1, 1, 3);
}

/* As the wire alone tells it; 0: not known. */
static void answered(const struct key_times *k, int64_t ms, int64_t high_ms, int64_t censored_ms)
{
	assert_int_equal(k->answer_ns, ms * MS);
	assert_int_equal(k->high_ns, high_ms * MS);
	assert_int_equal(k->censored_ns, censored_ms * MS);
}

TEST_WITH(make_train, forget, keys_as_the_wire_alone_tells_them)
{
	struct key_samples w = wire_check_make_keys(&keys, &traces);

	assert_int_equal(w.n, 4);
	assert_int_equal(w.skipped, 5);
	assert_true(w.ranged);
	answered(&w.key[0], 1090, 1090, 0);
	answered(&w.key[1], 1090, 1200, 0);
	/* an open end is later than the early one, no answer later than the next update */
	answered(&w.key[2], 1200, 0, 1200);
	answered(&w.key[3], 0, 0, 1200);
	keys_free(&w);
}

/* Keys 7 and 8 crossed when 9 had been sent: they are the slow ones. */
TEST_WITH(NULL, forget, a_key_that_was_not_seen_alone_stays)
{
	static const char late[] = WIRE "wire/1\tupdate\t1\t990000000\t990000000\t1\t9\t\t\t\t\t1\n"
					"wire/1\tkey\t6\t1001000000\t\t\t\t6\t1200000000\t1200000000\t0\t1\n"
					"wire/1\tkey\t7\t\t\t\t\t7\t1200000000\t1300000000\t0\t1\n"
					"wire/1\tkey\t8\t\t\t\t\t8\t\t\t0\t1\n"
					"wire/1\tkey\t9\t1151000000\t\t\t\t9\t\t\t0\t2\n"
					"wire/1\tupdate\t2\t1200000000\t1200000000\t1\t9\t\t\t\t\t1\n";
	struct key_samples w;

	assert_int_equal(read_rows(&traces_wire, late), 0);
	w = wire_check_make_keys(&keys, &traces);
	assert_int_equal(w.n, 4);
	answered(&w.key[1], 1200, 1300, 0);
	answered(&w.key[2], 0, 0, 1200);
	assert_int_equal(wire_check_compare(&keys, &traces).keys, 2);
	keys_free(&w);
	/* the block's first key was not seen: it is not in the capture, whatever else crossed meanwhile */
	traces.key[0].captured = traces.key[1].captured = traces.key[2].captured = false;
	w = wire_check_make_keys(&keys, &traces);
	assert_int_equal(w.n, 1);
	keys_free(&w);
}

TEST_WITH(NULL, forget, the_capture_says_which_blocks_it_holds)
{
	static const char said[] =
		"schema\tkind\tn\ttime_ns\tend_ns\tpackets\tbytes\tkey\tlow_ns\thigh_ns\texact\tblock\tcaptured\n"
		"wire/1\tkey\t1\t\t\t\t\t6\t1200000000\t1200000000\t0\t1\t1\n"
		"wire/1\tkey\t2\t1051000000\t\t\t\t7\t1200000000\t1200000000\t0\t1\t1\n"
		"wire/1\tkey\t3\t1101000000\t\t\t\t8\t\t\t0\t2\t0\n";

	assert_int_equal(read_rows(&traces_wire, said), 0);
	assert_true(traces.key[0].captured && traces.key[1].captured); /* the first was held up */
	assert_false(traces.key[2].captured);
}

TEST_WITH(NULL, forget, broken_rows_are_named)
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

	for (size_t i = 0; i < COUNT(broken); i++) {
		assert_int_equal(read_rows(&traces_wire, broken[i].text), -EPROTO);
		assert_int_equal(line, broken[i].line);
		forget(NULL);
	}
	assert_int_equal(read_rows(&traces_echoes, ECHO "echo/1\t\t1\t1\t1\t0\t0\n"), -EPROTO);
	assert_int_equal(read_rows(&traces_echoes, ECHO "echo/1\t9223372036854775807\t1\t1\t1\t0\t0\n"), -EPROTO);
	assert_int_equal(read_rows(&traces_echoes, ECHO "echo/1\t1\t1\t-9223372036854775807\t1\t0\t0\n"), -EPROTO);
	/* kinds to come are passed over */
	assert_int_equal(read_rows(&traces_wire, WIRE "wire/1\tdream\t1\t5\t\t\t\t\t\t\t\t1\n"), 0);
	assert_int_equal(traces.keys + traces.updates, 0);
}
