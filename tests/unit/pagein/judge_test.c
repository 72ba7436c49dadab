// SPDX-License-Identifier: GPL-3.0-or-later
/* What counts as paged out, played by hand: megabytes and faults as a person would write them down. */
#include "pagein/judge.h"

#include <math.h>
#include "../unit.h"

#define KB 1024LL
#define PAGE 4096LL

/* Eight pages read ahead with each fault, as page-cluster 3 does; all counters known. */
static struct swap_device_readings disk(int64_t read_pages)
{
	return (struct swap_device_readings){ .read_bytes = read_pages * PAGE, .cached_bytes = -1, .fault_bytes = 8 * PAGE };
}

static struct process_memory_for_judge process(int64_t resident_kb, int64_t swap_kb)
{
	return (struct process_memory_for_judge){ .resident = resident_kb * KB, .swap = swap_kb * KB, .swap_after = swap_kb * KB };
}

TEST(ninety_percent_of_every_process)
{
	struct process_memory_for_judge p[2] = { process(100, 900), process(0, 50) };

	assert_int_equal(find_reason_not_evicted(p, 2), JUDGE_CLEAR);
	p[0] = process(101, 899);
	assert_int_equal(find_reason_not_evicted(p, 2), JUDGE_RESIDENT);
	/* a large one that went hides no small one that stayed */
	p[0] = process(0, 1000000);
	p[1] = process(6, 50);
	assert_int_equal(find_reason_not_evicted(p, 2), JUDGE_RESIDENT);
	assert_int_equal(find_reason_not_evicted(p, 1), JUDGE_CLEAR);
	p[1].locked = 6 * KB;
	assert_int_equal(find_reason_not_evicted(p, 2), JUDGE_LOCKED);
	/* what it has locked does not matter where all the rest has gone */
	p[1] = process(5, 50);
	p[1].locked = 5 * KB;
	assert_int_equal(find_reason_not_evicted(p, 2), JUDGE_CLEAR);
	p[1] = process(0, 0);
	assert_int_equal(find_reason_not_evicted(p, 2), JUDGE_NOTHING_ANONYMOUS);
	assert_true(isnan(evicted_percent_of_process(&p[1])));
	assert_int_equal(find_reason_not_evicted(p, 0), JUDGE_NOTHING_ANONYMOUS);
}

TEST(kept_is_all_of_it)
{
	struct process_memory_for_judge p[2] = { process(900, 100), process(50, 0) };

	assert_true(is_every_process_kept_in_memory(p, 2));
	p[0] = process(899, 101);
	assert_false(is_every_process_kept_in_memory(p, 2));
	p[0] = process(0, 0);
	assert_false(is_every_process_kept_in_memory(p, 2));
	assert_false(is_every_process_kept_in_memory(p, 0));
}

TEST(read_from_the_device_it_is_paged_out)
{
	struct process_memory_for_judge p[2] = { process(0, 4000), process(0, 400) };
	struct swap_device_readings d = disk(130);
	struct judge_verdict v;

	/* 100 pages came back to the one and 20 to the other, for 20 major faults; 130 pages were read */
	p[0].swap_after = 3600 * KB;
	p[0].major = 15;
	p[1].swap_after = 320 * KB;
	p[1].major = 5;
	judge_paged_out_run(p, 2, &d, &v);
	assert_int_equal(v.state, JUDGE_PAGED_OUT);
	assert_int_equal(v.why, JUDGE_CLEAR);
	assert_int_equal(v.refaulted_bytes, 120 * PAGE);
	assert_true(v.read_percent == 100);
}

TEST(out_of_the_swap_cache_it_is_not)
{
	struct process_memory_for_judge p[1] = { process(0, 4000) };
	struct swap_device_readings d = disk(8);
	struct judge_verdict v;

	p[0].swap_after = 3600 * KB;	/* 100 pages back, for one major fault: as after advice alone */
	p[0].major = 1;
	p[0].minor = 99;
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_NOT_EVICTED);
	assert_int_equal(v.why, JUDGE_SWAP_CACHE);
	assert_true(fabs(v.read_percent - 8) < 1e-9);
	/* others read a lot meanwhile: that does not help it */
	d = disk(100000);
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_NOT_EVICTED);
	assert_true(fabs(v.read_percent - 8) < 1e-9);
	/* seven faults: 56 pages at most */
	p[0].major = 7;
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_PAGED_OUT);
	/* but no more than the device gave */
	d = disk(49);
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_NOT_EVICTED);
	d = disk(50);
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_PAGED_OUT);
	/* a device whose reads nobody counts: the faults alone */
	d.read_bytes = -1;
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_PAGED_OUT);
	assert_true(fabs(v.read_percent - 56) < 1e-9);
}

TEST(what_was_not_in_memory_was_read)
{
	struct process_memory_for_judge p[1] = { process(0, 4000) };
	struct swap_device_readings d = { .read_bytes = -1, .cached_bytes = 0, .fault_bytes = 8 * PAGE };
	struct judge_verdict v;

	p[0].swap_after = 3600 * KB;
	p[0].major = 20;
	judge_paged_out_run(p, 1, &d, &v);		/* nothing was in the cache, and who counts reads has missed them */
	assert_int_equal(v.state, JUDGE_PAGED_OUT);
	assert_true(v.read_percent == 100);
	d.cached_bytes = 51 * PAGE;
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.why, JUDGE_SWAP_CACHE);
	assert_true(fabs(v.read_percent - 49) < 1e-9);
	/* the cache was somebody else's: enough was read */
	d.read_bytes = 60 * PAGE;
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_PAGED_OUT);
	assert_true(fabs(v.read_percent - 60) < 1e-9);
	/* nothing was in the cache, but others had read it for us before our own faults: three of them */
	d = (struct swap_device_readings){ .read_bytes = 100 * PAGE, .cached_bytes = 0, .fault_bytes = 8 * PAGE };
	p[0].major = 3;
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.why, JUDGE_SWAP_CACHE);
	assert_true(fabs(v.read_percent - 24) < 1e-9);
}

TEST(no_major_fault_is_no_page_in)
{
	struct process_memory_for_judge p[1] = { process(0, 4000) };
	struct swap_device_readings d = disk(1000);
	struct judge_verdict v;

	p[0].swap_after = 3600 * KB;
	p[0].minor = 100;
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_NOT_EVICTED);
	assert_int_equal(v.why, JUDGE_NO_MAJOR_FAULT);
	/* faults on files only, and nothing of what was in swap: proves nothing about swap */
	p[0].swap_after = 4000 * KB;
	p[0].major = 3;
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_NOT_EVICTED);
	assert_true(isnan(v.read_percent));
	/* still resident before the key is said first */
	p[0] = process(3000, 1000);
	judge_paged_out_run(p, 1, &d, &v);
	assert_int_equal(v.why, JUDGE_RESIDENT);
}

TEST(one_that_went_further_out_hides_nothing)
{
	struct process_memory_for_judge p[2] = { process(0, 4000), process(0, 400) };
	struct swap_device_readings d = disk(10);
	struct judge_verdict v;

	p[0].swap_after = 4400 * KB;	/* it grew, and that went out, too */
	p[1].swap_after = 320 * KB;
	p[1].major = 3;
	judge_paged_out_run(p, 2, &d, &v);
	assert_int_equal(v.refaulted_bytes, 20 * PAGE);
	assert_true(fabs(v.read_percent - 50) < 1e-9);
	assert_int_equal(v.state, JUDGE_PAGED_OUT);
}

TEST(in_memory_needs_nothing_from_the_disk)
{
	struct process_memory_for_judge p[1] = { process(1000, 3000) };	/* what a key does not touch may be in swap */
	struct swap_device_readings d = disk(0);
	struct judge_verdict v;

	p[0].minor = 12;
	judge_in_memory_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_IN_MEMORY);
	p[0].major = 1;
	judge_in_memory_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_NOT_IN_MEMORY);
	assert_int_equal(v.why, JUDGE_MAJOR_FAULT);
}
