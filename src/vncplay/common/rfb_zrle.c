// SPDX-License-Identifier: GPL-3.0-or-later
/* ZRLE: tiles of 64 by 64, raw, of one colour, of a packed palette, or of runs. RFC 6143 section 7.7.6. */
#include "rfb_inside.h"

enum { RAW = 0, SOLID = 1, PLAIN_RUNS = 128, PALETTE_RUNS = 129 };

static rfb_step take_kind;

static void set_tile(struct rfb *r, int x, int y)
{
	struct box b = r->box;
	int w = b.x + b.w - x, h = b.y + b.h - y;

	rfb_paint_in(r, (struct box){ x, y, w < 64 ? w : 64, h < 64 ? h : 64 }, &r->pixels.zrle);
}

void rfb_zrle(struct rfb *r)
{
	set_tile(r, r->box.x, r->box.y);
	rfb_then(&r->body, r->box.w && r->box.h ? take_kind : NULL, 1);
}

static void tile_done(struct rfb *r)
{
	int x = r->area.x + 64, y = r->area.y;

	if (x >= r->box.x + r->box.w) {
		x = r->box.x;
		y += 64;
	}
	rfb_then(&r->body, y >= r->box.y + r->box.h ? NULL : take_kind, 1);
	if (r->body.step)
		set_tile(r, x, y);
}

static ssize_t raw(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t used = rfb_paint(r, in, n);

	if (rfb_painted(r))
		tile_done(r);
	return (ssize_t)used;
}

static ssize_t solid(struct rfb *r, const uint8_t *in, size_t n)
{
	(void)n;
	rfb_fill(r, r->area, pixel_decode(r->pixel, in));
	tile_done(r);
	return (ssize_t)r->pixel->bytes;
}

static int index_bits(const struct rfb *r)
{
	return r->colours == 2 ? 1 : r->colours <= 4 ? 2 : 4;
}

static size_t row_bytes(const struct rfb *r)
{
	return (size_t)(r->area.w * index_bits(r) + 7) / 8;
}

static ssize_t packed(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t used = 0, row = row_bytes(r);
	int bits = index_bits(r), index;

	for (; !rfb_painted(r) && n - used >= row; used += row)
		for (int x = 0, w = r->area.w; x < w; x++) {
			index = in[used + (size_t)(x * bits / 8)] >> (8 - bits - x * bits % 8) & ((1 << bits) - 1);
			if (index >= r->colours)
				return rfb_bad(r, "a colour that is not in the palette");
			rfb_run(r, r->palette[index], 1);
		}
	if (rfb_painted(r))
		tile_done(r);
	return (ssize_t)used;
}

/* One run: how many bytes it takes (0: it is not whole), -EPROTO. A run's length is one more than
 * the sum of bytes up to the first below 255. */
static ssize_t paint_run(struct rfb *r, const uint8_t *in, size_t n, size_t colour)
{
	size_t used = colour, length = 1;
	uint32_t value;

	if (colour == 1 && r->mask != PLAIN_RUNS) {
		if ((in[0] & 127) >= r->colours)
			return rfb_bad(r, "a colour that is not in the palette");
		value = r->palette[in[0] & 127];
		if (!(in[0] & 128))
			return rfb_run(r, value, 1) ? 1 : rfb_bad(r, "a run that is longer than its tile");
	} else {
		value = pixel_decode(r->pixel, in);
	}
	do {
		if (used == n)
			return 0;
		length += in[used];
		if (length > 64 * 64)
			return rfb_bad(r, "a run that is longer than its tile");
	} while (in[used++] == 255);
	return rfb_run(r, value, length) ? (ssize_t)used : rfb_bad(r, "a run that is longer than its tile");
}

static ssize_t paint_runs(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t colour = r->mask == PLAIN_RUNS ? r->pixel->bytes : 1, least = r->mask == PLAIN_RUNS ? colour + 1 : 1, used = 0;

	while (!rfb_painted(r) && n - used >= least) {
		ssize_t took = paint_run(r, in + used, n - used, colour);

		if (took < 0)
			return took;
		if (!took) {
			r->body.need = used ? least : n + 1;
			return (ssize_t)used;
		}
		used += (size_t)took;
	}
	r->body.need = least;
	if (rfb_painted(r))
		tile_done(r);
	return (ssize_t)used;
}

static ssize_t take_palette(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t bytes = r->pixel->bytes;

	(void)n;
	for (int i = 0; i < r->colours; i++)
		r->palette[i] = pixel_decode(r->pixel, in + (size_t)i * bytes);
	if (r->mask < PLAIN_RUNS)
		rfb_then(&r->body, packed, row_bytes(r));
	else
		rfb_then(&r->body, paint_runs, 1);
	return (ssize_t)((size_t)r->colours * bytes);
}

static ssize_t take_kind(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t bytes = r->pixel->bytes;

	(void)n;
	r->mask = in[0];
	r->colours = r->mask & 127;
	if (r->mask == RAW)
		rfb_then(&r->body, raw, bytes);
	else if (r->mask == SOLID)
		rfb_then(&r->body, solid, bytes);
	else if (r->mask == PLAIN_RUNS)
		rfb_then(&r->body, paint_runs, bytes + 1);
	else if (r->mask == PALETTE_RUNS || (r->mask > 16 && r->mask < PLAIN_RUNS))
		return rfb_bad(r, "a tile of an unknown kind");
	else
		rfb_then(&r->body, take_palette, (size_t)r->colours * bytes);
	return 1;
}
