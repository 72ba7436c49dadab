/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb_inside - shared by the files of the decoder: state machines of steps that are fed with bytes.
 *
 * A step states how many bytes it needs, is called with at least as many, consumes some of them and sets the next step. There
 * are two such machines: `wire` for the stream, `body` for the content of a rectangle after decompression. */
#pragma once

#include "rfb.h"
#include "rfb/bytes.h"

#include <sys/types.h>

/* Layout of a pixel in the stream. XRGB is rfb_xrgb, RGB and BGR are three bytes in that order. */
struct pixel_layout {
	enum { PIXEL_XRGB, PIXEL_BYTE, PIXEL_WORD, PIXEL_RGB, PIXEL_BGR } kind;
	size_t bytes;
	bool big_endian;
	int drop;	 /* number of omitted bits below those sent (CPIXEL) */
	uint16_t max[3]; /* largest values of red, green, blue */
	uint8_t shift[3];
	uint32_t map[256]; /* PIXEL_BYTE: the colour map, 0x00RRGGBB */
};

/* A pixel format as PIXEL, TPIXEL (Tight) and CPIXEL (ZRLE). pixel_set_format returns false for a format that is not
 * supported. */
struct pixel_layouts {
	struct rfb_format format;
	struct pixel_layout plain, tight, zrle;
};
bool pixel_set_format(struct pixel_layouts *p, const struct rfb_format *format);
/* Sets an entry of the colour map; colours are 0 to 65535. Ignored for true-colour formats. */
void pixel_set_colour(struct pixel_layouts *p, unsigned index, uint16_t red, uint16_t green, uint16_t blue);

uint32_t pixel_decode(const struct pixel_layout *p, const uint8_t *bytes);
void pixel_decode_row(const struct pixel_layout *p, uint32_t *to, const uint8_t *from, size_t n);
/* Red, green and blue of a pixel in the format's range (0 to max); and such three joined to 0x00RRGGBB. */
void pixel_get_parts(const struct pixel_layout *p, const uint8_t *bytes, unsigned parts[3]);
uint32_t pixel_join_parts(const struct pixel_layout *p, const unsigned parts[3]);

#define RFB_HOLD 2048		       /* bytes that a step may need at once, at most */
#define UNUSED __attribute__((unused)) /* marks a parameter that a step does not need */
#define RFB_STREAMS 6		       /* zlib streams: four of Tight, one of Zlib, one of ZRLE */
enum { STREAM_ZLIB = 4, STREAM_ZRLE = 5, STREAM_NONE = -1 };

/* Returns the number of bytes consumed of n (n >= need); 0 only after it has raised need above n; -EPROTO (by rfb_fail),
 * -ENOMEM. */
typedef ssize_t rfb_step(struct rfb_decoder *r, const uint8_t *in, size_t n);

struct rfb_step_machine {
	rfb_step *step; /* NULL: complete, a further byte is an error */
	size_t need, held;
	uint8_t hold[RFB_HOLD];
};

struct rfb_decoder {
	struct rfb_event_callbacks events;
	void *whose;
	struct screen screen;
	struct pixel_layouts pixels;
	char name[256];
	const char *why;
	int failed;
	bool ready;
	unsigned updates, resizes; /* since rfb_decoder_open */

	struct rfb_step_machine wire, body;
	void (*after)(struct rfb_decoder *r); /* called when `left` bytes were skipped */
	uint64_t left;			      /* remaining bytes to skip or of a body, or remaining entries of a list */
	size_t named;			      /* length of `name` so far */
	unsigned colour;		      /* index of the next entry of the colour map */

	int rectangles;	 /* remaining rectangles of this update; INT_MAX: until LastRect */
	struct box box;	 /* the current rectangle */
	struct box area; /* the area being painted: the rectangle, or a tile of it */
	int x, y;	 /* the next pixel to paint, within the area */

	uint32_t ground, fore;		  /* Hextile: background and foreground, kept from tile to tile; RRE: the background */
	struct pixel_layout const *pixel; /* layout of the pixels that are painted */
	int mask;			  /* Hextile, ZRLE, Tight: the kind of the tile or rectangle */
	int colours;			  /* size of the palette */
	uint32_t palette[256];
	struct rfb_zlib_stream *streams[RFB_STREAMS];
	int stream;    /* the zlib stream of this body */
	uint8_t *jpeg; /* the bytes of a JPEG picture so far: libjpeg needs all of them */
	size_t jpeg_n, jpeg_room;
	unsigned (*above)[3]; /* Tight's gradient filter: red, green, blue of the row above */
	unsigned corner[3];   /* red, green, blue of the pixel above and to the left */
	int above_room;
};

/* rfb.c */
rfb_step rfb_decode_version;
int rfb_fail(struct rfb_decoder *r, const char *why); /* returns -EPROTO */
int rfb_feed_step_machine(struct rfb_decoder *r, struct rfb_step_machine *m, const uint8_t *in, size_t n);
void rfb_set_next_step(struct rfb_step_machine *m, rfb_step *step, size_t need);
/* skips n bytes of the stream; `after` sets the next step */
void rfb_skip(struct rfb_decoder *r, uint64_t n, void (*after)(struct rfb_decoder *r));
int rfb_set_size(struct rfb_decoder *r, int width, int height); /* resizes the screen and calls `resized` */

/* rfb_message.c */
rfb_step rfb_decode_message_type;
void rfb_end_rectangle(struct rfb_decoder *r); /* ends the current rectangle: calls `painted` */

/* rfb_plain.c: Raw, CopyRect, RRE, CoRRE, Hextile */
void rfb_set_paint_area(struct rfb_decoder *r, struct box area, const struct pixel_layout *pixel);
/* paints the complete pixels of n bytes, and calls `end` when the area is full; returns the bytes consumed */
ssize_t rfb_paint_area(struct rfb_decoder *r, const uint8_t *in, size_t n, void (*end)(struct rfb_decoder *r));
bool rfb_area_is_full(const struct rfb_decoder *r); /* the whole area is painted */
/* paints n pixels of one colour; false: the area has fewer left */
bool rfb_paint_run(struct rfb_decoder *r, uint32_t colour, size_t n);
void rfb_fill_box(struct rfb_decoder *r, struct box box, uint32_t colour); /* fills a box, which must lie on the screen */
rfb_step rfb_decode_raw_pixels, rfb_decode_copyrect, rfb_begin_rre_rectangle, rfb_begin_corre_rectangle;
void rfb_begin_hextile_rectangle(struct rfb_decoder *r); /* sets the first step */

/* rfb_zlib.c: zlib streams, and the encodings Zlib and ZRLE */
/* Sends the next n bytes of the stream through a zlib stream (STREAM_NONE: as they are) to r->body, then ends the rectangle. */
int rfb_begin_body(struct rfb_decoder *r, uint64_t n, int stream);
rfb_step rfb_begin_zlib_rectangle, rfb_begin_zrle_rectangle, rfb_decode_raw_body;
void rfb_end_body(struct rfb_decoder *r); /* the body must have no more bytes */
void rfb_zlib_reset(struct rfb_decoder *r, int stream);
void rfb_free_zlib_streams(struct rfb_decoder *r);

/* rfb_tight.c */
rfb_step rfb_begin_tight_rectangle;
