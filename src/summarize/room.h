/* SPDX-License-Identifier: GPL-3.0-or-later */
/* room - arrays that grow by one. */
#ifndef THINPROBE_SUMMARIZE_ROOM_H
#define THINPROBE_SUMMARIZE_ROOM_H

#include <stdlib.h>

/* Room for one more behind n, in an array that doubles. NULL: no memory; then the old one stays. */
static inline void *room_for(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : reallocarray(array, n ? 2 * n : 1, size);
}

#endif
