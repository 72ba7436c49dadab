// SPDX-License-Identifier: GPL-3.0-or-later
#include "sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing, at most half full. */
struct sources {
	char **name;
	size_t room, n;
	uint32_t *number;
};

struct sources *sources_new(void)
{
	return calloc(1, sizeof(struct sources));
}

void sources_free(struct sources *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->room; i++)
		free(t->name[i]);
	free(t->name);
	free(t->number);
	free(t);
}

uint32_t sources_count(const struct sources *t)
{
	return (uint32_t)t->n;
}

static size_t find_slot(const struct sources *t, const char *name)
{
	uint64_t hash = 14695981039346656037u;	/* FNV-1a */
	size_t at;

	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		hash = (hash ^ *p) * 1099511628211u;
	for (at = hash % t->room; t->name[at] && strcmp(t->name[at], name) != 0; at = (at + 1) % t->room)
		;
	return at;
}

static int grow_sources(struct sources *t)
{
	struct sources more = { .room = t->room ? 2 * t->room : 1024, .n = t->n };

	more.name = calloc(more.room, sizeof(*more.name));
	more.number = calloc(more.room, sizeof(*more.number));
	if (!more.name || !more.number) {
		free(more.name);
		free(more.number);
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->room; i++)
		if (t->name[i]) {
			size_t at = find_slot(&more, t->name[i]);

			more.name[at] = t->name[i];
			more.number[at] = t->number[i];
		}
	free(t->name);
	free(t->number);
	*t = more;
	return 0;
}

int sources_number(struct sources *t, const char *name, uint32_t *out)
{
	size_t at;

	if (2 * (t->n + 1) > t->room && grow_sources(t))
		return -ENOMEM;
	at = find_slot(t, name);
	if (!t->name[at]) {
		t->name[at] = strdup(name);
		if (!t->name[at])
			return -ENOMEM;
		t->number[at] = (uint32_t)t->n++;
	}
	*out = t->number[at];
	return 0;
}

struct source_name {
	const char *name;
	uint32_t number;
};

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct source_name *)a)->name, ((const struct source_name *)b)->name);
}

int sources_places(const struct sources *t, uint32_t *place)
{
	struct source_name *all = malloc((t->n ? t->n : 1) * sizeof(*all));
	size_t n = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < t->room; i++)
		if (t->name[i])
			all[n++] = (struct source_name){ t->name[i], t->number[i] };
	qsort(all, n, sizeof(*all), by_name);
	for (size_t i = 0; i < n; i++)
		place[all[i].number] = (uint32_t)i;
	free(all);
	return 0;
}
