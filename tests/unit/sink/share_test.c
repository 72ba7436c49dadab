// SPDX-License-Identifier: GPL-3.0-or-later
/* share - against a simulated CPU: who has it when is a function of time, and nothing here really takes any. */
#include "clock.h"
#include "sink/share.h"
#include "../unit.h"

#define PERIOD (10 * NS_PER_MS)
#define TICK (100 * NS_PER_US) /* how finely the used CPU time is remembered */
#define TICKS_MAX 300000

/* Says how much of the time from `from` to `from + turn` the CPU was ours. */
typedef int64_t (*available)(int64_t from, int64_t turn);

static int64_t always(int64_t from, int64_t turn)
{
	(void)from;
	return turn;
}

static int64_t starved_for_5s(int64_t from, int64_t turn)
{
	return from < 5 * NS_PER_S ? 0 : turn;
}

struct world {
	struct cpu_share share;
	available cpu;
	int64_t turn; /* one spin, and what it takes to look at the clock */
	int64_t now, used, woke_late;
	int64_t slept_unfed;	    /* sleeps begun before the share of the period was had */
	int64_t used_at[TICKS_MAX]; /* CPU time used by the end of each tick */
};

static struct world *world_new(double wanted, available cpu)
{
	struct world *w = calloc(1, sizeof(*w));

	w->cpu = cpu;
	w->turn = 2 * NS_PER_US;
	cpu_share_init(&w->share, wanted, PERIOD, 0, 0);
	return w;
}

static void pass(struct world *w, int64_t until, bool spinning)
{
	while (w->now < until) {
		int64_t step = TICK - w->now % TICK;

		if (step > until - w->now)
			step = until - w->now;
		if (spinning)
			w->used += w->cpu(w->now, step);
		w->now += step;
		if (w->now % TICK == 0 && w->now / TICK < TICKS_MAX)
			w->used_at[w->now / TICK] = w->used;
	}
}

static void run(struct world *w, int64_t until)
{
	int64_t period = 0, used_before = 0;

	while (w->now < until) {
		int64_t wake;

		if (w->now / PERIOD != period) {
			period = w->now / PERIOD;
			used_before = w->used;
		}
		wake = cpu_share_wake_ns(&w->share, w->now, w->used);
		if (!wake) {
			pass(w, w->now + w->turn, true);
			continue;
		}
		/* What a period may keep back is only what an earlier one overspent: two turns, with these short ones. */
		if (w->used - used_before + 2 * w->turn < (int64_t)(w->share.wanted * (double)PERIOD))
			w->slept_unfed++;
		assert_true(wake > w->now);
		assert_true(wake <= (period + 1) * PERIOD);
		pass(w, wake + w->woke_late, false);
	}
}

static double share_between(const struct world *w, int64_t from, int64_t to)
{
	return (double)(w->used_at[to / TICK] - w->used_at[from / TICK]) / (double)(to - from);
}

static double largest_share(const struct world *w, int64_t window, int64_t from, int64_t to)
{
	double most = 0;

	for (int64_t t = from; t + window <= to; t += TICK) {
		double share = share_between(w, t, t + window);

		most = share > most ? share : most;
	}
	return most;
}

TEST(holds_its_share_of_a_free_cpu)
{
	static const double wanted[] = { 0.001, 0.01, 0.10, 0.37, 0.50, 0.80, 0.99 };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct world *w = world_new(wanted[i], always);

		run(w, 10 * NS_PER_S);
		assert_near(share_between(w, 0, 10 * NS_PER_S), wanted[i], 0.0005);
		assert_near(largest_share(w, 100 * NS_PER_MS, 0, 10 * NS_PER_S), wanted[i], 0.01);
		assert_int_equal(w->slept_unfed, 0);
		free(w);
	}
}

TEST(does_not_burst_after_being_starved)
{
	static const double wanted[] = { 0.10, 0.37, 0.80 };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct world *w = world_new(wanted[i], starved_for_5s);

		run(w, 15 * NS_PER_S);
		assert_int_equal(w->used_at[5 * NS_PER_S / TICK], 0);
		assert_int_equal(w->slept_unfed, 0);
		assert_true(largest_share(w, NS_PER_S, 0, 15 * NS_PER_S) <= wanted[i] + 0.011);
		assert_true(largest_share(w, 100 * NS_PER_MS, 0, 15 * NS_PER_S) <= wanted[i] * 1.12 + 0.005);
		assert_near(share_between(w, 5 * NS_PER_S, 15 * NS_PER_S), wanted[i], 0.002);
		free(w);
	}
}

TEST(oversleeping_is_forgiven)
{
	struct world *w = world_new(0.37, always);

	w->woke_late = 3 * PERIOD; /* every wake-up comes three periods too late */
	run(w, 2 * NS_PER_S);
	w->woke_late = 0;
	run(w, 4 * NS_PER_S);
	assert_true(largest_share(w, NS_PER_S, 0, 4 * NS_PER_S) <= 0.37 + 0.011);
	assert_near(share_between(w, 3 * NS_PER_S, 4 * NS_PER_S), 0.37, 0.002);
	free(w);
}

TEST(pays_back_what_coarse_turns_overspent)
{
	struct world *w = world_new(0.05, always);

	w->turn = 2 * NS_PER_MS; /* four times what a period is worth */
	run(w, 10 * NS_PER_S);
	assert_near(share_between(w, 0, 10 * NS_PER_S), 0.05, 0.001);
	free(w);
}

TEST(a_glitch_in_the_accounts_does_not_silence_it)
{
	struct world *w = world_new(0.37, always);

	run(w, NS_PER_S);
	w->used += 100 * NS_PER_S; /* charged at once */
	run(w, 3 * NS_PER_S);
	assert_near(share_between(w, 2 * NS_PER_S, 3 * NS_PER_S), 0.37, 0.002);
	free(w);
}

TEST(a_suspended_machine_is_not_owed_an_hour)
{
	struct cpu_share s;
	int64_t hour = 3600 * NS_PER_S;

	cpu_share_init(&s, 0.37, PERIOD, 0, 0);
	assert_int_equal(cpu_share_wake_ns(&s, hour + 4 * NS_PER_MS, 0), 0);
	assert_int_equal(s.start_ns, hour); /* the grid of periods stays where it was */
	assert_true(s.carry_ns <= (int64_t)(0.037 * PERIOD));
	assert_int_equal(cpu_share_wake_ns(&s, hour + 9 * NS_PER_MS, 5 * NS_PER_MS), hour + PERIOD);
}

TEST(the_cause_of_a_missing_load_explains_half_of_it)
{
	static const struct {
		struct lack lack;
		enum lack_cause cause;
	} known[] = {
		{ { .missing_ns = 400, .throttled_ns = 300, .waited_ns = 90, .cpus = 1 }, LACK_QUOTA },
		/* a quota beside others of the group who took more */
		{ { .missing_ns = 400, .throttled_ns = 150, .waited_ns = 390, .processes = 1, .cpus = 1 }, LACK_OTHERS },
		{ { .missing_ns = 400, .waited_ns = 390, .processes = 3, .cpus = 2 }, LACK_EACH_OTHER },
		{ { .missing_ns = 400, .waited_ns = 390, .wanted_cpus = 1.5, .processes = 3, .cpus = 1 }, LACK_TOO_MUCH_ASKED },
		{ { .missing_ns = 400, .waited_ns = 20, .processes = 1, .cpus = 1 }, LACK_UNKNOWN },
		{ { .missing_ns = 400, .waited_ns = NAN, .processes = 1, .cpus = 1 }, LACK_UNKNOWN },
		/* the last wait has not ended, so it is not counted */
		{ { .missing_ns = 400, .waited_ns = 164, .processes = 1, .cpus = 1, .ready_at_end = true },
		  LACK_OTHERS_OR_STOPPED },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		assert_int_equal(lack_cause(&known[i].lack), known[i].cause);
}
