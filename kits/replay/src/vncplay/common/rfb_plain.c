// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_plain - Raw, CopyRect, RRE (RFC 6143 section 7.7.1 to 7.7.3), CoRRE (RRE with coordinates of one byte), Hextile. */
#include "rfb_inside.h"

#include <string.h>

uint32_t *rfb_pixel_at(struct rfb_decoder *r, int x, int y)
{
	return r->state.screen.pixels + (size_t)y * (size_t)r->state.screen.width + (size_t)x;
}

void rfb_paint_pixels(struct rfb_decoder *r, struct pixel_area box, const struct pixel_layout *pixel, const uint8_t *in)
{
	for (int y = 0; y < box.h; y++, in += (size_t)box.w * pixel->bytes)
		pixel_decode_row(pixel, rfb_pixel_at(r, box.x, box.y + y), in, (size_t)box.w);
}

void rfb_fill_box(struct rfb_decoder *r, struct pixel_area box, uint32_t colour)
{
	for (int y = box.y; y < box.y + box.h; y++) {
		uint32_t *to = rfb_pixel_at(r, box.x, y);

		for (int x = 0; x < box.w; x++)
			to[x] = colour;
	}
}

/* Fills a part, whose place counts from the corner of `whole`. */
static int fill_part(struct rfb_decoder *r, struct pixel_area whole, struct pixel_area part, uint32_t colour, const char *why)
{
	if (part.x + part.w > whole.w || part.y + part.h > whole.h)
		return rfb_fail(r, why);
	rfb_fill_box(r, (struct pixel_area){ whole.x + part.x, whole.y + part.y, part.w, part.h }, colour);
	return 0;
}

bool rfb_get_tile(struct pixel_area whole, int side, int n, struct pixel_area *tile)
{
	int columns = (whole.w + side - 1) / side, x = n % columns * side, y = n / columns * side;

	*tile = (struct pixel_area){ whole.x + x, whole.y + y, whole.w - x < side ? whole.w - x : side,
				     whole.h - y < side ? whole.h - y : side };
	return y < whole.h;
}

int rfb_paint_raw(struct rfb_decoder *r, struct byte_range body)
{
	rfb_paint_pixels(r, r->box, &r->pixels.plain, body.at);
	return 0;
}

int rfb_paint_copyrect(struct rfb_decoder *r, struct byte_range body)
{
	struct pixel_area b = r->box;
	int x = (int)bytes_get_u16(body.at), y = (int)bytes_get_u16(body.at + 2);

	if (x + b.w > r->state.screen.width || y + b.h > r->state.screen.height)
		return rfb_fail(r, "the server sent a CopyRect from outside of the screen");
	/* copy rows in an order in which none is overwritten before it is read */
	for (int i = 0; i < b.h; i++) {
		int row = y < b.y ? b.h - 1 - i : i;

		memmove(rfb_pixel_at(r, b.x, b.y + row), rfb_pixel_at(r, x, y + row), (size_t)b.w * sizeof(uint32_t));
	}
	return 0;
}

/* RRE and CoRRE: the number of parts (the walker counts them), the background, parts of a pixel and a box. */
int rfb_paint_rre(struct rfb_decoder *r, struct byte_range body)
{
	const struct pixel_layout *pixel = &r->pixels.plain;
	bool small = r->encoding->number == RFB_CORRE;
	size_t head = 4 + pixel->bytes, each = pixel->bytes + (small ? 4 : 8);
	int err = 0;

	if (!r->parts && body.n >= head) {
		rfb_fill_box(r, r->box, pixel_decode(pixel, body.at + 4));
		body = rfb_skip_bytes(body, head);
		r->parts = true;
	}
	for (; r->parts && body.n >= each && !err; body = rfb_skip_bytes(body, each)) {
		const uint8_t *p = body.at + pixel->bytes;
		struct pixel_area b = { p[0], p[1], p[2], p[3] };

		if (!small)
			b = (struct pixel_area){ bytes_get_u16(p), bytes_get_u16(p + 2), bytes_get_u16(p + 4),
						 bytes_get_u16(p + 6) };
		err = fill_part(r, r->box, b, pixel_decode(pixel, body.at),
				"the server sent an RRE subrectangle outside of its rectangle");
	}
	memmove(r->body, body.at, body.n);
	r->n = body.n;
	return err;
}

/* --- Hextile (RFC 6143 section 7.7.4): tiles of 16 by 16 pixels, each of one background colour with smaller boxes, or raw --- */

enum { HEXTILE_SIDE = 16 };
enum { HEXTILE_RAW = 1, HEXTILE_GROUND = 2, HEXTILE_FORE = 4, HEXTILE_BOXES = 8, HEXTILE_COLOURED = 16 };

struct hextile_colours { /* kept from tile to tile */
	uint32_t ground, fore;
};

static uint32_t take_pixel(struct rfb_decoder *r, struct byte_range *body)
{
	const uint8_t *at = body->at;

	body->at += r->pixels.plain.bytes;
	return pixel_decode(&r->pixels.plain, at);
}

static int paint_hextile_tile(struct rfb_decoder *r, struct byte_range *body, struct pixel_area tile, struct hextile_colours *c)
{
	uint8_t mask = *body->at++;
	int err = 0;

	if (mask & HEXTILE_RAW) {
		rfb_paint_pixels(r, tile, &r->pixels.plain, body->at);
		body->at += (size_t)(tile.w * tile.h) * r->pixels.plain.bytes;
		return 0;
	}
	if (mask & HEXTILE_GROUND)
		c->ground = take_pixel(r, body);
	if (mask & HEXTILE_FORE)
		c->fore = take_pixel(r, body);
	rfb_fill_box(r, tile, c->ground);
	for (int left = mask & HEXTILE_BOXES ? *body->at++ : 0; left && !err; left--, body->at += 2) {
		uint32_t colour = mask & HEXTILE_COLOURED ? take_pixel(r, body) : c->fore;
		const uint8_t *p = body->at;

		err = fill_part(r, tile, (struct pixel_area){ p[0] >> 4, p[0] & 15, (p[1] >> 4) + 1, (p[1] & 15) + 1 }, colour,
				"the server sent a Hextile subrectangle outside of its tile");
	}
	return err;
}

int rfb_paint_hextile(struct rfb_decoder *r, struct byte_range body)
{
	struct hextile_colours colours = { 0 };
	struct pixel_area tile;
	int err = 0;

	for (int n = 0; rfb_get_tile(r->box, HEXTILE_SIDE, n, &tile) && !err; n++)
		err = paint_hextile_tile(r, &body, tile, &colours);
	return err;
}
