// SPDX-License-Identifier: GPL-3.0-or-later
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int array_grow(void *array, size_t n, size_t size)
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
