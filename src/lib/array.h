/* SPDX-License-Identifier: GPL-3.0-or-later */
/* array - arrays that grow by one element; the allocated room follows from the number of elements: 8, 16, 32, ... */
#pragma once

#include <stddef.h>

/* Makes room for one element more than `n`; to be called before each element is added. `array` is the address of a pointer,
 * which is NULL while n is 0. 0, or -ENOMEM with the array unchanged. */
#define array_room(array, n) array_grow((array), (size_t)(n), sizeof(**(array)))
int array_grow(void *array, size_t n, size_t size);
