// SPDX-License-Identifier: GPL-3.0-or-later
/* text - of all characters, exactly those are not printed that the shell's list names, and control characters. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "../unit.h"

#define CODES 0x10000

/* The list in lab/lib.sh, as \uNNNN. */
static int read_shell_list(bool hidden[static CODES])
{
	const char *end = strstr(__FILE__, "tests/unit/");
	char path[400], line[400];
	int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%.*slab/lib.sh", (int)(end - __FILE__), __FILE__);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		for (char *p = strncmp(line, "LAB_HIDDEN", 10) ? NULL : strstr(line, "\\u"); p; p = strstr(p + 1, "\\u"), n++)
			hidden[strtoul((char[5]){ p[2], p[3], p[4], p[5] }, NULL, 16)] = true;
	fclose(f);
	return n;
}

static void encode(unsigned code, char out[static 4])
{
	memset(out, 0, 4);
	if (code < 0x80) {
		out[0] = (char)code;
	} else if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
	} else {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
	}
}

TEST(what_hides_or_turns_text_is_not_printed_and_nothing_else)
{
	static bool hidden[CODES];
	char text[4], was[4];

	assert_int_equal(read_shell_list(hidden), 22);
	for (unsigned code = 0x20; code < CODES; code++) {
		if (code >= 0xd800 && code < 0xe000) /* surrogates */
			continue;
		encode(code, text);
		memcpy(was, text, sizeof(was));
		text_make_printable(text);
		if (strcmp(text, hidden[code] || (code >= 0x7f && code < 0xa0) ? "?" : was) != 0)
			fail_msg("U+%04X becomes \"%s\"", code, text);
	}
}
