// SPDX-License-Identifier: GPL-3.0-or-later
#include "input.h"
#include "keysym.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int input_keys_read(const char *text, struct input_keys *keys, char *why, size_t size)
{
	struct input_keys read = { 0 };

	for (const char *end; *text; text = *end ? end + 1 : end) {
		char word[sizeof(read.name[0])];
		uint32_t keysym;
		size_t n;

		end = strchrnul(text, ',');
		n = (size_t)(end - text);
		if (n == 0 || n >= sizeof(word) || (*end && !end[1])) {
			snprintf(why, size, "--keys: names are divided by one comma each: Return,KP_Enter,button");
			return -EINVAL;
		}
		memcpy(word, text, n);
		word[n] = '\0';
		if (!strcmp(word, "button")) {
			read.button = true;
			continue;
		}
		if (strcmp(word, "any") && keysym_read(word, &keysym)) {
			snprintf(why, size, "--keys: there is no key %s: take a name of X11 (Return, KP_Enter, a, F5), any or button", word);
			return -EINVAL;
		}
		if (read.n == INPUT_KEYS) {
			snprintf(why, size, "--keys: at most %d keys", INPUT_KEYS);
			return -EINVAL;
		}
		memcpy(read.name[read.n++], word, sizeof(word));
	}
	if (!read.n && !read.button) {
		snprintf(why, size, "--keys: name at least one key, any or button");
		return -EINVAL;
	}
	*keys = read;
	return 0;
}

bool input_keys_have(const struct input_keys *keys, uint32_t keysym)
{
	for (int i = 0; i < keys->n; i++) {
		uint32_t wanted;

		if (!strcmp(keys->name[i], "any") || (!keysym_read(keys->name[i], &wanted) && wanted == keysym))
			return true;
	}
	return false;
}
