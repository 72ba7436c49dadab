/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bytes - reads and writes numbers of the RFB protocol (RFC 6143), big endian, and names its encodings. The caller has checked the
 * length of the buffer. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { RFB_RAW = 0, RFB_COPYRECT = 1, RFB_RRE = 2, RFB_CORRE = 4, RFB_HEXTILE = 5, RFB_ZLIB = 6, RFB_TIGHT = 7, RFB_ZRLE = 16,
       RFB_DESKTOP_SIZE = -223, RFB_LAST_RECT = -224, RFB_POINTER_POS = -232, RFB_CURSOR = -239, RFB_X_CURSOR = -240,
       RFB_DESKTOP_NAME = -307, RFB_EXTENDED_DESKTOP_SIZE = -308 };

static inline uint16_t rfb_get_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t rfb_get_u32(const uint8_t *p)
{
	return (uint32_t)rfb_get_u16(p) << 16 | rfb_get_u16(p + 2);
}

/* The number of bytes written. */
static inline size_t rfb_put_u16(uint8_t *to, unsigned v)
{
	to[0] = (uint8_t)(v >> 8);
	to[1] = (uint8_t)v;
	return 2;
}

static inline size_t rfb_put_u32(uint8_t *to, uint32_t v)
{
	rfb_put_u16(to, v >> 16);
	rfb_put_u16(to + 2, v & 0xffff);
	return 4;
}
