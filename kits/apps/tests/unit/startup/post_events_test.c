// SPDX-License-Identifier: GPL-3.0-or-later
/* post_events - events as a person writes them, and what is wrong with others. */
#include <errno.h>

#include "startup/post_events.h"
#include "why.h"
#include "../../../../../tests/unit/unit.h"

static struct why why;

static int read_counter_file(struct event_script *s, const char *text)
{
	FILE *in = open_text(text);
	int err = event_script_read(s, in, &why);

	fclose(in);
	return err;
}

static void assert_keys(const struct scripted_event *e, const char *characters)
{
	assert_int_equal(e->n, strlen(characters));
	for (size_t i = 0; i < e->n; i++) {
		assert_int_equal(e->act[i].kind, ACT_KEY);
		assert_int_equal(e->act[i].keysym, characters[i]);
	}
}

TEST(modifiers_in_any_order)
{
	struct input_act act;

	assert_int_equal(post_parse_key("shift+super+control+a", &act), 0);
	assert_int_equal(act.held, ACT_SHIFT | POST_SUPER | ACT_CTRL);
	assert_int_equal(act.keysym, 'a');
	assert_int_equal(post_parse_key("super+", &act), -EINVAL);
	assert_int_equal(post_parse_key("hyper+a", &act), -EINVAL);
}

TEST(words)
{
	struct event_script s;

	assert_int_equal(
		read_counter_file(
			&s, "# a file\n\nopen\tctrl+o\nname\ttype:/tmp/a+b Return\nlook\tclick:20,-3 alt+shift+F4 + ctrl++\n"),
		0);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.event[0].name, "open");
	assert_keys(&s.event[0], "o");
	assert_int_equal(s.event[0].act[0].held, ACT_CTRL);
	assert_string_equal(s.event[1].name, "name");
	assert_int_equal(s.event[1].n, 9);
	s.event[1].n = 8;
	assert_keys(&s.event[1], "/tmp/a+b");
	assert_int_equal(s.event[1].act[8].keysym, 0xff0d);
	assert_int_equal(s.event[2].n, 4);
	assert_int_equal(s.event[2].act[0].kind, ACT_BUTTON);
	assert_int_equal(s.event[2].act[0].x, 20);
	assert_int_equal(s.event[2].act[0].y, -3);
	assert_int_equal(s.event[2].act[1].held, ACT_ALT | ACT_SHIFT);
	assert_int_equal(s.event[2].act[1].keysym, 0xffc1);
	assert_int_equal(s.event[2].act[2].held, 0);
	assert_int_equal(s.event[2].act[2].keysym, '+');
	assert_int_equal(s.event[2].act[3].held, ACT_CTRL);
	assert_int_equal(s.event[2].act[3].keysym, '+');
	event_script_free(&s);
}

static void refuses(const char *text, const char *reason)
{
	struct event_script s;

	assert_int_equal(read_counter_file(&s, text), -EPROTO);
	assert_string_equal(why.text, reason);
}

TEST(what_is_wrong_is_named)
{
	refuses("# nothing\n", "line 1: no event in it");
	refuses("a\tb\nopen ctrl+o\n", "line 2: a name, a tab, then keys");
	refuses("\tctrl+o\n", "line 1: a name, a tab, then keys");
	refuses("open\t  \n", "line 1: no keys after the name");
	refuses("open\thyper+o\n", "line 1: a key is its name, with ctrl+, shift+, alt+ or super+ in front");
	refuses("open\ttype:\n", "line 1: nothing to type");
	refuses("open\tclick:3\n", "line 1: a click is click:X,Y");
	refuses("open\tclick:3,4x\n", "line 1: a click is click:X,Y");
}
