// SPDX-License-Identifier: GPL-3.0-or-later
#include "fields.h"

#include <string.h>

size_t fields_cut(char *line, bool commas, char **cell, size_t most)
{
	const char *separator = commas ? "," : "\t";
	char *from = line;
	size_t n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (;;) {
		char *to, *p = from;
		bool last;

		if (n == most)
			return 0;
		cell[n++] = from;
		if (commas && *p == '"') {
			to = from;
			for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
				p += *p == '"';
				*to++ = *p;
			}
			p += *p == '"';
			p += strcspn(p, separator);	/* what follows the quote is no part of it */
		} else {
			p += strcspn(p, separator);
			to = p;
		}
		last = !*p;
		*to = '\0';
		if (last)
			return n;
		from = p + 1;
	}
}

int fields_find(char *const *cell, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(cell[i], name))
			return (int)i;
	return -1;
}
