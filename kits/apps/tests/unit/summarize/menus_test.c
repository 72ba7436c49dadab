// SPDX-License-Identifier: GPL-3.0-or-later
/* menus - the way to an event, what is felt of it, and the events that all users have in common. */
#include "../../../../../tests/unit/near.h"
#include "summarize/startup.h"
#include "../../../../../tests/unit/folder.h"

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
