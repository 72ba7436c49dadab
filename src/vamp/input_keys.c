// SPDX-License-Identifier: GPL-3.0-or-later
#include "input.h"
#include "keysym.h"
#include "why.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

bool input_keys_have(const struct input_keys *keys, uint32_t keysym)
{
	for (int i = 0; i < keys->n; i++)
		if (keys->keysym[i] == keysym)
			return true;
	return keys->any;
}
