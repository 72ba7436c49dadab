/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb_inside - what the files of the decoder share: machines of steps that are fed bytes as they come.
 *
 * A step says beforehand how many bytes it needs at once, is called with at least as many, takes
 * some of them and says what is next. Two such machines run: one on the stream (`wire`), one on
 * what lies in a rectangle's body, compressed or not (`body`). */
#ifndef THINPROBE_RFB_INSIDE_H
#define THINPROBE_RFB_INSIDE_H

#include "rfb.h"
#include "rfb/bytes.h"

#include <sys/types.h>

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

#define RFB_HOLD 2048	/* most that a step may need at once */
#define RFB_STREAMS 6	/* zlib's: four of Tight, one of Zlib, one of ZRLE */
enum { STREAM_ZLIB = 4, STREAM_ZRLE = 5, STREAM_NONE = -1 };

/* Bytes taken of n (n >= need); 0 only after need was set higher than n; -EPROTO (by rfb_fail), -ENOMEM. */
typedef ssize_t rfb_step(struct rfb *r, const uint8_t *in, size_t n);

struct rfb_machine {
	rfb_step *step;		/* NULL: wants no more, any byte is one too many */
	size_t need, held;
	uint8_t hold[RFB_HOLD];
};

struct rfb {
	struct rfb_events events;
	void *whose;
	struct screen screen;
	struct pixels pixels;
	char name[256];
	const char *why;
	int failed;
	bool ready;
	unsigned updates, resizes;	/* so far */

	struct rfb_machine wire, body;
	void (*after)(struct rfb *r);	/* called when as many are skipped */
	uint64_t left;		/* bytes to be skipped, or of a body; entries of a list */
	size_t named;		/* bytes of the name so far */
	unsigned colour;	/* next entry of the colour map */

	int rectangles;		/* that are still to come of this update; INT_MAX: until one says that it was the last */
	struct box box;		/* of the rectangle */
	struct box area;	/* where pixels go now: the rectangle, or a tile of it */
	int x, y;		/* the next pixel within the area */

	uint32_t ground, fore;	/* Hextile: the colours that a tile takes from the one before; RRE */
	struct pixel const *pixel;	/* how pixels of the area lie in the stream */
	int mask;		/* Hextile, ZRLE, Tight: what the tile or rectangle is */
	int colours;		/* of the palette */
	uint32_t palette[256];
	struct rfb_inflate *streams[RFB_STREAMS];
	int stream;		/* of this body */
	uint8_t *jpeg;		/* a whole one: a decoder cannot be fed */
	size_t jpeg_n, jpeg_room;
	unsigned (*above)[3];	/* Tight's gradient: red, green, blue of the row above */
	unsigned corner[3];	/* of the pixel above and left */
	int above_room;
};

/* rfb.c */
rfb_step rfb_greet;
int rfb_fail(struct rfb *r, const char *why);	/* -EPROTO */
int rfb_feed(struct rfb *r, struct rfb_machine *m, const uint8_t *in, size_t n);
void rfb_expect(struct rfb_machine *m, rfb_step *step, size_t need);
void rfb_skip(struct rfb *r, uint64_t n, void (*after)(struct rfb *r));	/* of the wire; `after` sets what is next */
int rfb_set_size(struct rfb *r, int width, int height);	/* gives the screen its size and tells */

/* rfb_message.c */
rfb_step rfb_message;
void rfb_end_rectangle(struct rfb *r);	/* the rectangle is on the screen */

/* rfb_plain.c: Raw, CopyRect, RRE, CoRRE, Hextile */
void rfb_set_area(struct rfb *r, struct box area, const struct pixel *pixel);
size_t rfb_paint(struct rfb *r, const uint8_t *in, size_t n);	/* pixels of the area, as many as are whole; bytes taken */
bool rfb_area_full(const struct rfb *r);				/* the area is full */
bool rfb_paint_run(struct rfb *r, uint32_t colour, size_t n);	/* n pixels of the area; false: not so many are left */
void rfb_fill(struct rfb *r, struct box box, uint32_t colour);	/* on the screen, which it must lie on */
rfb_step rfb_raw, rfb_raw_body, rfb_copy, rfb_rre, rfb_corre;
void rfb_begin_hextile(struct rfb *r);	/* begins */

/* rfb_zlib.c: bodies through zlib */
/* the next n bytes of the wire go through `stream` into r->body, then the rectangle is done */
int rfb_begin_body(struct rfb *r, uint64_t n, int stream);
rfb_step rfb_zlib, rfb_zrle;
void rfb_zlib_reset(struct rfb *r, int stream);
void rfb_body_free(struct rfb *r);

/* rfb_tight.c */
rfb_step rfb_tight;

#endif
