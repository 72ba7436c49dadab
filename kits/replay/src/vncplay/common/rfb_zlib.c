// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_zlib - bodies of rectangles, plain or through one of the zlib streams that last as long as the connection (RFC 1950);
 * the encodings Zlib and ZRLE. */
#include "rfb_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#define CHUNK (32 << 10)

struct rfb_zlib_stream {
	z_stream z;
	uint8_t out[CHUNK];
};

static int inflate_body_bytes(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	struct rfb_zlib_stream *s = r->streams[r->stream];
	int status, err;

	s->z.next_in = (uint8_t *)(uintptr_t)in;
	s->z.avail_in = (uInt)n;
	do {
		s->z.next_out = s->out;
		s->z.avail_out = CHUNK;
		status = inflate(&s->z, Z_SYNC_FLUSH);
		if (status == Z_MEM_ERROR)
			return -ENOMEM;
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			return rfb_fail(r, "the server sent damaged zlib data");
		/* (a byte too many is an error in rfb_feed_step_machine: a zip bomb cannot grow beyond its rectangle) */
		err = rfb_feed_step_machine(r, &r->body, s->out, CHUNK - s->z.avail_out);
		if (err)
			return err;
		if (status == Z_STREAM_END && s->z.avail_in)
			return rfb_fail(r, "the server sent data after the end of a zlib stream");
	} while (!s->z.avail_out && status != Z_STREAM_END);
	return s->z.avail_in ? rfb_fail(r, "the server sent damaged zlib data") : 0;
}

static ssize_t decode_body_bytes(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t now = n < r->left ? n : (size_t)r->left;
	int err;

	if (now > CHUNK)
		now = CHUNK;
	err = r->stream == STREAM_NONE ? rfb_feed_step_machine(r, &r->body, in, now) : inflate_body_bytes(r, in, now);
	if (err)
		return err;
	r->left -= now;
	if (r->left)
		return (ssize_t)now;
	if (r->body.step)
		return rfb_fail(r, "the server sent a rectangle with too few bytes");
	rfb_end_rectangle(r);
	return (ssize_t)now;
}

int rfb_begin_body(struct rfb_decoder *r, uint64_t n, int stream)
{
	r->body.held = 0;
	r->left = n;
	r->stream = stream;
	if (!n) {
		if (r->body.step)
			return rfb_fail(r, "the server sent a rectangle with too few bytes");
		rfb_end_rectangle(r);
		return 0;
	}
	if (stream != STREAM_NONE && !r->streams[stream]) {
		struct rfb_zlib_stream *s = calloc(1, sizeof(*s));

		if (!s || inflateInit(&s->z) != Z_OK) {
			free(s);
			return -ENOMEM;
		}
		r->streams[stream] = s;
	}
	rfb_set_next_step(&r->wire, decode_body_bytes, 1);
	return 0;
}

void rfb_zlib_reset(struct rfb_decoder *r, int stream)
{
	if (r->streams[stream])
		inflateReset(&r->streams[stream]->z);
}

void rfb_free_zlib_streams(struct rfb_decoder *r)
{
	for (int i = 0; i < RFB_STREAMS; i++) {
		if (r->streams[i])
			inflateEnd(&r->streams[i]->z);
		free(r->streams[i]);
	}
}

void rfb_end_body(struct rfb_decoder *r)
{
	rfb_set_next_step(&r->body, NULL, 0);
}

ssize_t rfb_decode_raw_body(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	return rfb_paint_area(r, in, n, rfb_end_body);
}

/* Zlib encoding: length, then compressed raw pixels. */
ssize_t rfb_begin_zlib_rectangle(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	int err;

	rfb_set_next_step(&r->body, rfb_area_is_full(r) ? NULL : rfb_decode_raw_body, r->pixels.plain.bytes);
	err = rfb_begin_body(r, rfb_get_u32(in), STREAM_ZLIB);
	return err ? err : 4;
}

/* --- ZRLE (RFC 6143 section 7.7.6): tiles of 64 by 64 pixels: raw, of one colour, of a packed palette, or of runs --- */

enum { RAW = 0, SOLID = 1, PLAIN_RUNS = 128, PALETTE_RUNS = 129 };

static rfb_step decode_zrle_tile_kind;

static void set_zrle_tile_area(struct rfb_decoder *r, int x, int y)
{
	struct box b = r->box;
	int w = b.x + b.w - x, h = b.y + b.h - y;

	rfb_set_paint_area(r, (struct box){ x, y, w < 64 ? w : 64, h < 64 ? h : 64 }, &r->pixels.zrle);
}

static void end_zrle_tile(struct rfb_decoder *r)
{
	int x = r->area.x + 64, y = r->area.y;

	if (x >= r->box.x + r->box.w) {
		x = r->box.x;
		y += 64;
	}
	rfb_set_next_step(&r->body, y >= r->box.y + r->box.h ? NULL : decode_zrle_tile_kind, 1);
	if (r->body.step)
		set_zrle_tile_area(r, x, y);
}

static ssize_t decode_zrle_raw_tile(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	return rfb_paint_area(r, in, n, end_zrle_tile);
}

static ssize_t decode_zrle_solid_tile(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	rfb_fill_box(r, r->area, pixel_decode(r->pixel, in));
	end_zrle_tile(r);
	return (ssize_t)r->pixel->bytes;
}

static int bits_per_palette_index(const struct rfb_decoder *r)
{
	return r->colours == 2 ? 1 : r->colours <= 4 ? 2 : 4;
}

static size_t packed_row_bytes(const struct rfb_decoder *r)
{
	return (size_t)(r->area.w * bits_per_palette_index(r) + 7) / 8;
}

static ssize_t decode_zrle_packed_rows(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t used = 0, row = packed_row_bytes(r);
	int bits = bits_per_palette_index(r), index;

	for (; !rfb_area_is_full(r) && n - used >= row; used += row)
		for (int x = 0, w = r->area.w; x < w; x++) {
			index = in[used + (size_t)(x * bits / 8)] >> (8 - bits - x * bits % 8) & ((1 << bits) - 1);
			if (index >= r->colours)
				return rfb_fail(r, "the server sent a colour outside of the palette");
			rfb_paint_run(r, r->palette[index], 1);
		}
	if (rfb_area_is_full(r))
		end_zrle_tile(r);
	return (ssize_t)used;
}

/* Paints a run. Returns the bytes consumed; 0: incomplete; -EPROTO. The length of a run is 1 more than the sum of its bytes up
 * to the first below 255. */
static ssize_t paint_zrle_run(struct rfb_decoder *r, const uint8_t *in, size_t n, size_t colour)
{
	size_t used = colour, length = 1;
	uint32_t value;

	if (colour == 1 && r->mask != PLAIN_RUNS) {
		if ((in[0] & 127) >= r->colours)
			return rfb_fail(r, "the server sent a colour outside of the palette");
		value = r->palette[in[0] & 127];
		if (!(in[0] & 128))
			return rfb_paint_run(r, value, 1) ? 1 : rfb_fail(r, "the server sent a ZRLE run longer than its tile");
	} else {
		value = pixel_decode(r->pixel, in);
	}
	do {
		if (used == n)
			return 0;
		length += in[used];
		if (length > 64 * 64)
			return rfb_fail(r, "the server sent a ZRLE run longer than its tile");
	} while (in[used++] == 255);
	return rfb_paint_run(r, value, length) ? (ssize_t)used : rfb_fail(r, "the server sent a ZRLE run longer than its tile");
}

static ssize_t paint_zrle_runs(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t colour = r->mask == PLAIN_RUNS ? r->pixel->bytes : 1, least = r->mask == PLAIN_RUNS ? colour + 1 : 1, used = 0;

	while (!rfb_area_is_full(r) && n - used >= least) {
		ssize_t took = paint_zrle_run(r, in + used, n - used, colour);

		if (took < 0)
			return took;
		if (!took) {
			r->body.need = used ? least : n + 1;
			return (ssize_t)used;
		}
		used += (size_t)took;
	}
	r->body.need = least;
	if (rfb_area_is_full(r))
		end_zrle_tile(r);
	return (ssize_t)used;
}

static ssize_t decode_palette_colours(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	size_t bytes = r->pixel->bytes;

	for (int i = 0; i < r->colours; i++)
		r->palette[i] = pixel_decode(r->pixel, in + (size_t)i * bytes);
	if (r->mask < PLAIN_RUNS)
		rfb_set_next_step(&r->body, decode_zrle_packed_rows, packed_row_bytes(r));
	else
		rfb_set_next_step(&r->body, paint_zrle_runs, 1);
	return (ssize_t)((size_t)r->colours * bytes);
}

static ssize_t decode_zrle_tile_kind(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	size_t bytes = r->pixel->bytes;

	r->mask = in[0];
	r->colours = r->mask & 127;
	if (r->mask == RAW)
		rfb_set_next_step(&r->body, decode_zrle_raw_tile, bytes);
	else if (r->mask == SOLID)
		rfb_set_next_step(&r->body, decode_zrle_solid_tile, bytes);
	else if (r->mask == PLAIN_RUNS)
		rfb_set_next_step(&r->body, paint_zrle_runs, bytes + 1);
	else if (r->mask == PALETTE_RUNS || (r->mask > 16 && r->mask < PLAIN_RUNS))
		return rfb_fail(r, "the server sent a ZRLE tile of an unknown kind");
	else
		rfb_set_next_step(&r->body, decode_palette_colours, (size_t)r->colours * bytes);
	return 1;
}

ssize_t rfb_begin_zrle_rectangle(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	int err;

	set_zrle_tile_area(r, r->box.x, r->box.y);
	rfb_set_next_step(&r->body, r->box.w && r->box.h ? decode_zrle_tile_kind : NULL, 1);
	err = rfb_begin_body(r, rfb_get_u32(in), STREAM_ZRLE);
	return err ? err : 4;
}
