// SPDX-License-Identifier: GPL-3.0-or-later
/* vm_state - which vCPUs are slow, line by line; and a guest that lies. */
#include "../../../../../tests/unit/unit.h"
#include "../../../../../tests/unit/seeds.h"
#include "vamp/vm.h"

#define S 1000000000LL

static struct guest_state s;

static void take(const char *line)
{
	state_add_line(&s, line, 5 * S);
}

static int begin(void **state)
{
	(void)state;
	state_init(&s, 2, 0);
	return 0;
}

TEST_WITH(begin, NULL, over_half_is_slow_until_the_next_report_or_the_end)
{
	take("vamp/1 1 alive");
	take("vamp/1 2 cpu 1 100");
	assert_false(s.slow[1]); /* there is no episode */
	take("vamp/1 3 begin");
	assert_true(s.episode);
	assert_false(s.slow[0] || s.slow[1]);
	take("vamp/1 4 cpu 0 50");
	take("vamp/1 5 cpu 1 51");
	assert_false(s.slow[0]);
	assert_true(s.slow[1]);
	assert_int_equal(s.percent[1], 51);
	take("vamp/1 6 cpu 1 50");
	assert_false(s.slow[1]);
	take("vamp/1 7 cpu 0 99");
	assert_true(s.slow[0]);
	take("vamp/1 8 end");
	assert_false(s.episode || s.slow[0]);
	assert_int_equal(s.percent[0], -1);
	assert_string_equal(s.ended_by, "agent");
	assert_int_equal(s.episodes, 1);
	assert_int_equal(s.lines, 8);
	assert_int_equal(s.lost + s.refused, 0);
}

TEST_WITH(begin, NULL, the_next_episode_ends_one)
{
	take("vamp/1 9 begin"); /* the agent was there before us */
	take("vamp/1 10 cpu 0 80");
	take("vamp/1 11 begin");
	assert_true(s.episode);
	assert_false(s.slow[0]);
	assert_int_equal(s.episodes, 2);
	assert_string_equal(s.ended_by, "next episode");
	assert_int_equal(s.lost, 0);
}

TEST_WITH(begin, NULL, silence_ends_an_episode_and_is_told_once)
{
	take("vamp/1 1 begin");
	take("vamp/1 2 cpu 0 80");
	assert_false(state_end_silent(&s, 8 * S));
	assert_true(s.slow[0]);
	assert_true(state_end_silent(&s, 8 * S + 1));
	assert_false(s.slow[0] || s.episode);
	assert_string_equal(s.ended_by, "silence");
	assert_false(state_end_silent(&s, 100 * S));
	state_add_line(&s, "vamp/1 9 cpu 0 80", 101 * S);
	assert_false(s.slow[0]); /* it is over */
	assert_int_equal(s.lost, 6);
	assert_false(state_end_silent(&s, 104 * S));
	assert_true(state_end_silent(&s, 105 * S));
}

TEST_WITH(begin, NULL, a_new_agent_ends_the_episode_of_the_old_one)
{
	take("vamp/1 5 begin");
	take("vamp/1 6 cpu 0 80");
	take("vamp/1 1 alive");
	assert_false(s.episode || s.slow[0]);
	assert_string_equal(s.ended_by, "new agent");
	take("vamp/1 2 begin");
	assert_true(s.episode);
	assert_int_equal(s.refused, 0);
}

TEST_WITH(begin, NULL, what_is_not_in_order_is_refused)
{
	take("vamp/1 5 begin");
	take("vamp/1 5 cpu 0 80");
	take("vamp/1 4 cpu 0 80");
	take("vamp/1 6 cpu 2 80"); /* there are two */
	take("vamp/2 7 cpu 0 80");
	take("vamp/1 7 cpu 0 8000");
	take("rubbish");
	assert_false(s.slow[0]);
	assert_int_equal(s.refused, 6);
	assert_true(s.foreign);
	take("vamp/1 9 cpu 0 80"); /* 6 to 8 did not count, whatever they were */
	assert_true(s.slow[0]);
	assert_int_equal(s.lost, 3);
}

TEST_WITH(begin, NULL, a_liar_changes_no_more_than_its_own_weights)
{
	static const char *const words[] = { "begin",	"end",	       "alive",	  "cpu 0 100", "cpu 1 70",
					     "cpu 1 3", "cpu 511 100", "cpu 9 9", "x" };
	uint32_t die = 7;

	for (int round = 0; round < 200000; round++) {
		long long sequence = seeds_draw(&die, 3) ? s.sequence + 1 + seeds_draw(&die, 2) * 999999999999999LL : 1;
		char text[64];
		int slow = 0;

		snprintf(text, sizeof(text), "vamp/1 %lld %s", sequence, words[seeds_draw(&die, 9)]);
		state_add_line(&s, text, round);
		for (int i = 0; i < AGENT_CPUS; i++)
			slow += s.slow[i];
		assert_in_range(slow, 0, s.episode ? 2 : 0);
		assert_true(s.lost >= 0 && s.refused >= 0 && s.episodes >= 0);
	}
	assert_true(s.refused > 1000 && s.episodes > 1000);
}
