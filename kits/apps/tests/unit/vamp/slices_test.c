// SPDX-License-Identifier: GPL-3.0-or-later
/* slices - sequences of switches by hand. */
#include "vamp/slices.h"
#include "../../../../../tests/unit/unit.h"

static struct traced_cpu cpu;
static struct cpu_time_slice got;

static bool take(int64_t at, int prev, int next, bool wants)
{
	struct trace_record r = { .time_ns = at,
				  .kind = TRACE_SWITCH,
				  .prev_pid = prev,
				  .next_pid = next,
				  .prev_here = prev - 4000,
				  .next_here = 0,
				  .prev_process = prev == 4012 ? 11 : prev - 4000,
				  .prev_wants = wants };

	snprintf(r.prev_comm, sizeof(r.prev_comm), prev ? "task %d" : "swapper/3", prev);
	snprintf(r.next_comm, sizeof(r.next_comm), next ? "task %d" : "swapper/3", next);
	return slices_add_record(&cpu, &r, &got);
}

static void is(int64_t start_ns, int64_t ran_ns, int pid, int tid, bool wanted_more, bool whole)
{
	assert_int_equal(got.start_ns, start_ns);
	assert_int_equal(got.ran_ns, ran_ns);
	assert_int_equal(got.pid, pid);
	assert_int_equal(got.tid, tid);
	assert_int_equal(got.wanted_more, wanted_more);
	assert_int_equal(got.whole, whole);
	assert_int_equal(got.cpu, 3);
}

TEST(one_after_the_other)
{
	slices_init(&cpu, 3, 100);
	assert_true(take(130, 4011, 4012, false));
	is(100, 30, 11, 11, false, false); /* it ran before */
	assert_true(take(135, 4012, 0, true));
	is(130, 5, 11, 12, true, true);
	assert_string_equal(got.comm, "task 4012");
	assert_false(take(170, 0, 4013, false)); /* idle */
	assert_true(slices_end(&cpu, 200, &got));
	is(170, 30, 0, 0, false, false); /* not seen to leave */
	assert_string_equal(got.comm, "task 4013");
	assert_false(slices_end(&cpu, 210, &got));
}

TEST(idle_at_both_ends)
{
	slices_init(&cpu, 3, 100);
	assert_false(slices_end(&cpu, 120, &got)); /* no switch: nothing is known */
	slices_init(&cpu, 3, 100);
	assert_false(take(110, 0, 4011, false));
	assert_true(take(120, 4011, 0, false));
	is(110, 10, 11, 11, false, true);
	assert_false(slices_end(&cpu, 200, &got));
}

/* What ran while records were lost is known to nobody, and so is what ran when they began to be. */
TEST(lost_records)
{
	struct trace_record lost = { .time_ns = 140, .kind = TRACE_LOST };

	slices_init(&cpu, 3, 100);
	assert_true(take(130, 4011, 4012, false));
	assert_false(slices_add_record(&cpu, &lost, &got));
	assert_false(slices_end(&cpu, 150, &got));
	assert_false(take(160, 4013, 4014, false));
	assert_true(take(165, 4014, 4015, true));
	is(160, 5, 14, 14, true, true);
	assert_int_equal(cpu.beginless, 0);	    /* 4013's came with what was lost */
	assert_false(take(180, 4016, 4017, false)); /* another one left than the one that came: not told */
	assert_int_equal(cpu.beginless, 1);
	assert_int_equal(cpu.beginless_ns, 15);
	assert_true(take(190, 4017, 0, false));
	is(180, 10, 17, 17, false, true);
}

static void add(int pid, int64_t ran_ns, bool wanted_more, bool whole, struct slices_sums *sums)
{
	assert_int_equal(
		slices_add(sums,
			   &(struct cpu_time_slice){
				   .pid = pid, .ran_ns = ran_ns, .wanted_more = wanted_more, .whole = whole, .comm = "x" }),
		0);
}

TEST(sums_by_process)
{
	struct slices_sums sums = { 0 };

	slices_sort(&sums);
	for (int pid = 1; pid <= 200; pid++)
		add(pid, pid, false, true, &sums);
	add(7, 1000, true, true, &sums);
	add(7, 5000, false, false, &sums);
	slices_sort(&sums);
	assert_int_equal(sums.n, 200);
	assert_int_equal(sums.process[0].pid, 7);
	assert_int_equal(sums.process[0].ran_ns, 6007);
	assert_int_equal(sums.process[0].slices, 3);
	assert_int_equal(sums.process[0].wanted_more, 1);
	assert_int_equal(sums.process[0].quanta.n, 2); /* 7 and 1000 */
	assert_true(sample_max(&sums.process[0].quanta).value < 1001);
	assert_int_equal(sums.process[1].pid, 200);
	slices_free(&sums);
}
