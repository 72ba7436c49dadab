/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pixel - pixels of any format that a server may send, as 0x00RRGGBB. */
#ifndef THINPROBE_PIXEL_H
#define THINPROBE_PIXEL_H

#include "rfb.h"

/* How a pixel lies in the stream. XRGB is rfb_xrgb, RGB and BGR are three bytes in that order. */
struct pixel {
	enum { PIXEL_XRGB, PIXEL_BYTE, PIXEL_WORD, PIXEL_RGB, PIXEL_BGR } kind;
	size_t bytes;
	bool big_endian;
	int drop;		/* bits that the bytes left out stand below those sent (CPIXEL) */
	uint16_t max[3];	/* of red, green, blue */
	uint8_t shift[3];
	uint32_t map[256];	/* PIXEL_BYTE: the colours themselves */
};

/* One format in its three shapes: PIXEL, TPIXEL (Tight), CPIXEL (ZRLE). False: not a format that is understood. */
struct pixels {
	struct rfb_format format;
	struct pixel plain, tight, zrle;
};
bool pixels_set(struct pixels *p, const struct rfb_format *format);
/* of the colour map, 0 to 65535; else ignored */
void pixels_colour(struct pixels *p, unsigned index, uint16_t red, uint16_t green, uint16_t blue);

uint32_t pixel_decode(const struct pixel *p, const uint8_t *bytes);
void pixel_row(const struct pixel *p, uint32_t *to, const uint8_t *from, size_t n);
/* Each of red, green, blue as the format has them (0 to max), and such three as 0x00RRGGBB. */
void pixel_parts(const struct pixel *p, const uint8_t *bytes, unsigned parts[3]);
uint32_t pixel_join(const struct pixel *p, const unsigned parts[3]);

#endif
