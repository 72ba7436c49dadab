// SPDX-License-Identifier: GPL-3.0-or-later
/* startup - e and its interval by closed formula; and the way to an event, what is felt of it, and the events that all users have
 * in common. */
#include <math.h>

#include "summarize/startup.h"
#include "../../../../../tests/unit/folder.h"

static void add(struct startup_trials *s, double startup_ms, double io_ms, bool above)
{
	struct trial *t = trials_add(&s->starts, 1, 1);

	assert_non_null(t);
	trials_set_value(t, STARTUP_TIME, startup_ms, above);
	trials_set_value(t, STARTUP_IO, io_ms, false);
}

TEST(e_is_what_input_and_output_do_not_explain)
{
	struct startup_trials s = { 0 };
	struct figure e;

	add(&s, 2000, 250, false);
	add(&s, 2000, 500, false);
	add(&s, 2000, 750, false);
	e = startup_added_share(&s, (struct startup_base){ 1000, 10 });
	assert_near(e.value, 0.5, 1e-9);
	/* 0.75, 0.5, 0.25: mean 0.5, sd 0.25; t(2, 0.975) = 4.3026527 */
	assert_near(e.low, 0.5 - 4.3026527 * 0.25 / sqrt(3), 1e-6);
	assert_near(e.high, 0.5 + 4.3026527 * 0.25 / sqrt(3), 1e-6);
	free(s.starts.of);
}

TEST(requests_that_overlapped_make_e_negative)
{
	struct startup_trials s = { 0 };
	struct figure e;

	add(&s, 1500, 1500, false);
	e = startup_added_share(&s, (struct startup_base){ 1000, 10 });
	assert_near(e.value, -2, 1e-9);
	assert_true(isnan(e.low));
	free(s.starts.of);
}

TEST(within_three_spreads_of_t0_there_is_no_e)
{
	struct startup_trials s = { 0 };

	add(&s, 1300, 10, false);
	assert_true(isnan(startup_added_share(&s, (struct startup_base){ 1000, 100 }).value));
	assert_near(startup_added_share(&s, (struct startup_base){ 1000, 99.9 }).value, 290.0 / 300, 1e-9);
	/* one start without pressure has no spread */
	assert_true(isnan(startup_added_share(&s, (struct startup_base){ 1000, NAN }).value));
	assert_true(isnan(startup_added_share(&s, (struct startup_base){ NAN, NAN }).value));
	free(s.starts.of);
}

TEST(a_median_at_the_ceiling_has_no_e)
{
	const struct startup_base base = { 1000, 10 };
	struct startup_trials s = { 0 };

	add(&s, 5000, 100, false);
	add(&s, 30000, 10, true);
	add(&s, 30000, 10, true);
	assert_true(isnan(startup_added_share(&s, base).value));
	add(&s, 5000, 100, false);
	add(&s, 5000, 100, false);
	assert_near(startup_added_share(&s, base).value, 3900.0 / 4000, 1e-9);
	assert_true(isnan(startup_added_share(&s, base).low));
	free(s.starts.of);
}

/* --- menus --- */

static const struct klm_times times = { .key = 0.28, .point = 1.1, .button = 0.1, .home = 0.4, .mental = 1.35 };

TEST(the_way_is_a_shortcuts_keys_or_the_mouse)
{
	assert_near(menus_selection_s(&times, "File/Open", "ctrl+o"), 0.56, 1e-9);
	assert_near(menus_selection_s(&times, "a key", "a"), 0.28, 1e-9);
	assert_near(menus_selection_s(&times, "zoom", "+"), 0.28, 1e-9);
	assert_near(menus_selection_s(&times, "File/Open/document", ""), 4.3, 1e-9); /* 0.4 + 3 x (1.1 + 0.2) */
	assert_near(menus_selection_s(&times, "start", ""), 1.7, 1e-9);
}

TEST(nothing_is_felt_up_to_what_was_expected)
{
	assert_near(menus_felt_delay_s(5, 5, 2), 0, 0);
	assert_near(menus_felt_delay_s(4.9, 5, 2), 0, 0);
	assert_near(menus_felt_delay_s(8, 5, 2), 9, 1e-9);
	assert_near(menus_felt_delay_s(8, 5, 1), 3, 1e-9);
	assert_near(menus_felt_delay_s(9, 5, 1.5), 8, 1e-9);
	assert_near(menus_felt_delay_s(6, 5, 0), 1, 1e-9);
}

TEST_WITH(make_folder, remove_folder, common_events_have_their_counts_together)
{
	static const char text[] =
		"{\"m\": {\"classes\": ["
		"{\"class\": \"1\", \"events\": [{\"application\": \"a\", \"path\": \"x\", \"count\": 1, \"shortcut\": \"F1\"},"
		" {\"application\": \"a\", \"path\": \"y\", \"count\": 5, \"shortcut\": \"\"},"
		" {\"application\": \"b\", \"path\": \"x\", \"count\": 7}]},"
		"{\"class\": \"2\", \"events\": [{\"application\": \"a\", \"path\": \"x\", \"count\": 2, \"shortcut\": \"\"},"
		" {\"application\": \"a\", \"path\": \"y\", \"count\": 3, \"shortcut\": \"\"}]},"
		"{\"class\": \"3\", \"events\": [{\"application\": \"a\", \"path\": \"y\", \"count\": 1},"
		" {\"application\": \"a\", \"path\": \"x\", \"count\": 4, \"shortcut\": \"F1\"}]}]}}";
	struct user_action event[MENUS_EVENTS];
	struct json_document *j;
	struct why why;

	put("menus", text);
	j = json_read_file(in_folder("menus"), &why);
	assert_non_null(j);
	assert_int_equal(menus_find_actions(j, "m", event), 2);
	assert_string_equal(event[0].path, "x");
	assert_near(event[0].count, 7, 0);
	assert_string_equal(event[0].shortcut, ""); /* who knows no shortcut goes through the menu */
	assert_string_equal(event[1].path, "y");
	assert_near(event[1].count, 9, 0);
	assert_int_equal(menus_find_actions(j, "none", event), 0);
	json_free(j);
}
