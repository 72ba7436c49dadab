/* SPDX-License-Identifier: GPL-3.0-or-later */
/* seeds - the seeds of a fuzz target under any compiler, and a die that falls alike each time. After cmocka.h. */
#pragma once

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline uint32_t seeds_draw(uint32_t *state, size_t below)
{
	*state = *state * 1664525 + 1013904223;
	return below ? (*state >> 8) % (uint32_t)below : 0;
}

static inline void seeds_path(const char *target, const char *file, char *path, size_t size)
{
	static const char here[] = __BASE_FILE__; /* tests/unit/ROOM/NAME_test.c of a tree, whose seeds these are */
	const char *slash = strrchr(here, '/');

	snprintf(path, size, "%.*s../../fuzz/corpus/%s/%s", slash ? (int)(slash + 1 - here) : 0, here, target, file);
}

/* Bytes of it, at most `room`; 0: it is not there. */
static inline size_t seeds_read(const char *target, const char *file, uint8_t *bytes, size_t room)
{
	char path[4096];
	size_t n;
	FILE *f;

	seeds_path(target, file, path, sizeof(path));
	f = fopen(path, "rb");
	if (!f)
		return 0;
	n = fread(bytes, 1, room, f);
	fclose(f);
	return n;
}

/* Reads every seed in turn to `bytes` and calls `each`; skips the test where there are none: it is
 * not run from the root of the source. How many. */
static inline int seeds_each(const char *target, uint8_t *bytes, size_t room, void (*each)(size_t n, void *whose), void *whose)
{
	char path[4096];
	int seeds = 0;
	DIR *d;

	seeds_path(target, "", path, sizeof(path));
	d = opendir(path);
	if (!d)
		skip();
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		size_t n = e->d_name[0] == '.' ? 0 : seeds_read(target, e->d_name, bytes, room);

		if (!n)
			continue;
		each(n, whose);
		seeds++;
	}
	closedir(d);
	return seeds;
}
