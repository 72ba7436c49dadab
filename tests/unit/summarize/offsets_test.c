// SPDX-License-Identifier: GPL-3.0-or-later
/* offsets - what a probe is off, on keys worked out by hand. */
#include "summarize/offsets.h"
#include "../unit.h"

#define N TRACE_NONE
#define US 1000LL

/* Key 2: 100 us there, 5 ms inside, 300 us back. Key 3 is lost on the way, 4 was never drawn, 5 never seen. */
static struct key_times key[] = {
	{ .number = 2, .sent_ns = 50000 * US, .answer_ns = 55400 * US },   { .number = 3, .sent_ns = 100000 * US },
	{ .number = 4, .sent_ns = 150000 * US, .answer_ns = 159000 * US }, { .number = 5, .sent_ns = 200000 * US },
	{ .number = 6, .sent_ns = 250000 * US, .answer_ns = 250250 * US },
};
static struct trace_app_echo echo[] = {
	{ 1, 1, 2, 3 },
	{ 2, 50100 * US, 55050 * US, 55100 * US },
	{ 4, 150100 * US, N, N },
	{ 5, 200100 * US, 200110 * US, 200120 * US },
	{ 6, 250100 * US, 250110 * US, 250150 * US },
};
static struct trace_wire_key seen[] = {
	{ .number = 2, .seen = 50040 * US },
	{ .number = 5, .seen = 200050 * US },
	{ .number = 6, .seen = 250060 * US },
};
/* The first one is somebody else's, before anything was drawn. */
static struct trace_screen_update update[] = {
	{ .first = 50200 * US },  { .first = 55070 * US },  { .first = 99000 * US },
	{ .first = 200111 * US }, { .first = 250105 * US }, /* 5 us before the drawing began: within the clocks' error */
};
static const struct key_samples keys = { .key = key, .n = sizeof(key) / sizeof(*key) };
static const struct train_traces traces = {
	.update = update,
	.updates = sizeof(update) / sizeof(*update),
	.key = seen,
	.keys = sizeof(seen) / sizeof(*seen),
	.echo = echo,
	.echoes = sizeof(echo) / sizeof(*echo),
};

static void offsets_free(struct probe_offsets *o)
{
	for (int i = 0; i < OFFSETS; i++)
		sample_free(&o->of[i]);
}

TEST(from_pixels)
{
	struct probe_offsets o = { 0 };

	offsets_add_train(&o, PROBE_PATCH, &keys, &traces);
	assert_int_equal(o.of[OFFSET].n, 2);
	assert_int_equal(o.lost, 3);
	/* key 2: 5,400 measured, 5,000 injected; key 6: 250 and 50 */
	assert_int_equal(sample_max(&o.of[OFFSET]).value, 400 * US);
	assert_int_equal(sample_min(&o.of[OFFSET]).value, 200 * US);
	assert_int_equal(sample_max(&o.of[MEASURED]).value, 5400 * US);
	assert_int_equal(sample_min(&o.of[MEASURED]).value, 250 * US);
	assert_int_equal(sample_max(&o.of[INJECTED]).value, 5000 * US);
	assert_int_equal(sample_max(&o.of[THERE]).value, 100 * US);
	assert_int_equal(sample_max(&o.of[BACK]).value, 300 * US);
	assert_int_equal(sample_min(&o.of[BACK]).value, 100 * US);
	offsets_free(&o);
}

TEST(on_the_wire)
{
	struct probe_offsets o = { 0 };

	offsets_add_train(&o, PROBE_WIRE, &keys, &traces);
	/* keys 2, 5 and 6: the pixels' answer is not asked for */
	assert_int_equal(o.of[OFFSET].n, 3);
	assert_int_equal(o.lost, 2);
	/* 2: there 60, back -30 (out before it was logged as flushed); 5: 50 and -9; 6: 40 and -45 */
	assert_int_equal(o.of[OFFSET].value[0], 30 * US);
	assert_int_equal(o.of[OFFSET].value[1], 41 * US);
	assert_int_equal(o.of[OFFSET].value[2], -5 * US);
	assert_int_equal(sample_max(&o.of[MAGNITUDE]).value, 41 * US);
	assert_int_equal(sample_min(&o.of[MAGNITUDE]).value, 5 * US);
	offsets_free(&o);
}

/* Ten values have to lie beyond a percentile. */
TEST(the_tail_that_can_be_told)
{
	static const struct {
		int n, percent;
	} expected[] = { { 0, 0 }, { 1, 75 }, { 99, 75 }, { 100, 90 }, { 199, 90 }, { 200, 95 }, { 999, 95 }, { 1000, 99 } };

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct probe_offsets o = { 0 };

		for (int v = 0; v < expected[i].n; v++)
			sample_add(&o.of[OFFSET], v);
		assert_int_equal(offsets_tail_percentile(&o.of[OFFSET]), expected[i].percent);
		offsets_free(&o);
	}
}
