/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bytes - numbers of a network protocol, big endian: of bytes whose number the caller has checked, or with every access checked. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t bytes_get_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t bytes_get_u32(const uint8_t *p)
{
	return (uint32_t)bytes_get_u16(p) << 16 | bytes_get_u16(p + 2);
}

/* The number of bytes written. */
static inline size_t bytes_put_u16(uint8_t *to, unsigned v)
{
	to[0] = (uint8_t)(v >> 8);
	to[1] = (uint8_t)v;
	return 2;
}

static inline size_t bytes_put_u32(uint8_t *to, uint32_t v)
{
	bytes_put_u16(to, v >> 16);
	bytes_put_u16(to + 2, v & 0xffff);
	return 4;
}

/* Bytes of which a read beyond the end yields 0 and sets `over`: a decoder reads a whole header and checks once. */
struct bounded_reader {
	const uint8_t *bytes;
	size_t n;  /* number of `bytes` */
	bool over; /* a read went beyond the end */
};

static inline bool reader_require_bytes(struct bounded_reader *r, size_t at, size_t n)
{
	if (at <= r->n && n <= r->n - at)
		return true;
	r->over = true;
	return false;
}

static inline uint8_t read_u8(struct bounded_reader *r, size_t at)
{
	return reader_require_bytes(r, at, 1) ? r->bytes[at] : 0;
}

static inline uint16_t read_be16(struct bounded_reader *r, size_t at)
{
	return reader_require_bytes(r, at, 2) ? bytes_get_u16(r->bytes + at) : 0;
}

static inline uint32_t read_be32(struct bounded_reader *r, size_t at)
{
	return reader_require_bytes(r, at, 4) ? bytes_get_u32(r->bytes + at) : 0;
}

/* Copies `n` bytes, or zeroes the target. */
static inline void read_bytes(struct bounded_reader *r, size_t at, void *to, size_t n)
{
	if (reader_require_bytes(r, at, n))
		memcpy(to, r->bytes + at, n);
	else
		memset(to, 0, n);
}
