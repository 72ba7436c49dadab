// SPDX-License-Identifier: GPL-3.0-or-later
/* estimates - small trains whose figures NumPy/SciPy gave (the calls stand beside the values) or a pencil. */
#include "../unit.h"
#include "clock.h"
#include "summarize/key_figures.h"

#include <unistd.h>

#define KEYS 20

#define THRESHOLD_NS (40 * NS_PER_MS)

static struct key_train_samples t[12];
static size_t trains;
static struct key_figures f;

static int drop(void **state)
{
	while (trains)
		keys_free(&t[--trains].keys);
	memset(t, 0, sizeof(t));
	return 0;
}

/* Trains of 20 keys: key k (0..19) of a train is answered base + k ms after it was due. */
static void make(const int *base, size_t n)
{
	drop(NULL);
	for (; trains < n; trains++) {
		t[trains].keys = (struct key_samples){ .key = calloc(KEYS, sizeof(*t->keys.key)), .n = KEYS };
		for (int k = 0; k < KEYS; k++) {
			int64_t due = 1000000 * NS_PER_MS + k * 50 * NS_PER_MS, answer = due + (base[trains] + k) * NS_PER_MS;

			t[trains].keys.key[k] = (struct key_times){ .number = k + 1,
								    .due_ns = due,
								    .sent_ns = due + 1000 * (k + 1),
								    .exact = true,
								    .answer_ns = answer,
								    .high_ns = answer };
		}
	}
}
#define MAKE(...) make((const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int))

/* Nothing was there `ms` after the key was due. */
static void give_up(struct key_times *k, int64_t ms)
{
	k->answer_ns = k->high_ns = 0;
	k->censored_ns = k->due_ns + ms * NS_PER_MS;
}

static void estimate(void)
{
	f = keys_estimate_figures(t, trains, THRESHOLD_NS);
}

static void is_figure(enum figure_name name, double value, double low, double high, double near)
{
	assert_near(f.of[name].value, value, 1e-9);
	assert_near(f.of[name].low, low, near);
	assert_near(f.of[name].high, high, near);
}

TEST_WITH(NULL, drop, three_runs)
{
	MAKE(10, 14, 30);
	estimate();
	assert_int_equal(f.keys, 60);
	assert_int_equal(f.interval, INTERVAL_T);
	/* np.percentile(all, 50); times and over the square root of the quotient of the ends of the t interval of the logs of
	 * the runs' own medians, 10.5831342 and 65.14064828 */
	is_figure(P50, 26.5, 26.5 / sqrt(65.14064828 / 10.5831342), 26.5 * sqrt(65.14064828 / 10.5831342), 1e-5);
	/* six keys beyond p90: not enough to print it */
	assert_true(isnan(f.of[P90].value) && isnan(f.of[P90].low));
	assert_near(f.of[MAX].value, 49, 1e-9);
	assert_true(isnan(f.of[MAX].low));
	/* one stall of nine keys: 9 of 60 keys at 0.85 (2 / 1) 81 / 9 - 0.15 times the variance of single keys. Beta quantiles by
	 * Simpson's rule */
	is_figure(LATE, 15, 0.039865954, 73.858, 2e-3);
	assert_near(f.of[LATE].low, 0.039865954, 1e-6);
	assert_int_equal(f.late_interval, INTERVAL_EXACT);
	assert_string_equal(f.of[P90].why, "too few");
	assert_false(figure_known(&f.late_end[P50]) || figure_known(&f.late_end[LATE]));
	assert_near(f.of[LATENESS_MAX].value, 20, 1e-9);
}

TEST_WITH(NULL, drop, one_run_has_no_interval)
{
	MAKE(10);
	estimate();
	assert_near(f.of[P50].value, 19.5, 1e-9);
	assert_near(f.of[LATE].value, 0, 0);
	for (int i = 0; i < FIGURES; i++)
		assert_true(isnan(f.of[i].low) && isnan(f.of[i].high));
	assert_int_equal(f.interval, INTERVAL_NONE);
	f = keys_estimate_figures(NULL, 0, THRESHOLD_NS);
	for (int i = 0; i < FIGURES; i++)
		assert_true(isnan(f.of[i].value));
}

/* Medians of 20 whole numbers from 10 and from 30 on; of those above 40 there are none and 9. */
TEST_WITH(NULL, drop, two_runs_have_two_values)
{
	MAKE(10, 30);
	estimate();
	assert_near(f.of[P50].both[0], 19.5, 1e-9);
	assert_near(f.of[P50].both[1], 39.5, 1e-9);
	assert_near(f.of[LATE].both[0], 0, 0);
	assert_near(f.of[LATE].both[1], 45, 1e-9);
	assert_true(isnan(f.of[P50].low) && isnan(f.of[LATE].low) && isnan(f.of[MAX].both[0]) && isnan(f.of[P90].both[0]));
	assert_int_equal(f.interval, INTERVAL_NONE);
	/* a range has no two values */
	t[1].keys.ranged = true;
	for (int k = 0; k < KEYS; k++)
		t[1].keys.key[k].high_ns = t[1].keys.key[k].answer_ns + 500 * NS_PER_MS;
	estimate();
	assert_true(figure_is_range(&f.of[P50]) && isnan(f.of[P50].both[0]));
}

/* All runs at 0 %, at 100 %, at 50 %: the exact interval of the pooled keys, one-sided at the edges. */
TEST_WITH(NULL, drop, stalls_are_what_is_independent)
{
	static const struct {
		int base;
		double value, low, high;
	} known[] = {
		{ 10, 0, 0, 39.3037766 }, /* 1 - 0.05 ** (1 / 6): sixty keys, ten in half a second */
		{ 50, 100, 60.6962234, 100 },
		{ 31, 50, 18.343347, 81.656653 }, /* three stalls of ten keys: 0.5 (4 / 3) 300 / 30 - 0.5 */
	};

	for (size_t i = 0; i < COUNT(known); i++) {
		MAKE(known[i].base, known[i].base, known[i].base);
		estimate();
		assert_int_equal(f.late_interval, INTERVAL_EXACT);
		is_figure(LATE, known[i].value, known[i].low, known[i].high, 1e-4);
	}
}

TEST_WITH(NULL, drop, a_key_without_echo_stays_in)
{
	MAKE(10, 14, 30);
	for (int k = 10; k < KEYS; k++) /* half of the last run */
		give_up(&t[2].keys.key[k], 1000);
	estimate();
	assert_int_equal(f.keys, 60);
	assert_int_equal(f.censored, 10);
	assert_near(f.of[LATE].value, 100.0 * 10 / 60, 1e-9); /* the ninth of those was below 40 ms before */
	assert_near(f.of[P50].value, 26.5, 1e-9);
	assert_false(f.of[P50].above);
	assert_true(isnan(f.of[P50].low)); /* the last run's own median is only "later than" */
	assert_near(f.of[MAX].value, 1000, 1e-9);
	assert_true(f.of[MAX].above);
}

/* "No echo by 20 ms" may have come at 30 ms or at 50: late by the late end of the range only. */
TEST_WITH(NULL, drop, a_key_given_up_early_may_be_late)
{
	MAKE(10, 10);
	for (int r = 0; r < 2; r++)
		give_up(&t[r].keys.key[0], 20);
	estimate();
	assert_true(isnan(f.of[LATE].value));
	assert_near(f.of[LATE].from, 0, 0);
	assert_near(f.of[LATE].to, 5, 1e-9);
	assert_near(f.late_end[LATE].value, 5, 1e-9);
}

TEST_WITH(NULL, drop, ranges_have_two_ends)
{
	MAKE(10, 10);
	for (int r = 0; r < 2; r++) {
		for (int k = 0; k < KEYS; k += 2)
			t[r].keys.key[k].high_ns = t[r].keys.key[k].answer_ns + 100 * NS_PER_MS;
		t[r].keys.ranged = true;
	}
	estimate();
	assert_int_equal(f.ranged_keys, 20);
	assert_true(isnan(f.of[P50].value) && isnan(f.of[LATE].value));
	assert_near(f.of[P50].from, 19.5, 1e-9);
	assert_near(f.of[LATE].from, 0, 0);
	assert_near(f.of[LATE].to, 50, 1e-9);
	/* 11 13 .. 29 twice, then 110 112 .. 128 twice: between 29 and 110 */
	assert_near(f.of[P50].to, 69.5, 1e-9);
	assert_near(f.late_end[P50].value, 69.5, 1e-9);
	assert_near(f.of[MAX].to, 128, 1e-9);
}

TEST_WITH(NULL, drop, overload_hides_percentiles_and_nothing_else)
{
	struct cdf_point *point;
	size_t n;

	MAKE(10, 14, 30);
	t[1].overloaded = true;
	estimate();
	assert_int_equal(f.overloaded, 1);
	for (int i = P50; i <= SENT_P50; i++) {
		assert_false(figure_known(&f.of[i]) || figure_known(&f.late_end[i]));
		assert_string_equal(f.of[i].why, "overloaded");
	}
	assert_near(f.of[LATE].value, 15, 1e-9);
	assert_near(f.of[LATENESS_MAX].value, 20, 1e-9);
	point = keys_compute_cdf(t, 3, false, 1000, &n);
	assert_int_equal(n, 0);
	free(point);
}

/* Keys in order, from 10 ms on: of a run one stall of ten keys lies beyond the median. Twelve such runs tell as much of the
 * median as 0.5 (13 / 12) 10 - 0.5 times fewer keys: order statistics 1 + 13.2 and 1 + 34.2 of 48 (binomial, as of n = 48) are
 * near. */
TEST_WITH(NULL, drop, runs_that_are_alike_are_pooled)
{
	MAKE(10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10);
	estimate();
	assert_int_equal(f.interval, INTERVAL_EXACT);
	is_figure(P50, 19.5, 16, 23, 1.01);
}

TEST_WITH(NULL, drop, the_curve_keeps_its_ends)
{
	struct cdf_point *point;
	size_t n;

	MAKE(10, 10);
	give_up(&t[1].keys.key[19], 1000);
	point = keys_compute_cdf(t, 2, false, 1000, &n);
	assert_int_equal(n, 39);
	assert_int_equal(point[0].ns, 10 * NS_PER_MS);
	assert_near(point[0].share, 1.0 / 40, 1e-12);
	assert_int_equal(point[38].ns, 29 * NS_PER_MS);
	assert_near(point[38].share, 39.0 / 40, 1e-12); /* one key had no echo: never 1 */
	free(point);
	point = keys_compute_cdf(t, 2, false, 5, &n);
	assert_int_equal(n, 5);
	assert_int_equal(point[0].ns, 10 * NS_PER_MS);
	assert_int_equal(point[4].ns, 29 * NS_PER_MS);
	for (size_t i = 1; i < n; i++)
		assert_true(point[i].share > point[i - 1].share && point[i].ns >= point[i - 1].ns);
	free(point);
}
