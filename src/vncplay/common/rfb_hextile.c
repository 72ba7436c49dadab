// SPDX-License-Identifier: GPL-3.0-or-later
/* Hextile: tiles of 16 by 16, each of one ground with smaller boxes, or raw. RFC 6143 section 7.7.4. */
#include "rfb_inside.h"

enum { IS_RAW = 1, GROUND = 2, FORE = 4, BOXES = 8, COLOURED = 16 };

static rfb_step mask;

static void tile_done(struct rfb *r)
{
	r->area.x += 16;
	if (r->area.x >= r->box.x + r->box.w) {
		r->area.x = r->box.x;
		r->area.y += 16;
	}
	if (r->area.y >= r->box.y + r->box.h)
		rfb_done(r);
	else
		rfb_then(&r->wire, mask, 1);
}

void rfb_hextile(struct rfb *r)
{
	r->area = r->box;
	r->ground = r->fore = 0;
	rfb_then(&r->wire, mask, 1);
}

static ssize_t raw(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t used = rfb_paint(r, in, n);

	if (rfb_painted(r))
		tile_done(r);
	return (ssize_t)used;
}

static ssize_t boxes(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t used = 0, colour = r->mask & COLOURED ? r->pixels.plain.bytes : 0;

	for (; r->left && n - used >= colour + 2; used += colour + 2, r->left--) {
		const uint8_t *p = in + used + colour;
		struct box b = { p[0] >> 4, p[0] & 15, (p[1] >> 4) + 1, (p[1] & 15) + 1 };

		if (b.x + b.w > r->area.w || b.y + b.h > r->area.h)
			return rfb_bad(r, "a part that is not within its tile");
		b.x += r->area.x;
		b.y += r->area.y;
		rfb_fill(r, b, colour ? pixel_decode(&r->pixels.plain, in + used) : r->fore);
	}
	if (!r->left)
		tile_done(r);
	return (ssize_t)used;
}

static void begin_boxes(struct rfb *r, unsigned n)
{
	rfb_fill(r, r->area, r->ground);
	r->left = n;
	if (n)
		rfb_then(&r->wire, boxes, 2 + (r->mask & COLOURED ? r->pixels.plain.bytes : 0));
	else
		tile_done(r);
}

static ssize_t colours(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t used = 0, bytes = r->pixels.plain.bytes;
	unsigned count = 0;

	(void)n;
	if (r->mask & GROUND) {
		r->ground = pixel_decode(&r->pixels.plain, in);
		used += bytes;
	}
	if (r->mask & FORE) {
		r->fore = pixel_decode(&r->pixels.plain, in + used);
		used += bytes;
	}
	if (r->mask & BOXES)
		count = in[used++];
	begin_boxes(r, count);
	return (ssize_t)used;
}

static ssize_t mask(struct rfb *r, const uint8_t *in, size_t n)
{
	size_t need, bytes = r->pixels.plain.bytes;

	(void)n;
	r->mask = in[0];
	r->area.w = r->box.x + r->box.w - r->area.x < 16 ? r->box.x + r->box.w - r->area.x : 16;
	r->area.h = r->box.y + r->box.h - r->area.y < 16 ? r->box.y + r->box.h - r->area.y : 16;
	if (r->mask & IS_RAW) {
		rfb_paint_in(r, r->area, &r->pixels.plain);
		rfb_then(&r->wire, raw, bytes);
		return 1;
	}
	need = (r->mask & GROUND ? bytes : 0) + (r->mask & FORE ? bytes : 0) + (r->mask & BOXES ? 1 : 0);
	if (need)
		rfb_then(&r->wire, colours, need);
	else
		begin_boxes(r, 0);
	return 1;
}
