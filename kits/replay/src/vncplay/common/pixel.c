// SPDX-License-Identifier: GPL-3.0-or-later
/* pixel - decodes pixels: RFC 6143 section 7.4 (PIXEL_FORMAT), 7.7.6 (CPIXEL), the Tight encoding's TPIXEL. */
#include "rfb_inside.h"

#include <endian.h>
#include <string.h>

const struct rfb_format rfb_xrgb = { .bits = 32, .depth = 24, .true_colour = 1, .max = { 255, 255, 255 }, .shift = { 16, 8, 0 } };

static const struct pixel_layout rgb_bytes = {
	.bytes = 3, .big_endian = true, .direct = true, .max = { 255, 255, 255 }, .shift = { 16, 8, 0 }
};

static uint32_t read_pixel_value(const struct pixel_layout *p, const uint8_t *bytes)
{
	uint32_t v = 0;

	for (size_t i = 0; i < p->bytes; i++)
		v |= (uint32_t)bytes[i] << 8 * (p->big_endian ? p->bytes - 1 - i : i);
	return v << p->drop;
}

uint32_t pixel_parts_to_rgb(const struct pixel_layout *p, const unsigned parts[static 3])
{
	uint32_t v = 0;

	for (int i = 0; i < 3; i++)
		v = v << 8 | (p->max[i] == 255 ? parts[i] : (parts[i] * 255 + p->max[i] / 2) / p->max[i]);
	return v;
}

void pixel_get_parts(const struct pixel_layout *p, const uint8_t *bytes, unsigned parts[static 3])
{
	uint32_t v = read_pixel_value(p, bytes);

	for (int i = 0; i < 3; i++)
		parts[i] = v >> p->shift[i] & p->max[i];
}

uint32_t pixel_decode(const struct pixel_layout *p, const uint8_t *bytes)
{
	unsigned parts[3];

	if (p->map)
		return p->map[*bytes];
	if (p->direct)
		return read_pixel_value(p, bytes) & 0xffffff;
	pixel_get_parts(p, bytes, parts);
	return pixel_parts_to_rgb(p, parts);
}

void pixel_mask_row(uint32_t *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = le32toh(to[i]) & 0xffffff;
}

void pixel_decode_row(const struct pixel_layout *p, uint32_t *to, const uint8_t *from, size_t n)
{
	if (!p->direct || p->big_endian || p->bytes < 4) {
		for (; n; n--, from += p->bytes)
			*to++ = pixel_decode(p, from);
		return;
	}
	memcpy(to, from, n * sizeof(*to)); /* rfb_xrgb, quickly */
	pixel_mask_row(to, n);
}

/* CPIXEL omits the fourth byte when all colours fit into the other three. */
static void derive_zrle_layout(struct pixel_layouts *p)
{
	uint32_t used = 0;

	p->zrle = p->plain;
	if (p->format.bits != 32 || p->format.depth > 24)
		return;
	for (int i = 0; i < 3; i++)
		used |= (uint32_t)p->plain.max[i] << p->plain.shift[i];
	if (used & 0xff000000 && used & 0xff)
		return;
	p->zrle.bytes = 3;
	p->zrle.drop = used & 0xff000000 ? 8 : 0;
}

static bool is_format_valid(const struct rfb_format *f)
{
	if (f->bits != 8 && f->bits != 16 && f->bits != 32)
		return false;
	if (!f->true_colour)
		return f->bits == 8;
	for (int i = 0; i < 3; i++)
		if (!f->max[i] || f->shift[i] >= f->bits || (uint64_t)f->max[i] << f->shift[i] >> f->bits)
			return false;
	return true;
}

bool pixel_set_format(struct pixel_layouts *p, const struct rfb_format *f)
{
	bool bytes_of_colour = f->bits == 32 && f->max[0] == 255 && f->max[1] == 255 && f->max[2] == 255;

	if (!is_format_valid(f))
		return false;
	*p = (struct pixel_layouts){ .format = *f };
	p->plain = (struct pixel_layout){ .bytes = f->bits / 8u,
					  .big_endian = f->big_endian,
					  .direct = bytes_of_colour && !memcmp(f->shift, rfb_xrgb.shift, sizeof(f->shift)),
					  .map = f->true_colour ? NULL : p->map };
	memcpy(p->plain.max, f->max, sizeof(f->max));
	memcpy(p->plain.shift, f->shift, sizeof(f->shift));
	p->tight = bytes_of_colour && f->depth == 24 ? rgb_bytes : p->plain;
	derive_zrle_layout(p);
	return true;
}

void pixel_set_colour(struct pixel_layouts *p, unsigned index, uint16_t red, uint16_t green, uint16_t blue)
{
	if (!p->format.true_colour && index < 256)
		p->map[index] = (uint32_t)red >> 8 << 16 | (uint32_t)green >> 8 << 8 | (uint32_t)blue >> 8;
}
