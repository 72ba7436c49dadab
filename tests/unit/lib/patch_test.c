// SPDX-License-Identifier: GPL-3.0-or-later
/* The patch against a painter of this test's own: noise, blur, coarse coding, half scale; and what is no patch. */
#include "patch.h"

#include <math.h>
#include "../unit.h"

#define W 320
#define H 240

struct canvas {
	int width, height;
	uint8_t grey[W * H];
};

static uint64_t seed_state = 0x9e3779b97f4a7c15u;

static uint32_t draw(uint32_t below)
{
	seed_state ^= seed_state << 13;
	seed_state ^= seed_state >> 7;
	seed_state ^= seed_state << 17;
	return (uint32_t)((seed_state >> 32) * below >> 32);
}

static int luminance(const void *pixels, int x, int y)
{
	const struct canvas *c = pixels;

	assert_true(x >= 0 && x < c->width && y >= 0 && y < c->height); /* never looks outside */
	return c->grey[y * W + x];
}

static struct patch_image image_of(const struct canvas *c)
{
	return (struct patch_image){ c->width, c->height, luminance, c };
}

static void ground(struct canvas *c, uint8_t value)
{
	c->width = W;
	c->height = H;
	memset(c->grey, value, sizeof(c->grey));
}

static void paint(struct canvas *c, uint32_t number, int left, int top, int cell, uint8_t black, uint8_t white)
{
	struct patch_cells cells;

	patch_encode(number, &cells);
	for (int y = 0; y < PATCH_ROWS * cell; y++)
		for (int x = 0; x < PATCH_COLUMNS * cell; x++)
			c->grey[(top + y) * W + left + x] = cells.white[y / cell][x / cell] ? white : black;
}

static uint8_t clamp(double v)
{
	return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : lround(v));
}

static void add_noise(struct canvas *c, int amplitude)
{
	for (int i = 0; i < W * H; i++)
		c->grey[i] = clamp((double)c->grey[i] + (double)draw(2u * (uint32_t)amplitude + 1) - amplitude);
}

static void blur(struct canvas *c)
{
	static const int weight[3] = { 1, 2, 1 };
	struct canvas before = *c;

	for (int y = 1; y < c->height - 1; y++) {
		for (int x = 1; x < c->width - 1; x++) {
			int sum = 0;

			for (int i = 0; i < 9; i++)
				sum += before.grey[(y + i / 3 - 1) * W + x + i % 3 - 1] * weight[i / 3] * weight[i % 3];
			c->grey[y * W + x] = (uint8_t)((sum + 8) / 16);
		}
	}
}

/* What JPEG does to grey: 8 x 8 blocks through a cosine transform, coefficients rounded to steps (the luminance table of
 * ITU-T T.81 Annex K.1, scaled as libjpeg does for `quality`), and back. */
static void jpeg(struct canvas *c, int quality)
{
	static const int table[64] = {
		16, 11,	 10,  16, 24, 40, 51, 61, 12,  12,  14,	 19,  26, 58, 60, 55,  14,  13,	 16,  24, 40, 57,
		69, 56,	 14,  17, 22, 29, 51, 87, 80,  62,  18,	 22,  37, 56, 68, 109, 103, 77,	 24,  35, 55, 64,
		81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98,  112, 100, 103, 99,
	};
	double scale = quality < 50 ? 5000.0 / quality : 200 - 2.0 * quality, basis[8][8];

	for (int u = 0; u < 8; u++)
		for (int x = 0; x < 8; x++)
			basis[u][x] = (u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * M_PI / 16);
	for (int top = 0; top + 8 <= c->height; top += 8) {
		for (int left = 0; left + 8 <= c->width; left += 8) {
			double coded[64];

			for (int i = 0; i < 64; i++) {
				double step = fmax(1, floor((table[i] * scale + 50) / 100)), sum = 0;

				for (int p = 0; p < 64; p++)
					sum += basis[i / 8][p / 8] * basis[i % 8][p % 8] *
					       (c->grey[(top + p / 8) * W + left + p % 8] - 128);
				coded[i] = step * round(sum / step);
			}
			for (int p = 0; p < 64; p++) {
				double sum = 128;

				for (int i = 0; i < 64; i++)
					sum += basis[i / 8][p / 8] * basis[i % 8][p % 8] * coded[i];
				c->grey[(top + p / 8) * W + left + p % 8] = clamp(sum);
			}
		}
	}
}

static void half(struct canvas *c)
{
	struct canvas before = *c;

	c->width /= 2;
	c->height /= 2;
	for (int y = 0; y < c->height; y++)
		for (int x = 0; x < c->width; x++)
			c->grey[y * W + x] =
				(uint8_t)((before.grey[2 * y * W + 2 * x] + before.grey[2 * y * W + 2 * x + 1] +
					   before.grey[(2 * y + 1) * W + 2 * x] + before.grey[(2 * y + 1) * W + 2 * x + 1] + 2) /
					  4);
}

static void assert_found(const struct canvas *c, uint32_t number, double x, double y, double cell)
{
	struct patch_image image = image_of(c);
	struct patch_place at = { 0 };
	uint32_t got = ~number;

	assert_true(patch_find(&image, 3, 16, &at, &got));
	assert_int_equal(got, number);
	assert_true(fabs(at.x - x) <= 1.5 && fabs(at.y - y) <= 1.5);
	assert_true(fabs(at.cell - cell) < 0.08 * cell);
	assert_true(patch_read(&image, &at, &got));
	assert_int_equal(got, number);
}

TEST(crc_has_the_published_check_value)
{
	assert_int_equal(patch_crc16("123456789", 9), 0x29b1); /* RevEng catalogue, CRC-16/IBM-3740 */
	assert_int_equal(patch_crc16("", 0), 0xffff);
}

TEST(layout_is_as_documented)
{
	/* Number 1: rows are 4e | a6^00 59^00 c5^01 | crc, worked out with Python's binascii.crc_hqx(b"\0\0\1", 0xffff) = dcbd */
	static const uint8_t rows[PATCH_ROWS] = { 0x4e, 0xa6, 0x59, 0xc4, 0xdc ^ 0x3a, 0xbd ^ 0x95 };
	struct patch_cells cells;

	patch_encode(1, &cells);
	for (int r = 0; r < PATCH_ROWS; r++)
		for (int c = 0; c < PATCH_COLUMNS; c++)
			assert_int_equal(cells.white[r][c], rows[r] >> (7 - c) & 1);
}

TEST(every_number_comes_back)
{
	static struct canvas c;
	struct patch_image image = image_of(&c);
	struct patch_place at = { 5, 3, 4 };
	uint32_t got;

	ground(&c, 255);
	image = image_of(&c);
	for (uint32_t n = 0; n <= PATCH_NUMBER_MAX; n = n * 9 / 8 + 1) {
		paint(&c, n, at.x, at.y, 4, 0, 255);
		assert_true(patch_read(&image, &at, &got));
		assert_int_equal(got, n);
	}
	paint(&c, PATCH_NUMBER_MAX, at.x, at.y, 4, 0, 255);
	assert_true(patch_read(&image, &at, &got));
	assert_int_equal(got, PATCH_NUMBER_MAX);
}

TEST(found_anywhere_on_any_ground)
{
	static struct canvas c;
	static const uint8_t grounds[] = { 0, 255, 128, 40 };

	for (int i = 0; i < 24; i++) {
		int cell = 3 + (int)draw(13), x = (int)draw((uint32_t)(W - 8 * cell + 1)),
		    y = (int)draw((uint32_t)(H - 6 * cell + 1));
		uint32_t n = draw(1u << 24);

		ground(&c, grounds[i % 4]);
		paint(&c, n, x, y, cell, 0, 255);
		assert_found(&c, n, x, y, cell);
	}
	/* in the corners */
	for (int i = 0; i < 4; i++) {
		ground(&c, 255);
		paint(&c, 77, i % 2 ? W - 64 : 0, i / 2 ? H - 48 : 0, 8, 0, 255);
		assert_found(&c, 77, i % 2 ? W - 64 : 0, i / 2 ? H - 48 : 0, 8);
	}
}

TEST(found_where_contrast_is_low)
{
	static struct canvas c;

	ground(&c, 90);
	paint(&c, 4711, 31, 57, 8, 70, 120);
	assert_found(&c, 4711, 31, 57, 8);
}

TEST(survives_noise_blur_and_coarse_coding)
{
	static struct canvas c;

	for (int i = 0; i < 16; i++) {
		int cell = i % 2 ? 8 : 6, x = 8 + (int)draw(100), y = 8 + (int)draw(100);
		uint32_t n = draw(1u << 24);

		ground(&c, 191);
		paint(&c, n, x, y, cell, 64, 191);
		add_noise(&c, 63);
		if (i % 4 >= 2)
			blur(&c);
		jpeg(&c, i < 8 ? 15 : 30);
		assert_found(&c, n, x, y, cell);
	}
}

TEST(survives_half_scale)
{
	static struct canvas c;

	for (int i = 0; i < 16; i++) {
		int x = (int)draw(200), y = (int)draw(180);
		uint32_t n = draw(1u << 24);

		ground(&c, 191);
		paint(&c, n, x, y, 8, 64, 191);
		add_noise(&c, 63);
		half(&c);
		if (i % 2)
			jpeg(&c, 40);
		assert_found(&c, n, x / 2.0, y / 2.0, 4);
	}
}

/* Between two numbers, some rows show the one and some the other: never a third. */
TEST(torn_is_not_read)
{
	static struct canvas c;
	struct patch_place at = { 8, 8, 8 };
	struct patch_image image;
	uint32_t got;

	ground(&c, 255);
	image = image_of(&c);
	for (uint32_t n = 1; n < 600; n++) {
		int torn = 8 + 8 * (2 + (int)draw(4)); /* below the marker and a row of number, above the end of the CRC */

		paint(&c, n - 1, 8, 8, 8, 0, 255);
		struct canvas before = c;

		paint(&c, n, 8, 8, 8, 0, 255);
		memcpy(c.grey + torn * W, before.grey + torn * W, (size_t)(H - torn) * W);
		if (patch_read(&image, &at, &got))
			assert_true(got == n || got == n - 1);
	}
}

TEST(wrong_place_is_not_read)
{
	static struct canvas c;
	const struct patch_place bad[] = { { 8, 20, 8 },     { 16, 8, 8 },     { -1, 8, 8 }, { 8, -5, 8 },
					   { W - 20, 8, 8 }, { 8, H - 20, 8 }, { 8, 8, 16 }, { 8, 8, 4 },
					   { 8, 8, 0 },	     { 8, 8, -3 },     { 8, 8, NAN } };
	struct patch_image image;
	uint32_t got;

	ground(&c, 255);
	paint(&c, 1234, 8, 8, 8, 0, 255);
	image = image_of(&c);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(patch_read(&image, &bad[i], &got));
}

/* Not one false patch in a million places of noise; fine, coarse, and of two colours. */
TEST(noise_is_no_patch)
{
	static struct canvas c;
	struct patch_image image;
	struct patch_place at;
	uint32_t got;

	for (int i = 0; i < 12; i++) {
		int grain = i % 3 == 0 ? 1 : i % 3 == 1 ? 3 : 8;

		c.width = W;
		c.height = H;
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				c.grey[y * W + x] = x % grain	? c.grey[y * W + x - 1]
						    : y % grain ? c.grey[(y - 1) * W + x]
								: (uint8_t)(i % 2 ? draw(256) : draw(2) * 255);
		image = image_of(&c);
		assert_false(patch_find(&image, 3, 16, &at, &got));
	}
}

TEST(flat_and_tiny_pictures_are_no_patch)
{
	static struct canvas c;
	struct patch_image image;
	struct patch_place at;
	uint32_t got;

	ground(&c, 0);
	image = image_of(&c);
	assert_false(patch_find(&image, 3, 16, &at, &got));
	for (int x = 0; x < W * H; x++)
		c.grey[x] = (uint8_t)(x % W * 255 / W);
	assert_false(patch_find(&image, 3, 16, &at, &got));
	for (int n = 0; n < 30; n++) {
		c.width = n;
		c.height = 30 - n;
		image = image_of(&c);
		assert_false(patch_find(&image, 1, 16, &at, &got));
	}
}
