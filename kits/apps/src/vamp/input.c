// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock.h"
#include "downcast.h"
#include "control.h"
#include "input.h"
#include "act.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xkbcommon/xkbcommon.h>

int input_parse_keys(const char *text, struct trigger_keys *keys, struct why *why)
{
	struct trigger_keys read = { 0 };
	const char *end;

	do {
		char word[24];
		uint32_t keysym;

		end = strchrnul(text, ',');
		if (end == text || snprintf(word, sizeof(word), "%.*s", (int)(end - text), text) >= (int)sizeof(word))
			return why_fail(-EINVAL, why, "--keys: names are divided by one comma each: Return,KP_Enter,button");
		text = end + 1;
		if (!strcmp(word, "button")) {
			read.button = true;
		} else if (!strcmp(word, "any")) {
			read.any = true;
		} else if (keysym_parse_text(word, &keysym)) {
			return why_fail(-EINVAL, why,
					"--keys: there is no key %s: take a name of X11 (Return, KP_Enter, a, F5), any or button",
					word);
		} else if (read.n == INPUT_KEYS) {
			return why_fail(-EINVAL, why, "--keys: at most %d keys", INPUT_KEYS);
		} else {
			read.keysym[read.n++] = keysym;
		}
	} while (*end);
	*keys = read;
	return 0;
}

bool input_has_key(const struct trigger_keys *keys, uint32_t keysym)
{
	for (int i = 0; i < keys->n; i++)
		if (keys->keysym[i] == keysym)
			return true;
	return keys->any;
}

struct fifo_input {
	struct input_source source; /* first member, so that the pointers convert */
	struct command_fifo control;
	int64_t seen_ns;
	void (*each)(void *arg, const struct input_event *event);
	void *arg;
};

static void emit_line(void *arg, const char *line)
{
	struct fifo_input *c = arg;
	struct input_event event = { .seen_ns = c->seen_ns };

	snprintf(event.what, sizeof(event.what), "%.*s", (int)sizeof(event.what) - 1, line);
	for (char *at = event.what; *at; at++) /* replace control characters: the text goes to terminals and tables */
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	c->each(c->arg, &event);
}

static const struct input_source_ops control_ops, evdev_ops;

static int read_fifo(struct input_source *s, void (*each)(void *arg, const struct input_event *event), void *arg)
{
	struct fifo_input *c = DOWNCAST(s, struct fifo_input, s->ops == &control_ops);

	c->seen_ns = clock_now();
	c->each = each;
	c->arg = arg;
	fifo_read_lines(&c->control, emit_line, c);
	return 0;
}

static void close_fifo(struct input_source *s)
{
	struct fifo_input *c = DOWNCAST(s, struct fifo_input, s->ops == &control_ops);

	fifo_remove(&c->control);
	close(c->control.fd);
	free(c);
}

static const struct input_source_ops control_ops = { .name = "control", .read = read_fifo, .close = close_fifo };

int input_open_fifo(struct input_source **out, const char *path, struct why *why)
{
	struct fifo_input *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return why_fail(-ENOMEM, why, "out of memory");
	err = fifo_open(&c->control, path, why);
	if (err) {
		free(c);
		return err;
	}
	c->source = (struct input_source){ .ops = &control_ops, .fd = c->control.fd };
	*out = &c->source;
	return 0;
}

/* A record of a Linux input device, as in linux/input.h, which cannot be included: both headers have a struct input_event. */
#define EVIOCGVERSION _IOR('E', 0x01, int)
struct evdev_record {
	long seconds, micros;
	uint16_t type, code;
	int32_t value;
};
#define RECORDS 64 /* records read at a time; the device delivers whole records */

struct evdev_input {
	struct input_source source; /* first member, so that the pointers convert */
	struct trigger_keys keys;
	struct xkb_keymap *places;
};

/* The key at a position on a US keyboard: the device reports positions, not characters. 0: it has no name. */
static uint32_t place_keysym(const struct evdev_input *d, int code)
{
	const xkb_keysym_t *symbol;

	return xkb_keymap_key_get_syms_by_level(d->places, (xkb_keycode_t)code + 8, 0, 0, &symbol) == 1 ? *symbol : 0;
}

/* Number of a mouse button in X11's order: left, middle, right, and the side buttons from 8 on. 0: not a mouse button. */
static int button_number(int code)
{
	return code == BTN_LEFT || code == BTN_TOUCH  ? 1
	       : code == BTN_MIDDLE		      ? 2
	       : code == BTN_RIGHT		      ? 3
	       : code >= BTN_SIDE && code <= BTN_TASK ? 8 + code - BTN_SIDE
						      : 0;
}

/* Does the record count: a key press (value 1; 2 is an automatic repeat) or the release of a button? */
static bool is_trigger(const struct evdev_input *d, const struct evdev_record *r, char *what, size_t size)
{
	int button = button_number(r->code);
	uint32_t keysym;

	if (r->type != EV_KEY)
		return false;
	if (button) {
		snprintf(what, size, "button %d", button);
		return d->keys.button && r->value == 0;
	}
	if (r->value != 1 || (r->code >= BTN_MISC && r->code < KEY_OK))
		return false;
	keysym = place_keysym(d, r->code);
	if (keysym)
		snprintf(what, size, "%s", keysym_name(keysym));
	else
		snprintf(what, size, "key %d", r->code);
	return input_has_key(&d->keys, keysym);
}

static int read_device(struct input_source *s, void (*each)(void *arg, const struct input_event *event), void *arg)
{
	struct evdev_input *d = DOWNCAST(s, struct evdev_input, s->ops == &evdev_ops);
	struct evdev_record record[RECORDS];
	ssize_t n = read(s->fd, record, sizeof(record));
	struct input_event event = { .seen_ns = clock_now() };

	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(*record); i++)
		if (is_trigger(d, &record[i], event.what, sizeof(event.what)))
			each(arg, &event);
	return n > 0 ? 0 : n == 0 ? -EPIPE : errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

static void close_device(struct input_source *s)
{
	xkb_keymap_unref(DOWNCAST(s, struct evdev_input, s->ops == &evdev_ops)->places);
	close(s->fd);
	free(s);
}

static const struct input_source_ops evdev_ops = { .name = "evdev", .read = read_device, .close = close_device };

static struct xkb_keymap *load_us_keyboard(void)
{
	struct xkb_context *context = xkb_context_new(XKB_CONTEXT_NO_FLAGS);
	struct xkb_keymap *map = context ? xkb_keymap_new_from_names(context, &(struct xkb_rule_names){ .layout = "us" }, 0) : NULL;

	xkb_context_unref(context);
	return map;
}

/* Checks that it is an input device (linux/input.h), or a fifo or file in its place, for tests. 0 or -errno. */
static int check_device(int fd)
{
	struct stat st;
	int version;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return S_ISCHR(st.st_mode) && ioctl(fd, EVIOCGVERSION, &version) ? -ENOTTY : 0;
}

int input_open_evdev(struct input_source **out, const char *device, const struct trigger_keys *keys, struct why *why)
{
	int fd = open(device, O_RDONLY | O_NONBLOCK | O_CLOEXEC), err = fd < 0 ? -errno : check_device(fd);
	struct xkb_keymap *places = err ? NULL : load_us_keyboard();
	struct evdev_input *d = places ? malloc(sizeof(*d)) : NULL;

	*out = NULL;
	if (d) {
		*d = (struct evdev_input){ .source = { .ops = &evdev_ops, .fd = fd }, .keys = *keys, .places = places };
		*out = &d->source;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	if (!err)
		return why_fail(-ENOENT, why, "there is no layout of a US keyboard: install xkb-data");
	return why_fail(err, why, "cannot open %s: %s%s", device, err == -ENOTTY ? "not an input device" : strerror(-err),
			err == -EACCES ? " (be root, or of the group input)" : " (/proc/bus/input/devices lists what is there)");
}
