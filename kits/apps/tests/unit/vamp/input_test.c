// SPDX-License-Identifier: GPL-3.0-or-later
/* Which keys count, records as linux/input.h lays them out, and lines through a fifo. */
#include <errno.h>
#include <fcntl.h>
#include <linux/input-event-codes.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "../../../../../tests/unit/unit.h"
#include "vamp/input.h"
#include "why.h"

static struct why why;

/* What a source reports, in the order of its coming. */
struct heard {
	int n;
	struct input_event event[32];
};

static void hear(void *arg, const struct input_event *event)
{
	struct heard *h = arg;

	assert_true(h->n < 32);
	h->event[h->n++] = *event;
}

TEST(keys_by_name)
{
	static const char *const bad[] = { "",
					   ",",
					   "Return,",
					   ",Return",
					   "Return,,button",
					   "Retur",
					   "Return button",
					   "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q",
					   "a_name_that_is_far_too_long_for_a_key" };
	struct trigger_keys keys = { .n = 7 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		why.text[0] = '\0';
		assert_int_equal(input_parse_keys(bad[i], &keys, &why), -EINVAL);
		assert_true(why.text[0]);
		assert_int_equal(keys.n, 7);
	}
	assert_int_equal(input_parse_keys("Return,button,KP_Enter", &keys, &why), 0);
	assert_int_equal(keys.n, 2);
	assert_true(keys.button);
	assert_true(input_has_key(&keys, 0xff0d) && input_has_key(&keys, 0xff8d));
	assert_false(input_has_key(&keys, 'a'));
	assert_int_equal(input_parse_keys("button", &keys, &why), 0);
	assert_false(input_has_key(&keys, 0xff0d));
	assert_int_equal(input_parse_keys("Prior", &keys, &why), 0);
	assert_true(input_has_key(&keys, 0xff55)); /* Page_Up, its other name */
	assert_false(keys.button);
	assert_int_equal(input_parse_keys("any", &keys, &why), 0);
	assert_true(input_has_key(&keys, 'a') && input_has_key(&keys, 0));
	assert_int_equal(input_parse_keys("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p", &keys, &why), 0);
	assert_int_equal(keys.n, INPUT_KEYS);
}

static void record(int fd, int type, int code, int value)
{
	struct {
		long seconds, micros;
		uint16_t type, code;
		int32_t value;
	} r = { 5, 250000, (uint16_t)type, (uint16_t)code, value };

	assert_int_equal(write(fd, &r, sizeof(r)), sizeof(r));
}

/* A device's stream, by hand, through a fifo in its place. */
TEST(records_of_a_device)
{
	struct trigger_keys keys;
	struct input_source *s;
	struct heard h = { 0 };
	char path[] = "/tmp/evdev.XXXXXX";
	int fd;

	assert_true(mkstemp(path) >= 0 && !unlink(path) && !mkfifo(path, 0600));
	assert_int_equal(input_parse_keys("Return,KP_Enter,button", &keys, &why), 0);
	assert_int_equal(input_open_evdev(&s, path, &keys, &why), 0);
	assert_string_equal(s->ops->name, "evdev");
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0 && !unlink(path));
	assert_int_equal(s->ops->read(s, hear, &h), 0);
	assert_int_equal(h.n, 0);

	record(fd, EV_KEY, KEY_A, 1);
	record(fd, EV_KEY, KEY_ENTER, 1);
	record(fd, EV_SYN, SYN_REPORT, 0);
	record(fd, EV_KEY, KEY_ENTER, 2); /* held */
	record(fd, EV_KEY, KEY_ENTER, 0);
	record(fd, EV_REL, KEY_ENTER, 1); /* movement, of an axis with the key's number */
	record(fd, EV_KEY, BTN_LEFT, 1);
	record(fd, EV_KEY, BTN_LEFT, 0);
	record(fd, EV_REL, REL_WHEEL, 1);
	record(fd, EV_KEY, KEY_KPENTER, 1);
	record(fd, EV_KEY, BTN_SIDE, 0);
	record(fd, EV_KEY, KEY_MAX, 1);
	assert_int_equal(s->ops->read(s, hear, &h), 0);
	assert_int_equal(h.n, 4);
	assert_string_equal(h.event[0].what, "Return");
	assert_string_equal(h.event[1].what, "button 1");
	assert_string_equal(h.event[2].what, "KP_Enter");
	assert_string_equal(h.event[3].what, "button 8"); /* X's number, past the wheel's */
	assert_true(h.event[0].seen_ns > 0 && h.event[0].seen_ns <= clock_now());
	close(fd);
	assert_int_equal(s->ops->read(s, hear, &h), -EPIPE);
	s->ops->close(s);
}

TEST(any_key_but_no_button)
{
	static const char *const names[] = { "q", "[", "space", "Super_L", "key 767" };
	struct trigger_keys keys;
	struct input_source *s;
	struct heard h = { 0 };
	char path[] = "/tmp/evdev.XXXXXX";
	int fd = mkstemp(path);

	assert_int_equal(input_parse_keys("any", &keys, &why), 0);
	record(fd, EV_KEY, KEY_Q, 1);
	record(fd, EV_KEY, BTN_LEFT, 0);
	record(fd, EV_KEY, BTN_TOOL_FINGER, 1);
	record(fd, EV_KEY, KEY_LEFTBRACE, 1);
	record(fd, EV_KEY, KEY_SPACE, 1);
	record(fd, EV_KEY, KEY_LEFTMETA, 1);
	record(fd, EV_KEY, KEY_MAX, 1); /* a position without a name */
	assert_int_equal(input_open_evdev(&s, path, &keys, &why), 0);
	assert_int_equal(s->ops->read(s, hear, &h), 0);
	assert_int_equal(s->ops->read(s, hear, &h), -EPIPE); /* a plain file ends */
	assert_int_equal(h.n, sizeof(names) / sizeof(*names));
	for (int i = 0; i < h.n; i++)
		assert_string_equal(h.event[i].what, names[i]);
	s->ops->close(s);
	close(fd);
	unlink(path);
}

TEST(no_such_device)
{
	struct trigger_keys keys = { 0 };
	struct input_source *s;

	assert_int_equal(input_open_evdev(&s, "/dev/input/none", &keys, &why), -ENOENT);
	assert_non_null(strstr(why.text, "/dev/input/none"));
	assert_null(s);
}

TEST(lines_are_events)
{
	struct input_source *s;
	struct heard h = { 0 };
	struct pollfd ready;
	char path[] = "/tmp/control.XXXXXX";
	const char *text = "page 1\nclick a very long word that is longer than an event has room for\nhal";
	int fd;

	assert_true(mkstemp(path) >= 0);
	assert_int_equal(input_open_fifo(&s, path, &why), -EEXIST); /* a plain file */
	assert_true(why.text[0] && !s);
	unlink(path);
	assert_int_equal(input_open_fifo(&s, path, &why), 0);
	assert_int_equal(s->ops->read(s, hear, &h), 0);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	ready = (struct pollfd){ .fd = s->fd, .events = POLLIN };
	assert_int_equal(poll(&ready, 1, 0), 1);
	assert_int_equal(s->ops->read(s, hear, &h), 0);
	assert_int_equal(h.n, 2);
	assert_string_equal(h.event[0].what, "page 1");
	assert_memory_equal(h.event[1].what, "click a very long word that is ", 32);
	assert_int_equal(write(fd, "f\n", 2), 2);
	assert_int_equal(s->ops->read(s, hear, &h), 0);
	assert_int_equal(h.n, 3);
	assert_string_equal(h.event[2].what, "half");
	close(fd);
	assert_int_equal(s->ops->read(s, hear, &h), 0); /* who wrote has gone: others may come */
	s->ops->close(s);
	assert_int_equal(access(path, F_OK), -1);
}
