/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory - allocation that ends the program when there is no memory left; and a search in lists of names.
 *
 * Programs end then, for lack of any better: only where less memory would do (frames to show, early data of a connection, a huge
 * request of an option) an allocation may fail by itself. */
#pragma once

#include "die.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void *must_alloc(const void *memory)
{
	if (!memory)
		die(EXIT_RUN, "out of memory");
	return (void *)(uintptr_t)memory;
}

/* Ends the program if `lost`, a number of values that could not be stored, is not 0. */
static inline void memory_refuse_lost(size_t lost)
{
	must_alloc(lost ? NULL : "");
}

/* Returns an array of n elements of `size` bytes, all zero. */
static inline void *memory_new(size_t n, size_t size)
{
	return must_alloc(calloc(n ? n : 1, size));
}

/* Returns `array` with room for one more than n elements. Its room doubles: 1, 2, 4, ... elements. */
static inline void *memory_grow(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : must_alloc(reallocarray(array, n ? 2 * n : 1, size));
}
#define memory_more(array, n) ((array) = memory_grow(array, n, sizeof(*(array))))

/* The same, for who can do with less: 0, or -ENOMEM with the array unchanged. `array` is the address of a pointer, which is NULL
 * while n is 0. The room: 8, 16, 32, ... elements. */
static inline int array_grow(void *array, size_t n, size_t size)
{
	void *items;

	if (n && (n < 8 || (n & (n - 1))))
		return 0;
	memcpy(&items, array, sizeof(items)); /* a pointer of any type */
	items = reallocarray(items, n ? 2 * n : 8, size);
	if (!items)
		return -ENOMEM;
	memcpy(array, &items, sizeof(items));
	return 0;
}
#define array_room(array, n) array_grow((array), (size_t)(n), sizeof(**(array)))

/* Returns the index of `word` in `names`, which end with NULL; -1: it is none of them, or NULL. */
static inline int find_word(const char *const *names, const char *word)
{
	for (int i = 0; word && names[i]; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}
