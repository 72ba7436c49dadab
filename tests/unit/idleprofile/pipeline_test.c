// SPDX-License-Identifier: GPL-3.0-or-later
/* pipeline - loops and their parts played by hand, with a clock that stands still between: what the edges of a profile leave. */
#include "clock.h"
#include "proc.h"
#include "idleprofile/pipeline.h"

#include <unistd.h>
#include "../unit.h"

#define START (100 * NS_PER_S)
#define END (101 * NS_PER_S)

static int64_t now;
static struct idle_loops *spin;
static struct profile_logs logs;
static struct gap_pipeline *f;
static int comes_back; /* at so many more looks at the clock the loop has its CPU again */

static void part(int64_t from, int64_t to)
{
	ring_push(&spin->cpu[0].ring, from, to);
	atomic_store(&spin->cpu[0].seen, to);
}

int64_t __wrap_clock_now(void);
int64_t __wrap_clock_now(void)
{
	if (comes_back && !--comes_back)
		part(END - 300 * NS_PER_MS, END + 400 * NS_PER_MS);
	return now;
}

/* One loop that reads CLOCK_MONOTONIC and takes no time for a turn, on a CPU that this test is not on. */
static int make(void **state)
{
	struct pipeline_cfg cfg = { .bin_ns = NS_PER_S, .logs = &logs };
	size_t size = sizeof(*spin) + sizeof(*spin->cpu);

	(void)state;
	spin = aligned_alloc(64, (size + 63) / 64 * 64);
	if (!spin)
		return -1;
	memset(spin, 0, size);
	spin->n = 1;
	spin->cpu[0].cpu = CLI_CPUS_MAX;
	spin->cpu[0].steps[0] = 1;
	cfg.spin = spin;
	for (int i = 0; i < 2; i++)
		stamp_map_add(&cfg.map, &(struct stamp_pair){ i * NS_PER_S, i * NS_PER_S, 0 });
	comes_back = 0;
	now = START - NS_PER_S;
	f = pipeline_new(&cfg);
	return f ? 0 : -1;
}

static int drop(void **state)
{
	(void)state;
	pipeline_free(f);
	free(spin);
	return 0;
}

static void ran_until(int64_t ns)
{
	atomic_store(&spin->cpu[0].seen, ns);
}

static void drain_at(int64_t ns)
{
	now = ns;
	pipeline_drain(f);
}

static void had(int64_t lost_ns, int64_t events)
{
	assert_int_equal(f->cpu[0].total.lost_ns, lost_ns);
	assert_int_equal(f->cpu[0].total.events, events);
}

/* 3 ms over the start, of which 2 count, 5 ms within, 8 ms over the end, of which 1 counts. */
TEST_WITH(make, drop, parts_are_cut_at_the_edges)
{
	part(START - 9 * NS_PER_MS, START - 8 * NS_PER_MS);
	drain_at(START - NS_PER_MS);
	pipeline_begin(f, START, END);
	part(START - NS_PER_MS, START + 2 * NS_PER_MS);
	drain_at(START + 200 * NS_PER_MS);
	part(START + 500 * NS_PER_MS, START + 505 * NS_PER_MS);
	part(END - NS_PER_MS, END + 7 * NS_PER_MS);
	now = END + 10 * NS_PER_MS;
	ran_until(now);
	pipeline_end(f, END);
	had(8 * NS_PER_MS, 3);
}

TEST_WITH(make, drop, a_loop_without_its_cpu_has_lost_it_until_the_end)
{
	pipeline_begin(f, START, END);
	ran_until(END - 300 * NS_PER_MS);
	drain_at(END - 100 * NS_PER_MS);
	now = END + NS_PER_S;
	pipeline_end(f, END);
	had(300 * NS_PER_MS, 1);
}

/* Whenever in the last drain that is (its third look comes after the loop was asked how far it is):
 * the part counts once, up to the end. */
TEST_WITH(make, drop, a_loop_that_comes_back_at_the_end_loses_nothing)
{
	for (int look = 1; look <= 4; look++) {
		pipeline_begin(f, START, END);
		ran_until(END - 300 * NS_PER_MS);
		now = END + NS_PER_S;
		comes_back = look;
		pipeline_end(f, END);
		had(300 * NS_PER_MS, 1);
		drop(state);
		assert_int_equal(make(state), 0);
	}
}

/* 100 ms before the profile and 400 in it; what is lost around that counts as ever. */
TEST_WITH(make, drop, what_nobody_watched_is_not_lost)
{
	pipeline_begin(f, START, END);
	part(-(START - 100 * NS_PER_MS), START + 400 * NS_PER_MS);
	part(START + 500 * NS_PER_MS, START + 503 * NS_PER_MS);
	ran_until(END);
	now = END;
	pipeline_end(f, END);
	had(3 * NS_PER_MS, 1);
	assert_int_equal(f->cpu[0].total.unwatched_ns, 400 * NS_PER_MS);
}

/* The loop runs somewhere else from the first drain on: what it saw there is not of this CPU. */
TEST_WITH(make, drop, a_loop_on_another_cpu_watches_nothing)
{
	struct cli_cpus all;

	assert_int_equal(proc_allowed_cpus(&all), 0);
	spin->cpu[0].cpu = all.cpu[0];
	atomic_store(&spin->cpu[0].tid, (int)gettid());
	assert_int_equal(proc_pin_thread(&(struct cli_cpus){ .n = 1, .cpu = { all.cpu[0] } }), 0);
	pipeline_begin(f, START, END);
	part(START + 10 * NS_PER_MS, START + 13 * NS_PER_MS);
	ran_until(START + 200 * NS_PER_MS);
	drain_at(START + 200 * NS_PER_MS);
	spin->cpu[0].cpu = CLI_CPUS_MAX;
	part(START + 500 * NS_PER_MS, START + 900 * NS_PER_MS);
	ran_until(END);
	now = END;
	pipeline_end(f, END);
	assert_int_equal(proc_pin_thread(&all), 0);
	had(3 * NS_PER_MS, 1);
	assert_int_equal(f->cpu[0].total.unwatched_ns, 800 * NS_PER_MS);
	assert_true(spin->cpu[0].left);
}

/* Two parts that follow each other, and between them a drain with a new line through the anchors, which is 40 ns earlier. */
TEST_WITH(make, drop, no_time_is_lost_twice)
{
	pipeline_begin(f, START, END);
	part(START + 100 * NS_PER_MS, START + 200 * NS_PER_MS);
	drain_at(START + 200 * NS_PER_MS);
	part(START + 200 * NS_PER_MS - 40, START + 300 * NS_PER_MS);
	ran_until(END);
	now = END;
	pipeline_end(f, END);
	had(200 * NS_PER_MS, 1);
}

TEST_WITH(make, drop, a_profile_that_never_began_has_lost_nothing)
{
	ran_until(START - 900 * NS_PER_MS);
	now = START;
	pipeline_begin(f, START, END);
	pipeline_end(f, START);
	had(0, 0);
}

TEST_WITH(make, drop, what_found_no_room_is_counted_from_the_beginning_on)
{
	for (int64_t i = 0; i < RING_ROOM + 7; i++)
		part(START - NS_PER_S + i * 10, START - NS_PER_S + i * 10 + 5);
	drain_at(START);
	pipeline_begin(f, START, END);
	assert_int_equal(pipeline_lost_items(f), 0);
	f->lost_unread = -1; /* as before Linux 6.0 */
	assert_int_equal(pipeline_lost_items(f), -1);
	for (int64_t i = 0; i < RING_ROOM + 3; i++)
		part(START + i * 10, START + i * 10 + 5);
	drain_at(END);
	assert_int_equal(pipeline_lost_items(f), 3);
}
