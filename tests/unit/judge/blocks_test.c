// SPDX-License-Identifier: GPL-3.0-or-later
/* blocks - tables written by hand: what becomes a difference, in which scale, and what is left out. */
#include "judge/blocks.h"
#include "../unit.h"

#include <errno.h>

#define HEAD "schema\tstart\tpair\tvariant\tcell\tmetric\tunit\tbetter\tvalue\tdisturbed\n"
#define ROW(start, pair, variant, metric, unit, value, disturbed) \
	"blocks/1\t" #start "\t" #pair "\t" #variant "\tc\t" metric "\t" unit "\tlower\t" value "\t" #disturbed "\n"

static int read_text(const char *text, struct block_table *t, unsigned long *line)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int err = blocks_read(in, t, line);

	fclose(in);
	return err;
}

static void read_blocks(const char *text, struct block_table *t, struct block_effect effect)
{
	unsigned long line;

	assert_int_equal(read_text(text, t, &line), 0);
	blocks_compare(t, &effect);
}

TEST(scales)
{
	struct block_table t;

	read_blocks(HEAD ROW(1, 1, a, "p50", "ms", "10", 0) ROW(1, 1, b, "p50", "ms", "11", 0) ROW(1, 1, a, "late", "%", "0", 0)
			    ROW(1, 1, b, "late", "%", "3", 0) ROW(1, 1, a, "stall", "ms", "4", 0)
				    ROW(1, 1, b, "stall", "ms", "-1", 0) ROW(1, 1, a, "jitter", "ms", "40", 0)
					    ROW(1, 1, b, "jitter", "ms", "-1", 0),
		    &t, (struct block_effect){ .relative = 0.1, .points = 2 });
	assert_int_equal(t.n, 4);
	assert_true(t.series[0].relative);
	assert_near(t.series[0].figure.mean, log(1.1), 1e-12);
	assert_near(t.series[0].figure.effect, log(1.1), 1e-12);
	assert_false(t.series[1].relative);
	assert_near(t.series[1].figure.mean, 3, 1e-12);
	assert_near(t.series[1].figure.effect, 2, 0);
	assert_false(t.series[2].relative);
	assert_near(t.series[2].figure.mean, -5, 1e-12);
	assert_near(t.series[2].figure.effect, 1, 0);
	assert_near(t.series[3].figure.effect, 4, 1e-12);
	blocks_free(&t);
}

TEST(a_pair_that_was_disturbed_or_lacks_a_value_is_left_out_and_counted)
{
	struct block_table t;

	read_blocks(HEAD ROW(1, 1, a, "p50", "ms", "10", 0) ROW(1, 1, b, "p50", "ms", "40", 1) ROW(1, 1, b, "", "", "", 1)
			    ROW(1, 2, a, "p50", "ms", "", 0) ROW(1, 2, b, "p50", "ms", "11", 0) ROW(2, 3, a, "p50", "ms", "10", 0)
				    ROW(2, 3, b, "p50", "ms", "10", 0) ROW(2, 3, a, "", "", "", 0) ROW(2, 3, b, "", "", "", 0),
		    &t, (struct block_effect){ .relative = 0.1 });
	assert_int_equal(t.series->pairs, 1);
	assert_int_equal(t.series->disturbed, 1);
	assert_int_equal(t.series->lost, 1);
	assert_int_equal(t.series->figure.n, 1);
	assert_int_equal(t.block.n, 3);
	assert_int_equal(t.disturbed, 1);
	assert_false(t.throughout);
	blocks_free(&t);
}

/* By difference, and by logarithms (ln 2 = 0.693147, ln 2.2 = 0.788457). */
TEST(a_range_gives_the_difference_two_ends)
{
	struct block_table t;

	read_blocks(HEAD ROW(1, 1, a, "p50", "ms", "0..0.5", 0) ROW(1, 1, b, "p50", "ms", "6", 0) ROW(1, 2, a, "p50", "ms", "1", 0)
			    ROW(1, 2, b, "p50", "ms", "6..7", 0) ROW(1, 1, a, "p90", "ms", "10", 0)
				    ROW(1, 1, b, "p90", "ms", "20..22", 0) ROW(1, 2, a, "p90", "ms", "", 0)
					    ROW(1, 2, b, "p90", "ms", "20..22", 0),
		    &t, (struct block_effect){ .relative = 0.1 });
	assert_false(t.series[0].relative);
	assert_near(t.series[0].figure.mean - t.series[0].figure.wide, (5.5 + 5) / 2, 1e-12);
	assert_near(t.series[0].figure.mean + t.series[0].figure.wide, (6.0 + 6) / 2, 1e-12);
	assert_int_equal(t.series[0].ranged, 2);
	assert_int_equal(t.series[0].unknown[VARIANT_A], 0);
	assert_true(t.series[1].relative);
	assert_near(t.series[1].figure.mean - t.series[1].figure.wide, 0.693147, 1e-6);
	assert_near(t.series[1].figure.mean + t.series[1].figure.wide, 0.788457, 1e-6);
	assert_int_equal(t.series[1].ranged, 1);
	assert_int_equal(t.series[1].lost, 1);
	assert_int_equal(t.series[1].unknown[VARIANT_A], 1);
	blocks_free(&t);
}

TEST(disturbed_throughout_takes_two_starts_that_were_measured)
{
	struct block_table t;
	struct block_effect tenth = { .relative = 0.1 };

	read_blocks(HEAD ROW(0, 1, b, "", "", "", 0) ROW(1, 1, a, "", "", "", 1) ROW(1, 1, b, "", "", "", 0), &t, tenth);
	assert_false(t.throughout);
	blocks_free(&t);
	read_blocks(HEAD ROW(0, 1, b, "", "", "", 0) ROW(1, 1, a, "", "", "", 1) ROW(1, 1, b, "", "", "", 0)
			    ROW(2, 2, a, "", "", "", 1) ROW(2, 2, b, "", "", "", 0),
		    &t, tenth);
	assert_true(t.throughout);
	blocks_free(&t);
}

TEST(a_metric_under_a_second_name_is_tested_once)
{
	struct block_table t;

	read_blocks(HEAD ROW(1, 1, a, "p50", "ms", "10", 0) ROW(1, 1, b, "p50", "ms", "11", 0) ROW(1, 1, a, "high", "ms", "10", 0)
			    ROW(1, 1, b, "high", "ms", "11", 0) ROW(1, 1, a, "other", "ms", "10", 0)
				    ROW(1, 1, b, "other", "ms", "12", 0),
		    &t, (struct block_effect){ .relative = 0.1 });
	assert_null(t.series[0].same_as);
	assert_ptr_equal(t.series[1].same_as, &t.series[0]);
	assert_null(t.series[2].same_as);
	blocks_free(&t);
}

/* A ratio says nothing of a time of nearly 0, in whichever run it is. */
TEST(a_time_below_1_ms_is_compared_by_difference)
{
	static const char *const rows[] = {
		HEAD ROW(1, 1, a, "stall", "ms", "0.05", 0) ROW(1, 1, b, "stall", "ms", "1.3", 0),
		HEAD ROW(1, 1, a, "stall", "ms", "1.3", 0) ROW(1, 1, b, "stall", "ms", "0.05", 0),
		HEAD ROW(1, 1, a, "wake", "us", "1300", 0) ROW(1, 1, b, "wake", "us", "50", 0),
		HEAD ROW(1, 1, a, "memory", "MB", "0.5", 0) ROW(1, 1, b, "memory", "MB", "0.6", 0),
	};
	static const double effect[] = { 1, 1, 1000, 0 };
	struct block_table t;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		read_blocks(rows[i], &t, (struct block_effect){ .relative = 0.1 });
		assert_int_equal(t.series->relative, !effect[i]);
		assert_near(t.series->figure.effect, effect[i] > 0 ? effect[i] : log(1.1), 1e-12);
		blocks_free(&t);
	}
}

/* Rows of two starts, mixed up; pairs of a start far apart. */
TEST(a_start_is_the_mean_of_its_pairs_in_any_order)
{
	struct block_table t;

	read_blocks(HEAD ROW(2, 3, b, "p50", "ms", "23", 0) ROW(1, 1, a, "p50", "ms", "10", 0) ROW(2, 3, a, "p50", "ms", "20", 0)
			    ROW(1, 2, b, "p50", "ms", "13", 0) ROW(1, 2, a, "p50", "ms", "10", 0)
				    ROW(1, 1, b, "p50", "ms", "11", 0),
		    &t, (struct block_effect){ .time_ms = 5, .points = 1 });
	assert_int_equal(t.n, 1);
	assert_false(t.series->relative);
	assert_near(t.series->figure.effect, 5, 0);
	assert_near(t.series->typical[VARIANT_A], 10, 0);
	assert_near(t.series->typical[VARIANT_B], 13, 0);
	assert_int_equal(t.series->figure.n, 2);
	assert_int_equal(t.series->pairs, 3);
	assert_near(t.series->figure.value[0], 2, 1e-12);
	assert_near(t.series->figure.value[1], 3, 1e-12);
	blocks_free(&t);
}

/* Where the starts of one order are disturbed more often, those of the other wait: starts of both orders count as often, but for
 * one, in the same order at each look. */
TEST(what_the_order_makes_cancels_though_the_starts_of_one_order_are_disturbed)
{
	struct block_table t;

	read_blocks(HEAD ROW(1, 1, a, "p50", "ms", "12", 0) ROW(1, 1, b, "p50", "ms", "10", 0) ROW(2, 2, a, "p50", "ms", "10", 1)
			    ROW(2, 2, b, "p50", "ms", "12", 0) ROW(3, 3, a, "p50", "ms", "13", 0)
				    ROW(3, 3, b, "p50", "ms", "10", 0),
		    &t, (struct block_effect){ .time_ms = 1 });
	assert_int_equal(t.series->pairs, 2);
	assert_int_equal(t.series->figure.n, 1);
	assert_near(t.series->figure.value[0], -2, 1e-12);
	blocks_free(&t);
	read_blocks(HEAD ROW(1, 1, a, "p50", "ms", "12", 0) ROW(1, 1, b, "p50", "ms", "10", 0) ROW(3, 3, a, "p50", "ms", "13", 0)
			    ROW(3, 3, b, "p50", "ms", "10", 0) ROW(4, 4, a, "p50", "ms", "10", 0)
				    ROW(4, 4, b, "p50", "ms", "12", 0),
		    &t, (struct block_effect){ .time_ms = 1 });
	assert_int_equal(t.series->figure.n, 3);
	assert_near(t.series->figure.value[0], -2, 1e-12);
	assert_near(t.series->figure.value[1], 2, 1e-12);
	assert_near(t.series->figure.value[2], -3, 1e-12);
	blocks_free(&t);
}

TEST(a_second_row_of_a_block_is_refused_and_named)
{
	struct block_table t;
	unsigned long line;

	assert_int_equal(read_text(HEAD ROW(1, 1, a, "p50", "ms", "10", 0) ROW(1, 1, a, "p90", "ms", "10", 0)
					   ROW(1, 1, a, "p50", "ms", "11", 0),
				   &t, &line),
			 -EEXIST);
	assert_int_equal(line, 4);
	blocks_free(&t);
	assert_int_equal(read_text(HEAD ROW(1, 1, a, "", "", "", 0) ROW(1, 1, a, "", "", "", 1), &t, &line), -EEXIST);
	blocks_free(&t);
}

TEST(wrong_rows_are_named)
{
	static const char *const wrong[] = { "..", "1..", "..1", "2..1", "1..inf", "nan..1", "1..2..3", "1...2.", "1 .. 2x" };
	char text[200];
	struct block_table t;
	unsigned long line;

	assert_int_equal(read_text(HEAD ROW(1, 1, c, "p50", "ms", "10", 0), &t, &line), -EPROTO);
	assert_int_equal(line, 2);
	blocks_free(&t);
	assert_int_equal(read_text(HEAD ROW(1, 1, a, "p50", "ms", "ten", 0), &t, &line), -EPROTO);
	blocks_free(&t);
	assert_int_equal(read_text(HEAD ROW(1, 1, a, "p50", "ms", "inf", 0), &t, &line), -EPROTO);
	blocks_free(&t);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		snprintf(text, sizeof(text), HEAD ROW(1, 1, a, "p50", "ms", "%s", 0), wrong[i]);
		assert_int_equal(read_text(text, &t, &line), -EPROTO);
		blocks_free(&t);
	}
	assert_int_equal(read_text("schema\tstart\n", &t, &line), -EPROTO);
	blocks_free(&t);
}
