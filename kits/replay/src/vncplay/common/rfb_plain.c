// SPDX-License-Identifier: GPL-3.0-or-later
/* rfb_plain - Raw, CopyRect, RRE (RFC 6143 section 7.7.1 to 7.7.3), CoRRE (RRE with coordinates of one byte), Hextile. */
#include "rfb_inside.h"

#include <string.h>

static uint32_t *pixel_at(struct rfb_decoder *r, int x, int y)
{
	return r->screen.pixels + (size_t)y * (size_t)r->screen.width + (size_t)x;
}

void rfb_set_paint_area(struct rfb_decoder *r, struct box area, const struct pixel_layout *pixel)
{
	r->area = area;
	r->pixel = pixel;
	r->x = 0;
	r->y = area.w ? 0 : area.h;
}

bool rfb_area_is_full(const struct rfb_decoder *r)
{
	return r->y >= r->area.h;
}

static void advance_paint_position(struct rfb_decoder *r, size_t n) /* n: at most the rest of the row */
{
	r->x += (int)n;
	if (r->x == r->area.w) {
		r->x = 0;
		r->y++;
	}
}

/* Paints the complete pixels of n bytes; returns the bytes consumed. */
static size_t paint_pixels(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t used = 0, bytes = r->pixel->bytes, now;

	while (!rfb_area_is_full(r) && n - used >= bytes) {
		now = (n - used) / bytes;
		if (now > (size_t)(r->area.w - r->x))
			now = (size_t)(r->area.w - r->x);
		pixel_decode_row(r->pixel, pixel_at(r, r->area.x + r->x, r->area.y + r->y), in + used, now);
		used += now * bytes;
		advance_paint_position(r, now);
	}
	return used;
}

bool rfb_paint_run(struct rfb_decoder *r, uint32_t colour, size_t n)
{
	size_t now;

	for (; n; n -= now) {
		uint32_t *to;

		if (rfb_area_is_full(r))
			return false;
		now = n < (size_t)(r->area.w - r->x) ? n : (size_t)(r->area.w - r->x);
		to = pixel_at(r, r->area.x + r->x, r->area.y + r->y);
		for (size_t i = 0; i < now; i++)
			to[i] = colour;
		advance_paint_position(r, now);
	}
	return true;
}

void rfb_fill_box(struct rfb_decoder *r, struct box box, uint32_t colour)
{
	for (int y = box.y; y < box.y + box.h; y++) {
		uint32_t *to = pixel_at(r, box.x, y);

		for (int x = 0; x < box.w; x++)
			to[x] = colour;
	}
}

ssize_t rfb_paint_area(struct rfb_decoder *r, const uint8_t *in, size_t n, void (*end)(struct rfb_decoder *r))
{
	size_t used = paint_pixels(r, in, n);

	if (rfb_area_is_full(r))
		end(r);
	return (ssize_t)used;
}

ssize_t rfb_decode_raw_pixels(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	return rfb_paint_area(r, in, n, rfb_end_rectangle);
}

ssize_t rfb_decode_copyrect(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	struct box b = r->box;
	int x = (int)rfb_get_u16(in), y = (int)rfb_get_u16(in + 2);

	if (x + b.w > r->screen.width || y + b.h > r->screen.height)
		return rfb_fail(r, "the server sent a CopyRect from outside of the screen");
	/* copy rows in an order in which none is overwritten before it is read */
	for (int i = 0; i < b.h; i++) {
		int row = y < b.y ? b.h - 1 - i : i;

		memmove(pixel_at(r, b.x, b.y + row), pixel_at(r, x, y + row), (size_t)b.w * sizeof(uint32_t));
	}
	rfb_end_rectangle(r);
	return 4;
}

static int fill_rre_subrectangle(struct rfb_decoder *r, const uint8_t *in, bool small)
{
	const uint8_t *p = in + r->pixels.plain.bytes;
	struct box b;

	if (small)
		b = (struct box){ p[0], p[1], p[2], p[3] };
	else
		b = (struct box){ (int)rfb_get_u16(p), (int)rfb_get_u16(p + 2), (int)rfb_get_u16(p + 4), (int)rfb_get_u16(p + 6) };
	if (b.x + b.w > r->box.w || b.y + b.h > r->box.h)
		return rfb_fail(r, "the server sent an RRE subrectangle outside of its rectangle");
	b.x += r->box.x;
	b.y += r->box.y;
	rfb_fill_box(r, b, pixel_decode(&r->pixels.plain, in));
	return 0;
}

static ssize_t decode_subrectangles(struct rfb_decoder *r, const uint8_t *in, size_t n, bool small)
{
	size_t used = 0, each = r->pixels.plain.bytes + (small ? 4 : 8);

	for (; r->left && n - used >= each; used += each, r->left--) {
		int err = fill_rre_subrectangle(r, in + used, small);

		if (err)
			return err;
	}
	if (!r->left)
		rfb_end_rectangle(r);
	return (ssize_t)used;
}

static ssize_t decode_rre_subrectangles(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	return decode_subrectangles(r, in, n, false);
}

static ssize_t decode_corre_subrectangles(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	return decode_subrectangles(r, in, n, true);
}

static ssize_t decode_rre_background(struct rfb_decoder *r, const uint8_t *in, rfb_step *then, size_t each)
{
	r->left = rfb_get_u32(in);
	rfb_fill_box(r, r->box, pixel_decode(&r->pixels.plain, in + 4));
	if (r->left)
		rfb_set_next_step(&r->wire, then, each + r->pixels.plain.bytes);
	else
		rfb_end_rectangle(r);
	return 4 + (ssize_t)r->pixels.plain.bytes;
}

ssize_t rfb_begin_rre_rectangle(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	return decode_rre_background(r, in, decode_rre_subrectangles, 8);
}

ssize_t rfb_begin_corre_rectangle(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	return decode_rre_background(r, in, decode_corre_subrectangles, 4);
}

/* --- Hextile (RFC 6143 section 7.7.4): tiles of 16 by 16 pixels, each of one background colour with smaller boxes, or raw --- */

enum { HEXTILE_RAW = 1, HEXTILE_GROUND = 2, HEXTILE_FORE = 4, HEXTILE_BOXES = 8, HEXTILE_COLOURED = 16 };

static rfb_step decode_hextile_mask;

static void end_hextile_tile(struct rfb_decoder *r)
{
	r->area.x += 16;
	if (r->area.x >= r->box.x + r->box.w) {
		r->area.x = r->box.x;
		r->area.y += 16;
	}
	if (r->area.y >= r->box.y + r->box.h)
		rfb_end_rectangle(r);
	else
		rfb_set_next_step(&r->wire, decode_hextile_mask, 1);
}

void rfb_begin_hextile_rectangle(struct rfb_decoder *r)
{
	r->area = r->box;
	r->ground = r->fore = 0;
	rfb_set_next_step(&r->wire, decode_hextile_mask, 1);
}

static ssize_t decode_hextile_raw(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	return rfb_paint_area(r, in, n, end_hextile_tile);
}

static ssize_t decode_hextile_boxes(struct rfb_decoder *r, const uint8_t *in, size_t n)
{
	size_t used = 0, colour = r->mask & HEXTILE_COLOURED ? r->pixels.plain.bytes : 0;

	for (; r->left && n - used >= colour + 2; used += colour + 2, r->left--) {
		const uint8_t *p = in + used + colour;
		struct box b = { p[0] >> 4, p[0] & 15, (p[1] >> 4) + 1, (p[1] & 15) + 1 };

		if (b.x + b.w > r->area.w || b.y + b.h > r->area.h)
			return rfb_fail(r, "the server sent a Hextile subrectangle outside of its tile");
		b.x += r->area.x;
		b.y += r->area.y;
		rfb_fill_box(r, b, colour ? pixel_decode(&r->pixels.plain, in + used) : r->fore);
	}
	if (!r->left)
		end_hextile_tile(r);
	return (ssize_t)used;
}

static void begin_hextile_boxes(struct rfb_decoder *r, unsigned n)
{
	rfb_fill_box(r, r->area, r->ground);
	r->left = n;
	if (n)
		rfb_set_next_step(&r->wire, decode_hextile_boxes, 2 + (r->mask & HEXTILE_COLOURED ? r->pixels.plain.bytes : 0));
	else
		end_hextile_tile(r);
}

static ssize_t decode_hextile_colours(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	size_t used = 0, bytes = r->pixels.plain.bytes;
	unsigned count = 0;

	if (r->mask & HEXTILE_GROUND) {
		r->ground = pixel_decode(&r->pixels.plain, in);
		used += bytes;
	}
	if (r->mask & HEXTILE_FORE) {
		r->fore = pixel_decode(&r->pixels.plain, in + used);
		used += bytes;
	}
	if (r->mask & HEXTILE_BOXES)
		count = in[used++];
	begin_hextile_boxes(r, count);
	return (ssize_t)used;
}

static ssize_t decode_hextile_mask(struct rfb_decoder *r, const uint8_t *in, size_t n UNUSED)
{
	size_t need, bytes = r->pixels.plain.bytes;

	r->mask = in[0];
	r->area.w = r->box.x + r->box.w - r->area.x < 16 ? r->box.x + r->box.w - r->area.x : 16;
	r->area.h = r->box.y + r->box.h - r->area.y < 16 ? r->box.y + r->box.h - r->area.y : 16;
	if (r->mask & HEXTILE_RAW) {
		rfb_set_paint_area(r, r->area, &r->pixels.plain);
		rfb_set_next_step(&r->wire, decode_hextile_raw, bytes);
		return 1;
	}
	need = (r->mask & HEXTILE_GROUND ? bytes : 0) + (r->mask & HEXTILE_FORE ? bytes : 0) + (r->mask & HEXTILE_BOXES ? 1 : 0);
	if (need)
		rfb_set_next_step(&r->wire, decode_hextile_colours, need);
	else
		begin_hextile_boxes(r, 0);
	return 1;
}
