/* SPDX-License-Identifier: GPL-3.0-or-later */
/* room - memory, or the end of the program: nobody can sum up a run without it. */
#ifndef THINPROBE_SUMMARIZE_ROOM_H
#define THINPROBE_SUMMARIZE_ROOM_H

#include "cli.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void *room_got(const void *memory)
{
	if (!memory)
		die(EXIT_RUN, "out of memory");
	return (void *)(uintptr_t)memory;
}

/* How many values found no room. */
static inline void room_kept(size_t lost)
{
	room_got(lost ? NULL : "");
}

/* n of that size, all zero. */
static inline void *room_new(size_t n, size_t size)
{
	return room_got(calloc(n ? n : 1, size));
}

/* Room for one more behind n, in an array that doubles. */
static inline void *room_for(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : room_got(reallocarray(array, n ? 2 * n : 1, size));
}
#define room_more(array, n) ((array) = room_for(array, n, sizeof(*(array))))

/* Index of `word` in `names`, which end with NULL; -1: it is none of them. */
static inline int room_place(const char *const *names, const char *word)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

#endif
