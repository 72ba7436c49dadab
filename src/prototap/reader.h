/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader - reads captured bytes, with every access checked against their number.
 *
 * A read beyond the end yields 0 and sets `over`, so a decoder reads a whole header and checks once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bounded_reader {
	const uint8_t *bytes;
	size_t n;		/* number of `bytes` */
	bool over;		/* a read went beyond the end */
};

static inline bool reader_has_bytes(struct bounded_reader *r, size_t at, size_t n)
{
	if (at <= r->n && n <= r->n - at)
		return true;
	r->over = true;
	return false;
}

static inline uint8_t read_u8(struct bounded_reader *r, size_t at)
{
	if (!reader_has_bytes(r, at, 1))
		return 0;
	return r->bytes[at];
}

static inline uint16_t read_be16(struct bounded_reader *r, size_t at)
{
	if (!reader_has_bytes(r, at, 2))
		return 0;
	return (uint16_t)(r->bytes[at] << 8 | r->bytes[at + 1]);
}

static inline uint32_t read_be32(struct bounded_reader *r, size_t at)
{
	if (!reader_has_bytes(r, at, 4))
		return 0;
	return (uint32_t)r->bytes[at] << 24 | (uint32_t)r->bytes[at + 1] << 16 | (uint32_t)r->bytes[at + 2] << 8 | r->bytes[at + 3];
}

/* Copies `n` bytes, or zeroes the target. */
static inline void read_bytes(struct bounded_reader *r, size_t at, void *to, size_t n)
{
	if (reader_has_bytes(r, at, n))
		memcpy(to, r->bytes + at, n);
	else
		memset(to, 0, n);
}
