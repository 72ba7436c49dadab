// SPDX-License-Identifier: GPL-3.0-or-later
/* text - of all characters, exactly those are not printed that Unicode calls ignorable, and control characters. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "../unit.h"

#define CODES 0x110000

/* The property's code points by Perl's tables, a line each. */
static void read_property(bool hidden[static CODES])
{
	FILE *f = popen("perl -le 'for (0 .. 0xd7ff, 0xe000 .. 0x10ffff) { print if chr =~ /\\p{Default_Ignorable_Code_Point}/ }'",
			"r");
	unsigned long code;

	assert_non_null(f);
	while (fscanf(f, "%lu", &code) == 1)
		hidden[code] = true;
	assert_int_equal(pclose(f), 0);
	assert_true(hidden[0xad] && hidden[0x200b] && hidden[0xe0041]);
}

static void encode(unsigned code, char out[static 5])
{
	int n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	memset(out, 0, 5);
	for (int i = n - 1; i > 0; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(n == 1 ? code : (0xf00u >> n & 0xff) | code);
}

TEST(what_hides_or_turns_text_is_not_printed_and_nothing_else)
{
	static bool hidden[CODES];
	char text[5], was[5];

	read_property(hidden);
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
