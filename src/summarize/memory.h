/* SPDX-License-Identifier: GPL-3.0-or-later */
/* room - memory, or the end of the program: nobody can sum up a run without it. */
#ifndef THINPROBE_SUMMARIZE_MEMORY_H
#define THINPROBE_SUMMARIZE_MEMORY_H

#include "cli.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void *memory_checked(const void *memory)
{
	if (!memory)
		die(EXIT_RUN, "out of memory");
	return (void *)(uintptr_t)memory;
}

/* How many values found no room. */
static inline void memory_none_lost(size_t lost)
{
	memory_checked(lost ? NULL : "");
}

/* n of that size, all zero. */
static inline void *memory_new(size_t n, size_t size)
{
	return memory_checked(calloc(n ? n : 1, size));
}

/* Room for one more behind n, in an array that doubles. */
static inline void *memory_grow(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : memory_checked(reallocarray(array, n ? 2 * n : 1, size));
}
#define memory_more(array, n) ((array) = memory_grow(array, n, sizeof(*(array))))

/* Index of `word` in `names`, which end with NULL; -1: it is none of them. */
static inline int name_index(const char *const *names, const char *word)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

#endif
