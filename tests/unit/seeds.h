/* SPDX-License-Identifier: GPL-3.0-or-later */
/* seeds - the seeds of a fuzz target under any compiler, and a die that falls alike each time. After cmocka.h. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline uint32_t seeds_draw(uint32_t *state, size_t below)
{
	*state = *state * 1664525 + 1013904223;
	return below ? (*state >> 8) % (uint32_t)below : 0;
}

/* Reads in turn every seed of tests/fuzz/corpus/TARGET.tar, or the one that is called `name`, to `bytes`, at most `room` of each,
 * and calls `each`, if any, with its length. How many; *n: the length of the last. */
static inline int seeds_of(const char *target, const char *name, uint8_t *bytes, size_t room, void (*each)(size_t n, void *whose),
			   void *whose, size_t *n)
{
	static const char here[] = __BASE_FILE__; /* tests/unit/ROOM/NAME_test.c of a tree, whose seeds these are */
	const char *slash = strrchr(here, '/');
	char path[4096], head[512];
	int seeds = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%.*s../../fuzz/corpus/%s.tar", slash ? (int)(slash + 1 - here) : 0, here, target);
	f = fopen(path, "rb");
	while (f && fread(head, 1, sizeof(head), f) == sizeof(head) && *head) {
		long size = strtol(head + 124, NULL, 8), next = ftell(f) + (size + 511) / 512 * 512;

		if (!name || !strcmp(head, name)) {
			*n = fread(bytes, 1, (size_t)size < room ? (size_t)size : room, f);
			if (each)
				each(*n, whose);
			seeds++;
		}
		fseek(f, next, SEEK_SET);
	}
	if (f)
		fclose(f);
	return seeds;
}

/* Bytes of it, at most `room`; 0: it is not there. */
static inline size_t seeds_read(const char *target, const char *name, uint8_t *bytes, size_t room)
{
	size_t n = 0;

	seeds_of(target, name, bytes, room, NULL, NULL, &n);
	return n;
}

/* Reads every seed in turn to `bytes` and calls `each`; skips the test where there are none: it is
 * not run from the root of the source. How many. */
static inline int seeds_each(const char *target, uint8_t *bytes, size_t room, void (*each)(size_t n, void *whose), void *whose)
{
	size_t n;
	int seeds = seeds_of(target, NULL, bytes, room, each, whose, &n);

	if (!seeds)
		skip();
	return seeds;
}
