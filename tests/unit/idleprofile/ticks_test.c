// SPDX-License-Identifier: GPL-3.0-or-later
/* ticks - on series of parts made by hand: a tick at a known period among other short and long parts. */
#include "random.h"
#include "idleprofile/ticks.h"
#include "../unit.h"

#define US 1000LL
#define MS 1000000LL
#define S 1000000000LL

struct made {
	int64_t start, length;
	bool tick;
};

static int by_start(const void *a, const void *b)
{
	const struct made *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Ticks every `period` from `phase` on, 5..9 us long and up to 8 us late; `others` a second, 6..60 us long, at random; parts
 * of `busy` us every 50 ms, which hide what falls into them. Returns how many. */
static size_t make(struct made *out, int64_t period, int64_t phase, int64_t seconds, int others, int64_t busy)
{
	uint64_t seed = 7;
	size_t n = 0, kept = 0;
	int64_t end = 0;

	for (int64_t t = phase; period && t < seconds * S; t += period)
		out[n++] = (struct made){ t + (int64_t)(random_fraction(&seed) * 8000),
					  5000 + (int64_t)(random_fraction(&seed) * 4000), true };
	for (int64_t i = 0; i < others * seconds; i++)
		out[n++] = (struct made){ (int64_t)(random_fraction(&seed) * (double)(seconds * S)),
					  6000 + (int64_t)(random_fraction(&seed) * 54000), false };
	for (int64_t t = 0; busy && t < seconds * S; t += 50 * MS)
		out[n++] = (struct made){ t + (int64_t)(random_fraction(&seed) * 3e6), busy * US, false };
	qsort(out, n, sizeof(*out), by_start);
	for (size_t i = 0; i < n; i++) { /* what begins within another part is not seen */
		if (i && out[i].start < end)
			continue;
		end = out[i].start + out[i].length;
		out[kept++] = out[i];
	}
	return kept;
}

struct score {
	int right, missed, wrong; /* in the last second */
};

static struct score play(struct tick_detector *t, int64_t period, const struct made *m, size_t n, int64_t from)
{
	struct score s = { 0 };

	memset(t, 0, sizeof(*t));
	t->period_ns = period;
	for (size_t i = 0; i < n; i++) {
		bool said = ticks_classify_gap(t, m[i].start, m[i].length);

		if (m[i].start < from)
			continue;
		s.right += said && m[i].tick;
		s.missed += !said && m[i].tick;
		s.wrong += said && !m[i].tick;
	}
	return s;
}

static struct made made[200000];
static struct tick_detector ticks;

TEST(finds_the_ticks_of_every_usual_kernel)
{
	static const struct {
		int hz;
		int64_t period;
	} kernels[] = {
		{ 100, 10000000 },
		{ 250, 4000000 },
		{ 300, 3333333 },
		{ 1000, 1000000 },
	};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		size_t n = make(made, kernels[i].period, 123456, 4, 100, 0);
		struct score s = play(&ticks, kernels[i].period, made, n, 3 * S);

		assert_true(ticks.learned);
		assert_true(s.right > kernels[i].hz * 97 / 100);
		assert_true(s.missed <= kernels[i].hz * 3 / 100);
		assert_true(s.wrong <= 12); /* of 100: (8 + 20 us window) / period at 1000 Hz is 3 %, and room for luck */
	}
}

TEST(a_phase_at_the_edge_of_the_period_is_found)
{
	size_t n = make(made, 4 * MS, 4 * MS - 4 * US, 4, 50, 0); /* ticks on both sides of a multiple of 4 ms */
	struct score s = play(&ticks, 4 * MS, made, n, 3 * S);

	assert_true(ticks.learned);
	assert_true(s.right >= 245);
}

TEST(it_is_found_among_nine_hundred_other_short_parts)
{
	size_t n = make(made, 4 * MS, 1 * MS, 4, 900, 0);
	struct score s = play(&ticks, 4 * MS, made, n, 3 * S);

	assert_true(ticks.learned);
	assert_true(s.right >= 220); /* some fall into another part */
	assert_true(s.wrong <= 20);
}

TEST(it_is_found_on_a_cpu_that_is_half_busy)
{
	size_t n = make(made, 4 * MS, 1 * MS, 4, 50, 25000);
	struct score s = play(&ticks, 4 * MS, made, n, 3 * S);

	assert_true(ticks.learned);
	assert_true(s.right >= 110);
}

TEST(without_ticks_none_is_seen)
{
	size_t n = make(made, 0, 0, 6, 900, 0);
	struct score s = play(&ticks, 4 * MS, made, n, 0);

	assert_false(ticks.learned);
	assert_int_equal(s.wrong, 0);
}

/* 19 of 20 ms hidden: too little is seen of a tick, and chance must not make one up. */
TEST(on_a_cpu_that_is_nearly_always_busy_none_is_made_up)
{
	uint64_t seed = 99;

	for (int run = 0; run < 50; run++) {
		int64_t now = (int64_t)(random_fraction(&seed) * 1e9);

		memset(&ticks, 0, sizeof(ticks));
		ticks.period_ns = 4 * MS;
		while (now < 5 * S) {
			int64_t busy = (int64_t)(random_fraction(&seed) * 38e6), free_until;

			assert_false(ticks_classify_gap(&ticks, now, busy));
			now += busy;
			for (free_until = now + 1 * MS; now < free_until;
			     now += 20 * US + (int64_t)(random_fraction(&seed) * 100e3)) {
				assert_false(ticks_classify_gap(&ticks, now, 10 * US));
				now += 10 * US;
			}
		}
		assert_false(ticks.learned);
	}
}

TEST(a_long_part_at_the_tick_is_no_tick_and_a_slot_has_one)
{
	size_t n = make(made, 4 * MS, 1 * MS, 2, 20, 0);

	play(&ticks, 4 * MS, made, n, 0);
	assert_true(ticks.learned);
	assert_false(ticks_classify_gap(&ticks, 10 * S + 1 * MS, 90 * US));
	assert_true(ticks_classify_gap(&ticks, 10 * S + 5 * MS, 6 * US));
	assert_false(ticks_classify_gap(&ticks, 10 * S + 5 * MS + 7 * US, 1 * US));
	assert_false(ticks_classify_gap(&ticks, 10 * S + 11 * MS, 6 * US));
	assert_true(ticks_classify_gap(&ticks, 10 * S + 13 * MS, 6 * US));
}

TEST(a_wrong_period_finds_nothing)
{
	size_t n = make(made, 4 * MS, 1 * MS, 4, 100, 0);
	struct score s = play(&ticks, 3333333, made, n, 0);

	assert_false(ticks.learned);
	assert_int_equal(s.right + s.wrong, 0);
}

TEST(the_kernel_says_a_period_that_there_is)
{
	static const int rates[] = { 24, 32, 48, 64, 100, 128, 200, 250, 256, 300, 500, 512, 1000, 1024, 1200 };
	int64_t period = ticks_period_ns();
	bool known = false;

	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		known |= period == (S + rates[i] / 2) / rates[i];
	assert_true(known);
}
