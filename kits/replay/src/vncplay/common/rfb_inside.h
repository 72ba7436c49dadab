/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb_inside - shared by the files of the decoder.
 *
 * src/rfb/walk.h finds where messages and rectangles end. The bytes of a rectangle are collected until it is whole, then painted;
 * only the parts of RRE are painted as they come, since a few bytes of them may cost as much as a screen. */
#pragma once

#include "bytes.h"
#include "rfb.h"
#include "rfb/encodings.h"
#include "rfb/walk.h"

#include <errno.h>
#include <zlib.h>

/* Layout of a pixel in the stream. */
struct pixel_layout {
	size_t bytes;
	bool big_endian;
	bool direct;	 /* its low 24 bits are 0xRRGGBB */
	int drop;	 /* number of omitted bits below those sent (CPIXEL) */
	uint16_t max[3]; /* largest values of red, green, blue */
	uint8_t shift[3];
	const uint32_t *map; /* the colour map, 0x00RRGGBB; NULL: true colour */
};

/* A pixel format as PIXEL, TPIXEL (Tight) and CPIXEL (ZRLE). Not to be copied. pixel_set_format returns false for a format that is
 * not supported. */
struct pixel_layouts {
	struct rfb_format format;
	struct pixel_layout plain, tight, zrle;
	uint32_t map[256];
};
bool pixel_set_format(struct pixel_layouts *p, const struct rfb_format *format);
/* Sets an entry of the colour map; colours are 0 to 65535. Ignored for true-colour formats. */
void pixel_set_colour(struct pixel_layouts *p, unsigned index, uint16_t red, uint16_t green, uint16_t blue);

uint32_t pixel_decode(const struct pixel_layout *p, const uint8_t *bytes);
void pixel_decode_row(const struct pixel_layout *p, uint32_t *to, const uint8_t *from, size_t n);
/* Makes bytes in the order blue, green, red, any to 0x00RRGGBB: the fourth is undefined and must not count as a change. */
void pixel_mask_row(uint32_t *to, size_t n);
/* Red, green and blue of a pixel in the format's range (0 to max); and such three, scaled to 0..255, as 0x00RRGGBB. */
void pixel_get_parts(const struct pixel_layout *p, const uint8_t *bytes, unsigned parts[static 3]);
uint32_t pixel_parts_to_rgb(const struct pixel_layout *p, const unsigned parts[static 3]);

#define RFB_BODY_SPARE (64 << 10) /* bytes of a body beyond those of its pixels: headers, palettes, zlib's own */
enum { TIGHT_STREAMS = 4, STREAM_ZLIB = TIGHT_STREAMS, STREAM_ZRLE, RFB_STREAMS };

struct byte_range { /* bytes that are left of a body */
	const uint8_t *at;
	size_t n;
};
static inline struct byte_range rfb_skip_bytes(struct byte_range b, size_t n)
{
	return (struct byte_range){ b.at + n, b.n - n };
}

enum rfb_greeting_state { GREETING_VERSION, GREETING_SECURITY, GREETING_RESULT, GREETING_INIT, GREETING_NAME };

struct rfb_decoder {
	struct rfb_event_callbacks events;
	void *whose;
	struct rfb_state state;
	struct pixel_layouts pixels;
	size_t named; /* length of the desktop's name */
	int failed;

	enum rfb_greeting_state greeting; /* until it is complete */
	struct skip_parser parser;
	struct rfb_walk walk;
	enum { BETWEEN_MESSAGES, IN_MESSAGE, IN_RECTANGLE } place;
	const struct rfb_encoding *encoding; /* of the current rectangle */
	struct pixel_area box;		     /* the current rectangle */

	bool keeps;	/* the bytes that come are kept in `body` */
	bool parts;	/* RRE: the background is painted, `body` has parts only */
	uint8_t *body;	/* of a message or rectangle: the bytes after its type or header */
	size_t n, room; /* bytes in `body`, and for how many it has room */
	uint8_t *out;	/* what zlib made of them */
	size_t out_room;
	z_stream streams[RFB_STREAMS];
};

struct rfb_encoding {
	int32_t number; /* negative: a pseudo-encoding */
	bool parts;	/* `paint` is called for each piece, and takes out what it paints */
	/* Paints the whole of r->box, or does what else the rectangle says; NULL: nothing. `body`: all its bytes, as many as the
	 * walker has found its headers to say. 0, -EPROTO (by rfb_fail) or -ENOMEM. */
	int (*paint)(struct rfb_decoder *r, struct byte_range body);
};

/* Ends the decoding. Returns -EPROTO. */
static inline int rfb_fail(struct rfb_decoder *r, const char *why)
{
	skip_parser_stop(&r->parser, why);
	return -EPROTO;
}

/* rfb_plain.c: paint pixels, or one colour, into a box, which must lie on the screen; Raw, CopyRect, RRE, CoRRE, Hextile */
uint32_t *rfb_pixel_at(struct rfb_decoder *r, int x, int y);
void rfb_paint_pixels(struct rfb_decoder *r, struct pixel_area box, const struct pixel_layout *pixel, const uint8_t *in);
void rfb_fill_box(struct rfb_decoder *r, struct pixel_area box, uint32_t colour);
/* The n-th of the tiles of a box, from 0, row by row; false: it has fewer. */
bool rfb_get_tile(struct pixel_area whole, int side, int n, struct pixel_area *tile);
int rfb_paint_raw(struct rfb_decoder *r, struct byte_range body);
int rfb_paint_copyrect(struct rfb_decoder *r, struct byte_range body);
int rfb_paint_rre(struct rfb_decoder *r, struct byte_range body);
int rfb_paint_hextile(struct rfb_decoder *r, struct byte_range body);

/* rfb_zlib.c: Zlib and ZRLE */
int rfb_paint_zlib(struct rfb_decoder *r, struct byte_range body);
int rfb_paint_zrle(struct rfb_decoder *r, struct byte_range body);
/* Inflates a body to at most `most` bytes, which are valid until the next call. 0, -EPROTO or -ENOMEM. */
int rfb_inflate(struct rfb_decoder *r, int stream, struct byte_range body, size_t most, struct byte_range *out);
int rfb_check_size(struct rfb_decoder *r, size_t n, size_t wanted); /* 0 or -EPROTO */

/* rfb_tight.c */
int rfb_paint_tight(struct rfb_decoder *r, struct byte_range body);
