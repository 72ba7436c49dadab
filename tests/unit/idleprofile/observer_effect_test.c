// SPDX-License-Identifier: GPL-3.0-or-later
/* own, wakeups - what is read from /proc/interrupts, and that the random gaps are those of a Poisson process. */
#include <math.h>

#include "clock.h"
#include "idleprofile/observer_effect.h"
#include "idleprofile/wakeups.h"
#include "../unit.h"

static int64_t ticks_of(const char *text, int cpu)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int64_t n;

	assert_non_null(f);
	n = observer_parse_ticks(f, cpu);
	fclose(f);
	return n;
}

TEST(the_column_of_a_cpu_is_found)
{
	/* CPU 1 is off: the columns are those of the CPUs that are on */
	static const char text[] = "           CPU0       CPU2       CPU11\n"
				   "  0:         12          0          4   IO-APIC    2-edge      timer\n"
				   "NMI:          1          2          3   Non-maskable interrupts\n"
				   "LOC:     100001     200002     300003   Local timer interrupts\n"
				   "RES:          7          8          9   Rescheduling interrupts\n";

	assert_int_equal(ticks_of(text, 0), 100001);
	assert_int_equal(ticks_of(text, 2), 200002);
	assert_int_equal(ticks_of(text, 11), 300003);
	assert_int_equal(ticks_of(text, 1), -1);
	assert_int_equal(ticks_of(text, 3), -1);
}

TEST(what_does_not_say_is_not_guessed)
{
	assert_int_equal(ticks_of(" CPU0 CPU1\n  1:  5  6  arch_timer\n", 0), -1);
	assert_int_equal(ticks_of(" CPU0 CPU1\nLOC:  5 \n", 1), -1);
	assert_int_equal(ticks_of("\n", 0), -1);
}

TEST(throughput_has_its_noise_beside_it)
{
	const struct observer_round calm[] = {
		{ { 1000, 980 }, 100 * NS_PER_MS, NS_PER_MS },
		{ { 1000, 1010 }, 100 * NS_PER_MS, 2 * NS_PER_MS },
		{ { 1000, 950 }, 100 * NS_PER_MS, 0 },
	};
	struct observer_effect o = { 0 };

	observer_evaluate(&o, calm, 3);
	assert_false(o.disturbed);
	assert_near(o.throughput_percent, 98, 1e-9);
	assert_near(o.throughput_low_percent, 95, 1e-9);
	assert_near(o.throughput_high_percent, 101, 1e-9);
	assert_near(o.others_percent, 1, 1e-9);
}

TEST(what_others_disturbed_is_no_figure)
{
	const struct observer_round busy[] = { { { 700, 1000 }, 100 * NS_PER_MS, 7 * NS_PER_MS },
					       { { 1000, 990 }, 100 * NS_PER_MS, 0 } };
	struct observer_effect o = { 0 };

	observer_evaluate(&o, busy, 2);
	assert_true(o.disturbed);
	assert_near(o.others_percent, 3.5, 1e-9);
	assert_true(isnan(o.throughput_percent) && isnan(o.throughput_low_percent) && isnan(o.throughput_high_percent));
}

/* Exponential: mean 1/rate, as large a standard deviation, and P(gap > t) = exp(-rate t). */
TEST(gaps_are_exponential)
{
	uint64_t random = 42;
	double sum = 0, squares = 0;
	int beyond = 0;
	const int n = 200000;
	const double rate = 250, mean = (double)NS_PER_S / rate;

	for (int i = 0; i < n; i++) {
		double gap = (double)wakeups_draw_ns(&random, rate);

		assert_true(gap >= 0);
		sum += gap;
		squares += gap * gap;
		beyond += gap > 2 * mean;
	}
	assert_near(sum / n / mean, 1, 5 / sqrt(n));
	assert_near(sqrt(squares / n - sum / n * sum / n) / mean, 1, 0.02);
	assert_near((double)beyond / n, exp(-2), 5 * sqrt(exp(-2) / n));
}
