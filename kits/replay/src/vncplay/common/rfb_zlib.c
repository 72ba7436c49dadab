// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_zlib - zlib streams, which last as long as the connection (RFC 1950); the encodings Zlib and ZRLE. */
#include "rfb_inside.h"

#include <errno.h>
#include <stdlib.h>

int rfb_check_size(struct rfb_decoder *r, size_t n, size_t wanted)
{
	return n < wanted   ? rfb_fail(r, "the server sent a rectangle with too few bytes")
	       : n > wanted ? rfb_fail(r, "the server sent a rectangle with too many bytes")
			    : 0;
}

int rfb_inflate(struct rfb_decoder *r, int stream, struct byte_range body, size_t most, struct byte_range *out)
{
	z_stream *z = &r->streams[stream];
	size_t room = most + 1; /* a byte too many shows that there are more: a zip bomb cannot grow beyond its rectangle */
	int status;

	if (r->out_room < room) {
		free(r->out);
		r->out = malloc(room);
		r->out_room = r->out ? room : 0;
	}
	if (!r->out || (!z->state && inflateInit(z) != Z_OK))
		return -ENOMEM;
	z->next_in = (uint8_t *)(uintptr_t)body.at;
	z->avail_in = (uInt)body.n;
	z->next_out = r->out;
	z->avail_out = (uInt)room;
	status = inflate(z, Z_SYNC_FLUSH);
	*out = (struct byte_range){ r->out, room - z->avail_out };
	if (status == Z_MEM_ERROR)
		return -ENOMEM;
	if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
		return rfb_fail(r, "the server sent damaged zlib data");
	if (!z->avail_out)
		return rfb_check_size(r, room, most);
	return z->avail_in ? rfb_fail(r, "the server sent data after the end of a zlib stream") : 0;
}

/* Zlib encoding: length, then compressed raw pixels. */
int rfb_paint_zlib(struct rfb_decoder *r, struct byte_range body)
{
	size_t size = (size_t)r->box.w * (size_t)r->box.h * r->pixels.plain.bytes;
	int err = rfb_inflate(r, STREAM_ZLIB, rfb_skip_bytes(body, 4), size, &body);

	if (!err)
		err = rfb_check_size(r, body.n, size);
	return err ? err : rfb_paint_raw(r, body);
}

/* --- ZRLE (RFC 6143 section 7.7.6): tiles of 64 by 64 pixels: raw, of one colour, of a packed palette, or of runs --- */

enum { ZRLE_SIDE = 64 };
enum { RAW = 0, SOLID = 1, PACKED_MOST = 16, PLAIN_RUNS = 128, PALETTE_RUNS = 129 };

/* The next n bytes; NULL: there are fewer. */
static const uint8_t *take_bytes(struct rfb_decoder *r, struct byte_range *body, size_t n)
{
	const uint8_t *at = body->at;

	if (body->n < n) {
		rfb_check_size(r, body->n, n);
		return NULL;
	}
	*body = rfb_skip_bytes(*body, n);
	return at;
}

static int paint_packed_pixels(struct rfb_decoder *r, struct byte_range *body, struct pixel_area tile, const uint32_t *palette,
			       int colours)
{
	int bits = colours == 2 ? 1 : colours <= 4 ? 2 : 4;

	for (int y = 0; y < tile.h; y++) {
		const uint8_t *in = take_bytes(r, body, (size_t)(tile.w * bits + 7) / 8);
		uint32_t *to = rfb_pixel_at(r, tile.x, tile.y + y);

		for (int x = 0; in && x < tile.w; x++) {
			int index = in[x * bits / 8] >> (8 - bits - x * bits % 8) & ((1 << bits) - 1);

			if (index >= colours)
				return rfb_fail(r, "the server sent a colour outside of the palette");
			to[x] = palette[index];
		}
		if (!in)
			return -EPROTO;
	}
	return 0;
}

/* Without a palette (colours 0), each run has a pixel. The length of a run is 1 more than the sum of its bytes up to the first
 * below 255. */
static int paint_runs(struct rfb_decoder *r, struct byte_range *body, struct pixel_area tile, const uint32_t *palette, int colours)
{
	int all = tile.w * tile.h, length;

	for (int at = 0; at < all;) {
		const uint8_t *in = take_bytes(r, body, colours ? 1 : r->pixels.zrle.bytes), *more;
		uint32_t colour;

		if (in && colours && (*in & 127) >= colours)
			return rfb_fail(r, "the server sent a colour outside of the palette");
		if (!in)
			return -EPROTO;
		colour = colours ? palette[*in & 127] : pixel_decode(&r->pixels.zrle, in);
		length = 1;
		if (!colours || *in & 128) {
			do {
				more = take_bytes(r, body, 1);
				if (!more)
					return -EPROTO;
				length += *more;
			} while (*more == 255 && length <= all);
		}
		if (length > all - at)
			return rfb_fail(r, "the server sent a ZRLE run longer than its tile");
		for (; length; length--, at++)
			*rfb_pixel_at(r, tile.x + at % tile.w, tile.y + at / tile.w) = colour;
	}
	return 0;
}

static int paint_zrle_tile(struct rfb_decoder *r, struct byte_range *body, struct pixel_area tile)
{
	const struct pixel_layout *pixel = &r->pixels.zrle;
	const uint8_t *in = take_bytes(r, body, 1);
	int kind = in ? *in : 0, colours = kind & 127;
	uint32_t palette[128];

	if (kind == PALETTE_RUNS || (kind > PACKED_MOST && kind < PLAIN_RUNS))
		return rfb_fail(r, "the server sent a ZRLE tile of an unknown kind");
	if (in)
		in = take_bytes(r, body, pixel->bytes * (size_t)(kind == RAW ? tile.w * tile.h : colours));
	if (!in)
		return -EPROTO;
	pixel_decode_row(pixel, palette, in, (size_t)colours);
	if (kind == RAW)
		rfb_paint_pixels(r, tile, pixel, in);
	else if (kind == SOLID)
		rfb_fill_box(r, tile, palette[0]);
	else
		return kind < PLAIN_RUNS ? paint_packed_pixels(r, body, tile, palette, colours)
					 : paint_runs(r, body, tile, palette, colours);
	return 0;
}

/* ZRLE: length, then compressed tiles. */
int rfb_paint_zrle(struct rfb_decoder *r, struct byte_range body)
{
	size_t pixels = (size_t)r->box.w * (size_t)r->box.h, most = pixels * 5 + RFB_BODY_SPARE;
	struct pixel_area tile;
	int err = rfb_inflate(r, STREAM_ZRLE, rfb_skip_bytes(body, 4), most, &body);

	for (int n = 0; !err && rfb_get_tile(r->box, ZRLE_SIDE, n, &tile); n++)
		err = paint_zrle_tile(r, &body, tile);
	return err ? err : rfb_check_size(r, body.n, 0);
}
