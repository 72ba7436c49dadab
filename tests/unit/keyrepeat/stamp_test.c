// SPDX-License-Identifier: GPL-3.0-or-later
/* Stamps of frames: that of an answer is the one of the frame that was seen at its time, and of no other; and failed readings. */
#include "../unit.h"
#include "keyrepeat/observations.h"

static struct observations seen;

static int setup(void **state)
{
	observations_init(&seen, 1000, 4, 4, 0);
	return 0;
}

static int teardown(void **state)
{
	observations_free(&seen);
	return 0;
}

TEST_WITH(setup, teardown, a_stamp_is_found_by_the_time_of_its_frame_alone)
{
	observations_keep_stamps(&seen, 3);
	observations_add_stamp(&seen, 100, 7);
	observations_add_stamp(&seen, 200, 0); /* a frame without a stamp */
	observations_add_stamp(&seen, 300, 8);
	assert_int_equal(observations_find_stamp(&seen, 100), 7);
	assert_int_equal(observations_find_stamp(&seen, 200), 0);
	assert_int_equal(observations_find_stamp(&seen, 300), 8);
	assert_int_equal(observations_find_stamp(&seen, 299), 0);
	assert_int_equal(observations_find_stamp(&seen, 301), 0);
}

TEST_WITH(setup, teardown, stamps_without_room_are_left_out)
{
	assert_int_equal(observations_find_stamp(&seen, 100), 0);
	observations_add_stamp(&seen, 100, 7); /* a target without stamps */
	assert_int_equal(observations_find_stamp(&seen, 100), 0);
	observations_keep_stamps(&seen, 1);
	observations_add_stamp(&seen, 100, 7);
	observations_add_stamp(&seen, 200, 8);
	assert_int_equal(observations_find_stamp(&seen, 100), 7);
	assert_int_equal(observations_find_stamp(&seen, 200), 0);
}

TEST_WITH(setup, teardown, what_was_seen_before_the_run_is_forgotten)
{
	observations_keep_stamps(&seen, 1);
	observations_add_stamp(&seen, 100, 7);
	observations_clear(&seen);
	assert_int_equal(observations_find_stamp(&seen, 100), 0);
	observations_add_stamp(&seen, 200, 8);
	assert_int_equal(observations_find_stamp(&seen, 200), 8);
}

TEST_WITH(setup, teardown, a_patch_is_unread_until_it_is_read_again)
{
	assert_int_equal(observations_add_unreadable(&seen), 1);
	assert_int_equal(observations_add_unreadable(&seen), 2);
	observations_add_number(&seen, 100, 7);
	assert_int_equal(observations_add_unreadable(&seen), 1);
	observations_add_number(&seen, 200, 7); /* the same number is a reading, too */
	assert_int_equal(atomic_load(&seen.unread), 0);
	assert_int_equal(atomic_load(&seen.unreadable), 3);
}
