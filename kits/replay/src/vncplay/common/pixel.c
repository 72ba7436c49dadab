// SPDX-License-Identifier: GPL-3.0-or-later
/* pixel - decodes pixels: RFC 6143 section 7.4 (PIXEL_FORMAT), 7.7.6 (CPIXEL), the Tight encoding's TPIXEL. */
#include "rfb_inside.h"

#include <endian.h>
#include <string.h>

const struct rfb_format rfb_xrgb = { .bits = 32,
				     .depth = 24,
				     .true_colour = 1,
				     .red_max = 255,
				     .green_max = 255,
				     .blue_max = 255,
				     .red_shift = 16,
				     .green_shift = 8,
				     .blue_shift = 0 };

static uint32_t read_pixel_value(const struct pixel_layout *p, const uint8_t *bytes)
{
	uint32_t v = 0;

	for (size_t i = 0; i < p->bytes; i++)
		v |= (uint32_t)bytes[i] << 8 * (p->big_endian ? p->bytes - 1 - i : i);
	return v << p->drop;
}

uint32_t pixel_join_parts(const struct pixel_layout *p, const unsigned parts[3])
{
	uint32_t v = 0;

	for (int i = 0; i < 3; i++)
		v = v << 8 | (p->max[i] == 255 ? parts[i] : (parts[i] * 255 + p->max[i] / 2) / p->max[i]);
	return v;
}

static void split_parts(const struct pixel_layout *p, uint32_t v, unsigned parts[3])
{
	for (int i = 0; i < 3; i++)
		parts[i] = v >> p->shift[i] & p->max[i];
}

void pixel_get_parts(const struct pixel_layout *p, const uint8_t *bytes, unsigned parts[3])
{
	if (p->kind == PIXEL_RGB)
		for (int i = 0; i < 3; i++)
			parts[i] = bytes[i];
	else
		split_parts(p, read_pixel_value(p, bytes), parts);
}

static uint32_t decode_parts(const struct pixel_layout *p, const uint8_t *bytes)
{
	unsigned parts[3];

	split_parts(p, read_pixel_value(p, bytes), parts);
	return pixel_join_parts(p, parts);
}

static uint32_t decode_rgb(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
}

static uint32_t decode_xrgb(const uint8_t *bytes)
{
	return (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

uint32_t pixel_decode(const struct pixel_layout *p, const uint8_t *bytes)
{
	switch (p->kind) {
	case PIXEL_XRGB:
	case PIXEL_BGR: return decode_xrgb(bytes);
	case PIXEL_BYTE: return p->map[*bytes];
	case PIXEL_RGB: return decode_rgb(bytes);
	case PIXEL_WORD: break;
	}
	return decode_parts(p, bytes);
}

/* Decodes rfb_xrgb quickly. The fourth byte of a pixel is undefined and must not count as a change. */
static void decode_xrgb_row(uint32_t *to, const uint8_t *from, size_t n)
{
	memcpy(to, from, n * sizeof(*to));
	for (size_t i = 0; i < n; i++)
		to[i] = le32toh(to[i]) & 0xffffff;
}

void pixel_decode_row(const struct pixel_layout *p, uint32_t *to, const uint8_t *from, size_t n)
{
	if (p->kind == PIXEL_XRGB) {
		decode_xrgb_row(to, from, n);
		return;
	}
	for (; n; n--, from += p->bytes)
		*to++ = pixel_decode(p, from);
}

/* CPIXEL omits the fourth byte when all colours fit into the other three. */
static void derive_zrle_layout(struct pixel_layouts *p)
{
	uint32_t used = 0;
	bool low, high;

	p->zrle = p->plain;
	if (p->format.bits != 32 || p->format.depth > 24)
		return;
	for (int i = 0; i < 3; i++)
		used |= (uint32_t)p->plain.max[i] << p->plain.shift[i];
	low = !(used & 0xff000000);
	high = !(used & 0xff);
	if (!low && !high)
		return;
	p->zrle.kind = PIXEL_WORD;
	p->zrle.bytes = 3;
	p->zrle.drop = low ? 0 : 8;
	if (p->plain.kind == PIXEL_XRGB)
		p->zrle.kind = PIXEL_BGR;
}

static bool is_format_valid(const struct rfb_format *f)
{
	const uint16_t max[3] = { f->red_max, f->green_max, f->blue_max };
	const uint8_t shift[3] = { f->red_shift, f->green_shift, f->blue_shift };

	if (f->bits != 8 && f->bits != 16 && f->bits != 32)
		return false;
	if (!f->true_colour)
		return f->bits == 8;
	for (int i = 0; i < 3; i++)
		if (!max[i] || shift[i] >= f->bits || (uint64_t)max[i] << shift[i] >> f->bits)
			return false;
	return true;
}

bool pixel_set_format(struct pixel_layouts *p, const struct rfb_format *f)
{
	struct pixel_layout *plain = &p->plain;
	bool bytes_of_colour;

	if (!is_format_valid(f))
		return false;
	memset(p, 0, sizeof(*p));
	p->format = *f;
	*plain = (struct pixel_layout){ .kind = PIXEL_WORD,
					.bytes = f->bits / 8u,
					.big_endian = f->big_endian,
					.max = { f->red_max, f->green_max, f->blue_max },
					.shift = { f->red_shift, f->green_shift, f->blue_shift } };
	bytes_of_colour = f->true_colour && f->bits == 32 && f->red_max == 255 && f->green_max == 255 && f->blue_max == 255;
	if (f->bits == 8) {
		for (unsigned i = 0; f->true_colour && i < 256; i++)
			plain->map[i] = decode_parts(plain, &(uint8_t){ (uint8_t)i });
		plain->kind = PIXEL_BYTE;
	} else if (bytes_of_colour && !f->big_endian && f->red_shift == 16 && f->green_shift == 8 && f->blue_shift == 0) {
		plain->kind = PIXEL_XRGB;
	}
	p->tight = *plain;
	if (bytes_of_colour && f->depth == 24) {
		p->tight.kind = PIXEL_RGB;
		p->tight.bytes = 3;
	}
	derive_zrle_layout(p);
	return true;
}

void pixel_set_colour(struct pixel_layouts *p, unsigned index, uint16_t red, uint16_t green, uint16_t blue)
{
	if (p->format.true_colour || index > 255)
		return;
	p->plain.map[index] = (uint32_t)red >> 8 << 16 | (uint32_t)green >> 8 << 8 | (uint32_t)blue >> 8;
	p->tight.map[index] = p->zrle.map[index] = p->plain.map[index];
}
