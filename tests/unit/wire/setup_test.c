// SPDX-License-Identifier: GPL-3.0-or-later
/* setup - where a session's set-up ends when nothing follows it. */
#include <math.h>

#include "clock.h"
#include "wire/setup.h"
#include "../unit.h"

static void say(struct session_phases *s, int64_t ms, uint8_t flags)
{
	struct segment segment = { .transport = TRANSPORT_TCP, .flags = flags, .wire_bytes = 100 };

	session_count_packet(s, INPUT, &segment, false, ms * NS_PER_MS);
}

TEST(silence_to_the_end_ends_set_up)
{
	struct session_phases s = { .begun = false };
	struct idle_traffic idle;

	say(&s, 1000, TCP_SYN);
	say(&s, 1200, TCP_ACK);
	session_end_setup(&s, 61200 * NS_PER_MS);
	assert_int_equal(s.ended_by, SETUP_SILENCE);
	assert_int_equal(s.count[PLACE_SETUP][INPUT].packets, 2);
	session_sum_idle(&s, 0, 61200 * NS_PER_MS, &idle);
	assert_true(fabs(idle.seconds - 60) < 1e-9);
	assert_int_equal(idle.count[INPUT].wire_bytes, 0);
}

TEST(less_than_a_second_does_not)
{
	struct session_phases s = { .begun = false };
	struct idle_traffic idle;

	say(&s, 1000, TCP_SYN);
	session_end_setup(&s, 1999 * NS_PER_MS);
	assert_int_equal(s.ended_by, SETUP_GOES_ON);
	session_sum_idle(&s, 0, 1999 * NS_PER_MS, &idle);
	assert_true(isnan(idle.seconds));
	/* nor where there was no session at all */
	s = (struct session_phases){ .begun = false };
	session_end_setup(&s, 5000 * NS_PER_MS);
	assert_false(s.over);
}
