// SPDX-License-Identifier: GPL-3.0-or-later
/* own_work - own work told apart: by notes of when it was done, and by thread ids. */
#include <unistd.h>

#include "idleprofile/own_work.h"
#include "../unit.h"

static struct own_work_notes notes;

TEST(own_work_inside_a_part_is_found)
{
	struct own_work_time f;

	memset(&notes, 0, sizeof(notes));
	own_work_note(&notes, 1000, 1400, 300); /* it did not have the CPU all the time */
	own_work_note(&notes, 5000, 5000, 0);	/* a wake-up: it was there, for how long is not known */
	f = own_work_find(&notes, 900, 1500);
	assert_true(f.there);
	assert_int_equal(f.ns, 300);
	f = own_work_find(&notes, 2000, 3000);
	assert_false(f.there);
	f = own_work_find(&notes, 4990, 5010);
	assert_true(f.there);
	assert_int_equal(f.ns, 0);
}

TEST(work_that_a_part_holds_only_partly_counts_partly)
{
	struct own_work_time f;

	memset(&notes, 0, sizeof(notes));
	own_work_note(&notes, 1000, 2000, 1000);
	f = own_work_find(&notes, 1900, 2500);
	assert_true(f.there);
	assert_int_equal(f.ns, 100);
}

TEST(old_notes_go_when_there_are_too_many)
{
	struct own_work_time f;

	memset(&notes, 0, sizeof(notes));
	for (int64_t i = 0; i < 3 * OWN_WORK_NOTES; i++)
		own_work_note(&notes, i * 10, i * 10 + 1, 1);
	assert_false(own_work_find(&notes, 0, 5).there);
	f = own_work_find(&notes, (3 * OWN_WORK_NOTES - 1) * 10, 3 * OWN_WORK_NOTES * 10);
	assert_true(f.there);
	assert_int_equal(f.ns, 1);
}

TEST(own_threads_are_taken_out_of_the_shares)
{
	pid_t parent = getppid();
	const struct cli_pids ignored = { &parent, 1 };
	struct own_work_tids t;
	struct own_work_time f;
	struct culprit_share share[] = {
		{ .kind = CULPRIT_TASK, .pid = 999999, .name = "other", .ns = 500 },
		{ .kind = CULPRIT_TASK, .pid = (int)gettid(), .name = "self", .ns = 300 },
		{ .kind = CULPRIT_TIMER, .name = "timer", .ns = 50 },
		{ .kind = CULPRIT_TASK, .pid = 888888, .name = "waker", .ns = 7 },
		{ .kind = CULPRIT_TASK, .pid = (int)getppid(), .name = "harness", .ns = 20 },
	};
	size_t n = 5;

	own_work_tids_init(&t, &ignored);
	own_work_tids_add(&t, 888888);
	own_work_tids_refresh(&t);
	f = own_work_remove_shares(&t, share, &n);
	assert_true(f.there);
	assert_int_equal(f.ns, 327);
	assert_int_equal(n, 2);
	assert_string_equal(share[0].name, "other");
	assert_string_equal(share[1].name, "timer");
	assert_false(own_work_remove_shares(&t, share, &n).there);
	assert_int_equal(n, 2);
}

TEST(an_interrupt_has_no_thread)
{
	struct own_work_tids t;
	struct culprit_share share = { .kind = CULPRIT_IRQ, .pid = 0, .name = "disk", .ns = 500 };
	size_t n = 1;

	own_work_tids_init(&t, NULL);
	own_work_tids_add(&t, 0);
	assert_false(own_work_remove_shares(&t, &share, &n).there);
	assert_int_equal(n, 1);
}

TEST(each_ns_of_own_work_is_in_one_gap)
{
	memset(&notes, 0, sizeof(notes));
	own_work_note(&notes, 1000, 9000, 2000);
	assert_int_equal(own_work_find(&notes, 1000, 4000).ns, 2000);
	assert_int_equal(own_work_find(&notes, 5000, 8000).ns, 0);
}

TEST(no_number_of_threads_is_too_many)
{
	static struct own_work_tids t;
	struct culprit_share share[] = { { .kind = CULPRIT_TASK, .pid = 100000 + 4 * 997, .ns = 7 },
					 { .kind = CULPRIT_TASK, .pid = 100001, .ns = 1 } };
	size_t n = 2;

	own_work_tids_init(&t, NULL);
	for (int i = 0; i < 1000; i++)
		own_work_tids_add(&t, 100000 + 4 * i);
	assert_int_equal(own_work_remove_shares(&t, share, &n).ns, 7);
	assert_int_equal(n, 1);
}
