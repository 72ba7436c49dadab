// SPDX-License-Identifier: GPL-3.0-or-later
/* What counts as paged out, played by hand: megabytes and faults as a person would write them down. */
#include "pagein/pagein.h"

#include <math.h>
#include "../unit.h"

#define KB 1024LL
#define PAGE 4096LL

/* Eight pages read ahead with each fault, as page-cluster 3 does; all counters known. */
static struct swap_readings disk(int64_t read_pages)
{
	return (struct swap_readings){ .read_bytes = read_pages * PAGE, .cached_bytes = -1, .fault_bytes = 8 * PAGE };
}

static struct judged_process process(int64_t resident_kb, int64_t swap_kb)
{
	return (struct judged_process){ .resident = resident_kb * KB, .swap = swap_kb * KB, .swap_after = swap_kb * KB };
}

TEST(ninety_percent_of_every_process)
{
	struct judged_process p[2] = { process(100, 900), process(0, 50) };

	assert_int_equal(judge_find_obstacle(p, 2), JUDGE_CLEAR);
	p[0] = process(101, 899);
	assert_int_equal(judge_find_obstacle(p, 2), JUDGE_RESIDENT);
	/* a large one that went hides no small one that stayed */
	p[0] = process(0, 1000000);
	p[1] = process(6, 50);
	assert_int_equal(judge_find_obstacle(p, 2), JUDGE_RESIDENT);
	assert_int_equal(judge_find_obstacle(p, 1), JUDGE_CLEAR);
	p[1].locked = 6 * KB;
	assert_int_equal(judge_find_obstacle(p, 2), JUDGE_LOCKED);
	/* one locked page does not keep it there */
	p[1] = process(60, 50);
	p[1].locked = 4 * KB;
	assert_int_equal(judge_find_obstacle(p, 2), JUDGE_RESIDENT);
	/* what it has locked does not matter where all the rest has gone */
	p[1] = process(5, 50);
	p[1].locked = 5 * KB;
	assert_int_equal(judge_find_obstacle(p, 2), JUDGE_CLEAR);
	p[1] = process(0, 0);
	assert_int_equal(judge_find_obstacle(p, 2), JUDGE_NOTHING_ANONYMOUS);
	assert_true(isnan(judge_evicted_percent(&p[1])));
	assert_int_equal(judge_find_obstacle(p, 0), JUDGE_NOTHING_ANONYMOUS);
}

TEST(kept_is_all_of_it)
{
	struct judged_process p[2] = { process(900, 100), process(50, 0) };

	assert_true(judge_all_kept(p, 2));
	p[0] = process(899, 101);
	assert_false(judge_all_kept(p, 2));
	p[0] = process(0, 0);
	assert_false(judge_all_kept(p, 2));
	assert_false(judge_all_kept(p, 0));
}

/* One process with 4000 kB in swap, of which 100 pages came back (back_kb 400) after a key. A fault reads eight pages. */
TEST(what_came_back_was_read_or_waited_in_the_cache)
{
	static const struct {
		const char *what;
		int64_t resident_kb, back_kb, major, read_pages, cached_pages; /* pages: -1: not known */
		enum judge_state state;
		enum judge_why why;
		double percent; /* that was read; NAN: nothing came back */
	} cases[] = {
		{ "one major fault, as after advice alone", 0, 400, 1, 8, -1, JUDGE_NOT_EVICTED, JUDGE_SWAP_CACHE, 8 },
		{ "others read a lot meanwhile", 0, 400, 1, 100000, -1, JUDGE_NOT_EVICTED, JUDGE_SWAP_CACHE, 8 },
		{ "seven faults are 56 pages at most", 0, 400, 7, 100000, -1, JUDGE_PAGED_OUT, JUDGE_CLEAR, 56 },
		{ "no more than the device gave", 0, 400, 7, 49, -1, JUDGE_NOT_EVICTED, JUDGE_SWAP_CACHE, 49 },
		{ "half of it is enough", 0, 400, 7, 50, -1, JUDGE_PAGED_OUT, JUDGE_CLEAR, 50 },
		{ "reads that nobody counts: the faults alone", 0, 400, 7, -1, -1, JUDGE_PAGED_OUT, JUDGE_CLEAR, 56 },
		{ "nothing was in the cache, and the count of reads missed them", 0, 400, 20, -1, 0, JUDGE_PAGED_OUT, JUDGE_CLEAR,
		  100 },
		{ "51 pages may have been in the cache", 0, 400, 20, -1, 51, JUDGE_NOT_EVICTED, JUDGE_SWAP_CACHE, 49 },
		{ "major faults without a read: zswap, or pages of zeros", 0, 400, 100, 0, 0, JUDGE_NOT_EVICTED, JUDGE_SWAP_CACHE,
		  0 },
		{ "a known count below what was not in the cache", 0, 400, 100, 30, 0, JUDGE_NOT_EVICTED, JUDGE_SWAP_CACHE, 30 },
		{ "the cache was somebody else's", 0, 400, 20, 60, 51, JUDGE_PAGED_OUT, JUDGE_CLEAR, 60 },
		{ "others had read it before our own three faults", 0, 400, 3, 100, 0, JUDGE_NOT_EVICTED, JUDGE_SWAP_CACHE, 24 },
		{ "no major fault", 0, 400, 0, 1000, -1, JUDGE_NOT_EVICTED, JUDGE_NO_MAJOR_FAULT, 0 },
		{ "faults on files only prove nothing about swap", 0, 0, 3, 1000, -1, JUDGE_NOT_EVICTED, JUDGE_SWAP_CACHE, NAN },
		{ "still resident before the key is said first", 12000, 400, 7, 100, -1, JUDGE_NOT_EVICTED, JUDGE_RESIDENT, 56 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct judged_process p = process(cases[i].resident_kb, 4000);
		struct swap_readings d = disk(cases[i].read_pages);
		struct judge_verdict v;

		d.read_bytes = cases[i].read_pages < 0 ? -1 : d.read_bytes;
		d.cached_bytes = cases[i].cached_pages < 0 ? -1 : cases[i].cached_pages * PAGE;
		p.swap_after -= cases[i].back_kb * KB;
		p.major = cases[i].major;
		p.minor = 99;
		judge_evicted_run(&p, 1, &d, &v);
		if (v.state != cases[i].state || v.why != cases[i].why || isnan(v.read_percent) != isnan(cases[i].percent) ||
		    fabs(v.read_percent - cases[i].percent) > 1e-9)
			fail_msg("%s: state %d, why %d, %g %%", cases[i].what, v.state, v.why, v.read_percent);
	}
}

/* 100 pages came back to the one and 20 to the other, for 20 major faults; 130 pages were read. */
TEST(processes_add_up_and_one_that_went_further_out_hides_nothing)
{
	struct judged_process p[2] = { process(0, 4000), process(0, 400) };
	struct swap_readings d = disk(130);
	struct judge_verdict v;

	p[0].swap_after = 3600 * KB;
	p[0].major = 15;
	p[1].swap_after = 320 * KB;
	p[1].major = 5;
	judge_evicted_run(p, 2, &d, &v);
	assert_int_equal(v.state, JUDGE_PAGED_OUT);
	assert_int_equal(v.refaulted_bytes, 120 * PAGE);
	assert_true(v.read_percent == 100);
	p[0] = process(0, 4000);
	p[0].swap_after = 4400 * KB; /* it grew, and that went out, too */
	p[1].major = 3;
	d = disk(10);
	judge_evicted_run(p, 2, &d, &v);
	assert_int_equal(v.refaulted_bytes, 20 * PAGE);
	assert_true(fabs(v.read_percent - 50) < 1e-9);
	assert_int_equal(v.state, JUDGE_PAGED_OUT);
}

TEST(in_memory_needs_nothing_from_the_disk)
{
	struct judged_process p[1] = { process(1000, 3000) }; /* what a key does not touch may be in swap */
	struct swap_readings d = disk(0);
	struct judge_verdict v;

	p[0].minor = 12;
	judge_resident_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_IN_MEMORY);
	p[0].major = 1;
	judge_resident_run(p, 1, &d, &v);
	assert_int_equal(v.state, JUDGE_NOT_IN_MEMORY);
	assert_int_equal(v.why, JUDGE_MAJOR_FAULT);
}
