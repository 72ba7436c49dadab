// SPDX-License-Identifier: GPL-3.0-or-later
/* stability - series of pictures written by hand, with the times from which they are stable. */
#include "clock.h"
#include "startup/stability.h"
#include "../../../../../tests/unit/unit.h"

#define MS NS_PER_MS
#define QUIET (500 * MS)

struct look {
	int64_t at_ms;
	char picture;
};

/* Plays looks, asks every 10 ms, and says when rest was first certain and since when it was: -1, -1 for never by until_ms. */
static void play(struct stability *r, const struct look *look, size_t n, int64_t until_ms, int64_t *certain_ms, int64_t *since_ms)
{
	size_t next = 0;

	*certain_ms = *since_ms = -1;
	for (int64_t t = 0; t <= until_ms; t += 10) {
		while (next < n && look[next].at_ms <= t) {
			stability_add_look(r, look[next].at_ms * MS, (uint64_t)look[next].picture);
			next++;
		}
		if (stability_update(r, t * MS) && *certain_ms < 0) {
			*certain_ms = t;
			*since_ms = r->stable_ns / MS;
		}
	}
}

#define PLAY(until, certain, since, ...) \
	do { \
		const struct look looks[] = { __VA_ARGS__ }; \
		struct stability r; \
		int64_t c, s; \
		stability_init(&r, QUIET); \
		play(&r, looks, sizeof(looks) / sizeof(*looks), until, &c, &s); \
		assert_int_equal(c, certain); \
		assert_int_equal(s, since); \
	} while (0)

TEST(its_time_is_that_of_the_last_change)
{
	PLAY(2000, 800, 300, { 100, 'a' }, { 200, 'b' }, { 300, 'c' });
}

TEST(a_look_that_shows_the_same_is_no_change)
{
	PLAY(2000, 800, 300, { 100, 'a' }, { 300, 'c' }, { 500, 'c' }, { 700, 'c' }, { 1100, 'c' });
}

TEST(nothing_seen_is_no_rest)
{
	struct stability r;

	stability_init(&r, QUIET);
	assert_false(stability_update(&r, 100 * NS_PER_S));
}

TEST(what_changes_within_the_quiet_time_is_no_rest)
{
	PLAY(2440, -1, -1, { 0, 'a' }, { 490, 'b' }, { 980, 'c' }, { 1470, 'd' }, { 1960, 'e' });
	PLAY(2490, 2460, 1960, { 0, 'a' }, { 490, 'b' }, { 980, 'c' }, { 1470, 'd' }, { 1960, 'e' });
}

TEST(two_that_take_turns_are_rest_since_the_first_of_them)
{
	/* each has been seen twice at 500, the quiet time since 100 is over at 600 */
	PLAY(2000, 600, 100, { 0, 'x' }, { 100, 'a' }, { 220, 'b' }, { 340, 'a' }, { 460, 'b' }, { 580, 'a' }, { 700, 'b' });
	/* here it takes until 1300 that the second comes back */
	PLAY(3000, 1300, 100, { 0, 'x' }, { 100, 'a' }, { 500, 'b' }, { 900, 'a' }, { 1300, 'b' }, { 1700, 'a' });
}

TEST(the_last_change_is_not_that_of_a_caret)
{
	struct stability r;

	stability_init(&r, QUIET);
	for (int i = 0; i < 4; i++)
		stability_add_look(&r, i * MS, (uint64_t)(i % 2));
	assert_int_equal(stability_last_change(&r), 0);
	stability_add_look(&r, 900 * MS, 2);
	assert_int_equal(stability_last_change(&r), 900 * MS);
}

TEST(two_in_a_row_are_not_turns)
{
	/* there and back once may be a flash: rest begins after it */
	PLAY(2000, 900, 400, { 0, 'x' }, { 200, 'a' }, { 300, 'b' }, { 400, 'a' });
}

TEST(three_that_take_turns_are_no_rest)
{
	PLAY(2000, -1, -1, { 0, 'a' }, { 200, 'b' }, { 400, 'c' }, { 600, 'a' }, { 800, 'b' }, { 1000, 'c' }, { 1200, 'a' },
	     { 1400, 'b' }, { 1600, 'c' }, { 1800, 'a' });
}

TEST(turns_do_not_end_a_rest_but_a_third_does)
{
	struct stability r;

	stability_init(&r, QUIET);
	stability_add_look(&r, 0, 'a');
	stability_add_look(&r, 100 * MS, 'b');
	assert_true(stability_update(&r, 600 * MS));
	assert_int_equal(r.stable_ns, 100 * MS);
	stability_add_look(&r, 700 * MS, 'a');
	assert_true(stability_update(&r, 700 * MS));
	assert_int_equal(r.stable_ns, 100 * MS);
	/* now it is certain that they take turns, so the step at 100 was the caret's */
	stability_add_look(&r, 1300 * MS, 'b');
	assert_true(stability_update(&r, 1300 * MS));
	assert_int_equal(r.stable_ns, 0);
	stability_add_look(&r, 1400 * MS, 'c');
	assert_false(stability_update(&r, 1400 * MS));
	assert_true(stability_update(&r, 1900 * MS));
	assert_int_equal(r.stable_ns, 1400 * MS);
}

TEST(after_an_input_only_something_new_is_an_answer)
{
	struct stability r, event;

	stability_init(&r, QUIET);
	stability_add_look(&r, 0, 'a');
	stability_add_look(&r, 300 * MS, 'b');
	stability_add_look(&r, 600 * MS, 'a');
	stability_add_look(&r, 900 * MS, 'b');
	stability_restart(&event, &r, QUIET);
	stability_add_look(&event, 1200 * MS, 'a'); /* the caret goes on */
	stability_add_look(&event, 1500 * MS, 'b');
	assert_false(stability_update(&event, 9000 * MS));
	assert_false(event.changed);
	stability_add_look(&event, 9100 * MS, 'c');
	stability_add_look(&event, 9300 * MS, 'd');
	assert_false(stability_update(&event, 9790 * MS));
	assert_true(stability_update(&event, 9800 * MS));
	assert_int_equal(event.first_change_ns, 9100 * MS);
	assert_int_equal(event.stable_ns, 9300 * MS);
}

TEST(a_step_before_an_input_is_not_half_a_pair)
{
	struct stability r, event;

	stability_init(&r, QUIET);
	stability_add_look(&r, 0, 'a');
	stability_add_look(&r, 300 * MS, 'b');
	stability_restart(&event, &r, QUIET);
	stability_add_look(&event, 1000 * MS, 'a'); /* a dialog closed: what was there before it is back */
	assert_true(event.changed);
	assert_true(stability_update(&event, 1500 * MS));
	assert_int_equal(event.stable_ns, 1000 * MS);
}
