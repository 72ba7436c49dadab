// SPDX-License-Identifier: GPL-3.0-or-later
/* trials - figures of a cell over the trials that were judged alike, on numbers worked out by hand. */
#include <math.h>

#include "summarize/trials.h"
#include "../unit.h"

enum { OUT, IN };
enum { KEY, BYTES };
static const char *const groups[] = { "out", "in", NULL }, *const values[] = { "key_ms", "bytes", NULL };

static void add(struct cell_trials *t, unsigned group, double ms, bool above, double bytes)
{
	struct trial *one = trials_add(t, 1, 1);

	assert_non_null(one);
	one->group = group;
	trials_set_value(one, KEY, ms, above);
	trials_set_value(one, BYTES, bytes, false);
}

static void add_to_repeat(struct cell_trials *t, int64_t repeat, double ms)
{
	struct trial *one = trials_add(t, repeat, 1);

	one->group = OUT;
	trials_set_value(one, KEY, ms, false);
}

static double figure(const struct cell_trials *t, const char *path)
{
	struct figure f;

	assert_true(trials_compute_figure(t, groups, values, path, &f));
	return f.value;
}

TEST(trials_are_pooled_by_what_they_were)
{
	struct cell_trials t = { 0 };
	struct figure f;

	add(&t, OUT, 100, false, 1000);
	add(&t, OUT, 300, false, 3000);
	add(&t, OUT, 5000, true, NAN); /* waited for in vain; nothing else known of it */
	add(&t, IN, 2, false, 0);
	assert_near(figure(&t, "out.n"), 3, 0);
	assert_near(figure(&t, "out+in.n"), 4, 0);
	assert_near(figure(&t, "out.key_ms.min"), 100, 0);
	assert_near(figure(&t, "out.key_ms.mean"), 1800, 0);
	assert_near(figure(&t, "out.key_ms.median"), 300, 0);
	assert_near(figure(&t, "out.key_ms.max"), 5000, 0);
	assert_true(trials_compute_figure(&t, groups, values, "out.key_ms.max", &f) && f.above);
	assert_true(trials_compute_figure(&t, groups, values, "out.key_ms.mean", &f) && f.above);
	assert_true(trials_compute_figure(&t, groups, values, "out.key_ms.median", &f) && !f.above);
	assert_near(figure(&t, "out.key_ms.above"), 1, 0);
	assert_near(figure(&t, "out.bytes.n"), 2, 0);
	assert_near(figure(&t, "out.bytes.mean"), 2000, 0);
	assert_near(figure(&t, "out.bytes.sd"), sqrt(2) * 1000, 1e-6);
	assert_near(figure(&t, "in.key_ms.p50"), 2, 0);
	assert_true(trials_compute_figure(&t, groups, values, "out.key_ms.p50", &f));
	assert_true(f.low < 300 && isnan(f.high) && !f.above); /* it is among the lower bounds */
	free(t.of);
}

/* Four trials that are alike in each of five repeats tell as much as five: between the second and the fourth of these, where the
 * order statistics of twenty trials end, the median lies in 62.5 of 100 cases (binom.pmf(2, 5, 0.5) + binom.pmf(3, 5, 0.5)). The
 * least and the largest of five hold 94. */
TEST(trials_that_are_alike_within_repeats_are_not_independent)
{
	struct cell_trials alike = { 0 }, mixed = { 0 };
	struct figure f;

	for (int64_t r = 1; r <= 5; r++)
		for (int i = 0; i < 4; i++) {
			add_to_repeat(&alike, r, 100 * (double)r + i);
			add_to_repeat(&mixed, r, 100 + 5 * i + (double)r);
		}
	assert_true(trials_compute_figure(&alike, groups, values, "out.key_ms.p50", &f));
	assert_near(f.value, 301.5, 1e-9);
	assert_near(f.low, 101.5, 1e-9);
	assert_near(f.high, 501.5, 1e-9);
	/* repeats that are alike leave the order statistics of all: 101 to 120 without gaps, ranks 6 to 15 and more */
	assert_true(trials_compute_figure(&mixed, groups, values, "out.key_ms.p50", &f));
	assert_true(f.low > 104 && f.low <= 106.5 && f.high >= 114.5 && f.high < 117);
	free(alike.of);
	free(mixed.of);
}

TEST(without_trials_counts_are_0_and_the_rest_is_unknown)
{
	struct cell_trials t = { 0 };

	add(&t, OUT, 100, false, 1000);
	assert_near(figure(&t, "in.n"), 0, 0);
	assert_near(figure(&t, "in.key_ms.above"), 0, 0);
	assert_true(isnan(figure(&t, "in.key_ms.min")));
	assert_true(isnan(figure(&t, "in.key_ms.p50")));
	free(t.of);
}

TEST(what_is_no_figure_is_refused)
{
	static const char *const wrong[] = {
		"", "out", "out.", "out.key_ms", "out.key_ms.mode", "none.n", "out.nothing.mean", "out+none.n"
	};
	struct cell_trials t = { 0 };
	struct figure f;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(trials_compute_figure(&t, groups, values, wrong[i], &f));
}
