// SPDX-License-Identifier: GPL-3.0-or-later
#include "mutate.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#define PART_MOST 8192 /* longer parts are left alone */

enum { CHANGE, DOUBLE, MOVE, LEAVE_OUT, ACTIONS };

/* The bytes from `at` to `end` become the `n` of `by`. */
static size_t replace(uint8_t *data, size_t size, size_t at, size_t end, const uint8_t *by, size_t n)
{
	memmove(data + at + n, data + end, size - end);
	memcpy(data + at, by, n);
	return size - (end - at) + n;
}

size_t mutate_parts(const struct mutate_parts *parts, uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static uint8_t part[PART_MOST];
	size_t at, end, to, n, room;

	if (!parts->n || seed % 8 == 0)
		return LLVMFuzzerMutate(data, size, most);
	at = parts->at[seed / 8 % parts->n];
	end = parts->at[seed / 8 % parts->n + 1];
	to = parts->at[seed / 1024 % (parts->n + 1)];
	n = end - at;
	if (n > PART_MOST)
		return LLVMFuzzerMutate(data, size, most);
	memcpy(part, data + at, n);
	switch (seed / 131072 % ACTIONS) {
	case DOUBLE: return size + n > most ? size : replace(data, size, to, to, part, n);
	case MOVE:
		size = replace(data, size, at, end, part, 0);
		to = to <= at ? to : to >= end ? to - n : at;
		return replace(data, size, to, to, part, n);
	case LEAVE_OUT: return parts->n == 1 ? size : replace(data, size, at, end, part, 0);
	default: break;
	}
	room = most - (size - n) < PART_MOST ? most - (size - n) : PART_MOST;
	n = LLVMFuzzerMutate(part, n, room);
	if (parts->seal)
		n = parts->seal(part, n, room);
	return replace(data, size, at, end, part, n);
}
