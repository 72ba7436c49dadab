// SPDX-License-Identifier: GPL-3.0-or-later
/* Pixels as they are copied and weighed, of images without a display. */
#include "../unit.h"
#include "x11/pixels.h"

static XImage *image_of(char *data, int bits, int depth, int bytes_per_line, unsigned long red, unsigned long green,
			unsigned long blue)
{
	static XImage image;

	image = (XImage){ .width = 2,
			  .height = 2,
			  .format = ZPixmap,
			  .data = data,
			  .byte_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? LSBFirst : MSBFirst,
			  .bitmap_unit = bits,
			  .bitmap_bit_order = LSBFirst,
			  .bitmap_pad = 32,
			  .depth = depth,
			  .bytes_per_line = bytes_per_line,
			  .bits_per_pixel = bits,
			  .red_mask = red,
			  .green_mask = green,
			  .blue_mask = blue };
	assert_true(XInitImage(&image));
	return &image;
}

/* A server may leave anything in the fourth byte. */
TEST(bits_of_no_colour_are_none)
{
	uint32_t pixels[] = { 0xff102030, 0x00102030, 0xdeffffff, 0x12000000 }, out[6] = { 0 };
	struct x11_pixels p = { .image = image_of((char *)pixels, 32, 24, 8, 0xff0000, 0xff00, 0xff) };

	x11_pixels_copy(&p, 2, 2, out, 3);
	assert_int_equal(out[0], 0x102030);
	assert_int_equal(out[1], 0x102030);
	assert_int_equal(out[2], 0); /* between the rows: not touched */
	assert_int_equal(out[3], 0xffffff);
	assert_int_equal(out[4], 0);
}

TEST(other_depths_are_read_pixel_by_pixel)
{
	uint16_t pixels[] = { 0xf800, 0x07e0, 0x001f, 0xffff };
	uint32_t out[4];
	struct x11_pixels p = { .image = image_of((char *)pixels, 16, 16, 4, 0xf800, 0x07e0, 0x001f) };

	x11_pixels_copy(&p, 2, 2, out, 2);
	for (int i = 0; i < 4; i++)
		assert_int_equal(out[i], pixels[i]);
	assert_int_equal(x11_luminance(p.image, 1, 1), 255);
	assert_int_equal(x11_luminance(p.image, 0, 0), 255 * 77 >> 8);
	assert_int_equal(x11_luminance(p.image, 0, 1), 255 * 29 >> 8);
}
