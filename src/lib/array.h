/* SPDX-License-Identifier: GPL-3.0-or-later */
/* array - arrays that grow one by one. How many there are tells how many there is room for: 8, 16, 32, ... */
#ifndef THINPROBE_ARRAY_H
#define THINPROBE_ARRAY_H

#include <stddef.h>

/* Makes room for one more than `n`; `array` is the address of a pointer that is NULL while n is 0. To be called before each
 * that is added. 0, or -ENOMEM, and the array is as it was. */
#define array_room(array, n) array_grow((array), (size_t)(n), sizeof(**(array)))
int array_grow(void *array, size_t n, size_t size);

#endif
