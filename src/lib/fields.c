// SPDX-License-Identifier: GPL-3.0-or-later
#include "fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t fields_split(char *line, char separator, char **cell, size_t most)
{
	char *from = line, ends[] = { separator, '\0' };
	size_t n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (;;) {
		char *to, *p = from;
		bool last;

		if (n == most)
			return 0;
		cell[n++] = from;
		if (separator != '\t' && *p == '"') {
			to = from;
			for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
				p += *p == '"';
				*to++ = *p;
			}
			p += *p == '"';
			p += strcspn(p, ends); /* text behind the closing quote is ignored */
		} else {
			p += strcspn(p, ends);
			to = p;
		}
		last = !*p;
		*to = '\0';
		if (last)
			return n;
		from = p + 1;
	}
}

int fields_find_name(char *const *cell, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(cell[i], name))
			return (int)i;
	return -1;
}

bool fields_is_repeated(char *const *cell, size_t n, int at, struct why *why)
{
	size_t next = (size_t)(at + 1);

	if (at < 0 || fields_find_name(cell + next, n - next, cell[at]) < 0)
		return false;
	why_say(why, "two columns are named %s; rename one", cell[at]);
	return true;
}

unsigned long fields_count_held(char *const *cell, size_t n)
{
	static const char words[] = "Number of samples in transaction : ";

	for (size_t i = 0; i < n; i++)
		if (!strncmp(cell[i], words, strlen(words)))
			return strtoul(cell[i] + strlen(words), NULL, 10);
	return 0;
}

int64_t fields_time_unit(const char *name)
{
	static const struct {
		const char *end;
		int64_t ns;
	} units[] = { { "_ns", 1 }, { "_us", 1000 }, { "_ms", 1000000 }, { "_s", 1000000000 } };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t m = strlen(units[i].end);

		if (n > m && !strcmp(name + n - m, units[i].end))
			return units[i].ns;
	}
	return 0;
}
