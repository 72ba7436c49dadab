// SPDX-License-Identifier: GPL-3.0-or-later
/* history - processes made by hand, in sub-epochs of 256 ms: loads computed by hand, and who is background. */
#include "../../../../../tests/unit/unit.h"
#include "vamp/history.h"

#define MS 1000000LL
#define SUB (256 * MS)
#define THREADS 8

/* One process whose threads have counters that grow by what each did in a sub-epoch. */
struct scene {
	struct sample_times m;
	struct process_history p;
	struct thread_history thread[THREADS];
	int64_t now_ns, sleeps[THREADS], run_ns[THREADS], wait_ns[THREADS], ended_ns;
};
struct did {
	int64_t run_ms, wait_ms;
	bool sleeps, wants;
};

static void put(struct scene *s)
{
	size_t slot = history_slot(s->m.last);

	s->p.run_ns[slot] = s->ended_ns;
	for (size_t i = 0; i < s->p.n; i++) {
		s->p.run_ns[slot] += s->run_ns[i];
		s->thread[i].at[slot].run_ns = s->run_ns[i];
		s->thread[i].at[slot].wait_ns = s->wait_ns[i];
		s->thread[i].at[slot].sleeps = s->sleeps[i];
	}
}

/* With its first sample. */
static void begin(struct scene *s, size_t threads)
{
	*s = (struct scene){ .m = { .last = -1 }, .now_ns = 1000 * MS };
	s->p = (struct process_history){ .pid = 7, .born_ns = 0, .known = -1, .thread = s->thread, .n = threads };
	for (size_t i = 0; i < threads; i++)
		s->thread[i].tid = 7 + (pid_t)i;
	history_begin_sample(&s->m, s->now_ns, false);
	put(s);
}

/* Time passes; thread i did did[i % n]. */
static void pass(struct scene *s, int64_t ns, const struct did *did, size_t n, bool fresh)
{
	s->now_ns += ns;
	history_begin_sample(&s->m, s->now_ns, fresh);
	for (size_t i = 0; i < s->p.n; i++) {
		const struct did *d = &did[i % n];

		s->run_ns[i] += d->run_ms * MS;
		s->wait_ns[i] += d->wait_ms * MS;
		s->sleeps[i] += d->sleeps;
		s->thread[i].at[history_slot(s->m.last)].wants = d->wants;
	}
	put(s);
	if (!fresh)
		history_update_known_load(&s->p, &s->m);
}

static void passes(struct scene *s, int times, struct did did)
{
	while (times--)
		pass(s, SUB, &did, 1, false);
}

static struct process_load load_of(const struct scene *s)
{
	return history_load(&s->p, &s->m, SUB);
}

static enum load_verdict verdict_of(const struct scene *s)
{
	struct process_load load = load_of(s);

	return history_judge(&s->p, &load, 0.5);
}

/* The paper's example: a hog among five on a CPU runs a fifth of the time and waits for the rest: 20 % of a CPU, load 100 %. */
TEST(test_stolen_time)
{
	struct scene s;
	struct process_load load;

	begin(&s, 1);
	for (int i = 0; i < 4; i++) /* 256 ms: 52 and 204, then 51 and 205 */
		passes(&s, 1, (struct did){ 51 + i % 2, 205 - i % 2, true, true });
	load = load_of(&s);
	assert_int_equal(load.span_ns, 4 * SUB);
	assert_near(load.run, 206.0 / 1024, 1e-9);
	assert_near(load.load, 1, 1e-9);
	assert_int_equal(verdict_of(&s), VERDICT_BACKGROUND);
}

/* It sleeps half of the time that it does not wait: 25.6 of 102.4 ms run, as much slept, the rest stolen. */
TEST(test_in_proportion)
{
	struct scene s;

	begin(&s, 1);
	passes(&s, 4, (struct did){ 64, 128, true, false });
	assert_near(load_of(&s).load, 64.0 / (256 - 128), 1e-9);
	assert_int_equal(verdict_of(&s), VERDICT_LOW); /* exactly the threshold is not above it */
}

/* Four threads side by side, each a hog that gets half of a CPU: 400 %. */
TEST(test_side_by_side)
{
	struct scene s;

	begin(&s, 4);
	passes(&s, 4, (struct did){ 128, 128, true, true });
	assert_near(load_of(&s).load, 4, 1e-9);
	assert_near(load_of(&s).run, 2, 1e-9);
}

/* Four threads that take turns behind others: they run 64 of 256 ms and wait for the rest (by threads: 4 * 16/(256-48)). */
TEST(test_turns)
{
	const struct did one_wants[] = { { 16, 48, true, true }, { 16, 48, true, false } };
	struct scene s;

	begin(&s, 4);
	for (int i = 0; i < 4; i++)
		pass(&s, SUB, one_wants, 2, false);
	assert_near(load_of(&s).load, 1, 1e-9);
	assert_int_equal(verdict_of(&s), VERDICT_BACKGROUND);
}

/* The same sums, but the samples found nobody who wanted a CPU: the waits overlapped. */
TEST(test_overlapping_waits)
{
	const struct did no_one[] = { { 16, 48, true, false } };
	struct scene s;

	begin(&s, 4);
	for (int i = 0; i < 4; i++)
		pass(&s, SUB, no_one, 1, false);
	assert_near(load_of(&s).load, 4 * 16.0 / (256 - 48), 1e-9);
	assert_int_equal(verdict_of(&s), VERDICT_LOW);
}

/* A throttled hog that waits still: the kernel counts a wait when it ends. It has not slept. */
TEST(test_wait_that_lasts)
{
	struct scene s;

	begin(&s, 1);
	s.thread[0].at[0].wants = true;
	passes(&s, 4, (struct did){ 10, 40, false, true });
	assert_near(load_of(&s).load, 1, 1e-9);
	/* with the same counters, but a sleep in every sub-epoch */
	begin(&s, 1);
	s.thread[0].at[0].wants = true;
	passes(&s, 4, (struct did){ 10, 40, true, true });
	assert_near(load_of(&s).load, 10.0 / (256 - 40), 1e-9);
}

/* The sample at the event adds its piece; the next regular one takes its place. */
TEST(test_fresh)
{
	const struct did hog = { 256, 0, false, true }, piece = { 100, 0, false, true }, rest = { 156, 0, false, true };
	struct scene s;

	begin(&s, 1);
	passes(&s, 6, (struct did){ 0, 0, false, false });
	pass(&s, 100 * MS, &piece, 1, true);
	assert_int_equal(load_of(&s).span_ns, 4 * SUB + 100 * MS);
	assert_near(load_of(&s).run, 100.0 / 1124, 1e-9);
	pass(&s, 156 * MS, &rest, 1, false);
	assert_int_equal(load_of(&s).span_ns, 4 * SUB);
	assert_near(load_of(&s).run, 0.25, 1e-9);
	for (int i = 0; i < 3; i++)
		pass(&s, SUB, &hog, 1, false);
	assert_near(load_of(&s).load, 1, 1e-9);
}

/* Born 128 ms after a sample, and a hog since. */
TEST(test_young)
{
	const struct did hog = { 128, 0, false, true };
	struct scene s;

	begin(&s, 0);
	passes(&s, 3, (struct did){ 0, 0, false, false });
	s.p.n = 1;
	s.p.first = s.thread[0].first = 4;
	s.thread[0].born = true;
	s.p.born_ns = s.now_ns + 128 * MS;
	pass(&s, SUB, &hog, 1, false);
	assert_int_equal(load_of(&s).span_ns, SUB); /* at least one sub-epoch */
	assert_near(load_of(&s).load, 0.5, 1e-9);
	passes(&s, 1, (struct did){ 256, 0, false, true });
	assert_int_equal(load_of(&s).span_ns, 384 * MS);
	assert_near(load_of(&s).load, 1, 1e-9);
}

/* What threads ran that have ended is the process's. */
TEST(test_ended_threads)
{
	struct scene s;

	begin(&s, 1);
	for (int i = 0; i < 4; i++) {
		s.ended_ns += 192 * MS;
		passes(&s, 1, (struct did){ 0, 0, false, false });
	}
	assert_near(load_of(&s).load, 0.75, 1e-9);
}

/* 30 % of a CPU while it got all it wanted. Then others take the CPUs: it gets less, never sleeps, stays known. */
TEST(test_known)
{
	struct scene s;

	begin(&s, 1);
	passes(&s, 5, (struct did){ 77, 5, true, false });
	assert_near(s.p.known, 77.0 / (256 - 5), 1e-9);
	passes(&s, 20, (struct did){ 23, 233, false, true });
	assert_near(load_of(&s).load, 1, 1e-9);
	assert_int_equal(verdict_of(&s), VERDICT_KNOWN);
	passes(&s, 5, (struct did){ 128, 128, false, true }); /* 50 %: more than half as much again */
	assert_int_equal(verdict_of(&s), VERDICT_BACKGROUND);
}

/* A hog that had its CPU for itself is known as one; one that was never alone is not known. */
TEST(test_known_hogs)
{
	struct scene s;

	begin(&s, 1);
	passes(&s, 5, (struct did){ 250, 6, false, true });
	assert_true(s.p.known > 0.9);
	passes(&s, 5, (struct did){ 23, 233, false, true });
	assert_int_equal(verdict_of(&s), VERDICT_BACKGROUND);
	begin(&s, 1);
	passes(&s, 8, (struct did){ 23, 233, false, true });
	assert_true(s.p.known < 0);
	assert_int_equal(verdict_of(&s), VERDICT_BACKGROUND);
}
