// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory.h"

#include <errno.h>

#include "../unit.h"

TEST(there_is_always_room_for_one_more)
{
	int64_t *items = NULL;
	size_t n = 0;

	for (; n < 1000; n++) {
		assert_int_equal(array_room(&items, n), 0);
		items[n] = (int64_t)n;
	}
	n = 500; /* some go, others come */
	for (; n < 3000; n++) {
		assert_int_equal(array_room(&items, n), 0);
		items[n] = (int64_t)n;
	}
	for (size_t i = 0; i < n; i++)
		assert_int_equal(items[i], i);
	free(items);
}

TEST(without_memory_it_is_as_it_was)
{
	volatile size_t huge = SIZE_MAX / 8; /* the compiler must not see it */
	char *items = NULL, *before;

	assert_int_equal(array_room(&items, 0), 0);
	before = items;
	assert_int_equal(array_grow(&items, 8, huge), -ENOMEM);
	assert_ptr_equal(items, before);
	free(items);
}
