// SPDX-License-Identifier: GPL-3.0-or-later
/* episode - inputs, sounds and time, played by hand. */
#include "vamp/watch.h"
#include "../../../../../tests/unit/unit.h"

TEST(test_input_begins_and_ends)
{
	struct episode_timer e = { .most_ns = 5000 };
	struct episode_change turn = episode_handle_input(&e, 100, false);

	assert_true(turn.begins && !turn.ends);
	assert_int_equal(episode_due_ns(&e), 5100);
	turn = episode_handle_input(&e, 900, false);
	assert_true(turn.begins && turn.ends);
	assert_int_equal(episode_due_ns(&e), 5900);
}

TEST(test_time_ends)
{
	struct episode_timer e = { .most_ns = 5000 };

	assert_int_equal(episode_due_ns(&e), INT64_MAX);
	assert_false(episode_end_due(&e, INT64_MAX - 1));
	episode_handle_input(&e, 100, false);
	assert_false(episode_end_due(&e, 5099));
	assert_true(episode_end_due(&e, 5100));
	assert_false(episode_end_due(&e, 5101)); /* once */
	assert_int_equal(episode_due_ns(&e), INT64_MAX);
	assert_false(episode_handle_input(&e, 6000, false).ends);
}

TEST(test_sound_only_outside)
{
	struct episode_timer e = { .most_ns = 5000 };
	struct episode_change turn = episode_handle_input(&e, 100, true);

	assert_true(turn.begins && !turn.ends);
	turn = episode_handle_input(&e, 200, true);
	assert_false(turn.begins || turn.ends);
	assert_int_equal(episode_due_ns(&e), 5100);  /* not prolonged */
	turn = episode_handle_input(&e, 300, false); /* an input ends what a sound began */
	assert_true(turn.begins && turn.ends);
}
