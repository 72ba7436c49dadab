// SPDX-License-Identifier: GPL-3.0-or-later
#include "clock.h"
#include "control.h"
#include "input.h"
#include "keysym.h"
#include "why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int input_keys_read(const char *text, struct input_keys *keys, char *why, size_t size)
{
	struct input_keys read = { 0 };
	const char *end;

	do {
		char word[24];
		uint32_t keysym;

		end = strchrnul(text, ',');
		if (end == text || snprintf(word, sizeof(word), "%.*s", (int)(end - text), text) >= (int)sizeof(word))
			return why_write(-EINVAL, why, size, "--keys: names are divided by one comma each: Return,KP_Enter,button");
		text = end + 1;
		if (!strcmp(word, "button")) {
			read.button = true;
		} else if (!strcmp(word, "any")) {
			read.any = true;
		} else if (keysym_read(word, &keysym)) {
			return why_write(-EINVAL, why, size,
					 "--keys: there is no key %s: take a name of X11 (Return, KP_Enter, a, F5), any or button",
					 word);
		} else if (read.n == INPUT_KEYS) {
			return why_write(-EINVAL, why, size, "--keys: at most %d keys", INPUT_KEYS);
		} else {
			read.keysym[read.n++] = keysym;
		}
	} while (*end);
	*keys = read;
	return 0;
}

bool input_keys_match(const struct input_keys *keys, uint32_t keysym)
{
	for (int i = 0; i < keys->n; i++)
		if (keys->keysym[i] == keysym)
			return true;
	return keys->any;
}

struct control_source {
	struct input_source source;	/* first member, so that the pointers convert */
	struct control control;
	int64_t seen_ns;
	void (*each)(void *arg, const struct input_event *event);
	void *arg;
};

static void input_control_add_line(void *arg, const char *line)
{
	struct control_source *c = arg;
	struct input_event event = { .seen_ns = c->seen_ns };

	snprintf(event.what, sizeof(event.what), "%.*s", (int)sizeof(event.what) - 1, line);
	for (char *at = event.what; *at; at++)	/* replace control characters: the text goes to terminals and tables */
		if ((unsigned char)*at < ' ' || *at == 127)
			*at = '?';
	c->each(c->arg, &event);
}

static int input_control_read(struct input_source *s, void (*each)(void *arg, const struct input_event *event), void *arg)
{
	struct control_source *c = (struct control_source *)s;

	c->seen_ns = clock_now();
	c->each = each;
	c->arg = arg;
	control_read(&c->control, input_control_add_line, c);
	return 0;
}

static void input_control_close(struct input_source *s)
{
	struct control_source *c = (struct control_source *)s;

	control_remove(&c->control);
	close(c->control.fd);
	free(c);
}

static const struct input_ops ops = { .name = "control", .read = input_control_read, .close = input_control_close };

int input_control_open(struct input_source **out, const char *path, char *why, size_t size)
{
	struct control_source *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return why_write(-ENOMEM, why, size, "out of memory");
	err = control_open(&c->control, path, why, size);
	if (err) {
		free(c);
		return err;
	}
	c->source = (struct input_source){ .ops = &ops, .fd = c->control.fd };
	*out = &c->source;
	return 0;
}
