// SPDX-License-Identifier: GPL-3.0-or-later
/* The decoder against bytes made by hand: what libvncserver does not send, and what no server should. */
#include "vncplay/common/rfb.h"

#include <errno.h>

#include <zlib.h>

#include "../../../../../tests/unit/unit.h"
#include "rfb_between.h"

#define W 8
#define H 4
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define UPDATE(n) 0, 0, (n) >> 8, (n)&255
#define RECT(x, y, w, h) 0, x, 0, y, 0, w, 0, h
#define ENCODING(e) (uint8_t)((uint32_t)(e) >> 24), (uint8_t)((uint32_t)(e) >> 16), (uint8_t)((uint32_t)(e) >> 8), (uint8_t)(e)
#define RED 0, 0, 255, 0 /* rfb_xrgb */
#define GREEN 0, 255, 0, 0
#define BLUE 255, 0, 0, 0

static char told[400]; /* what was told, as words */

static void tell(const char *format, ...)
{
	size_t n = strlen(told);
	va_list more;

	va_start(more, format);
	vsnprintf(told + n, sizeof(told) - n, format, more);
	va_end(more);
}

static void on_update_ended(void *whose)
{
	(void)whose;
	tell(")");
}

static void on_painted(void *whose, struct pixel_area b)
{
	(void)whose;
	tell("%d,%d,%d,%d ", b.x, b.y, b.w, b.h);
}

static void on_resized(void *whose, int width, int height)
{
	(void)whose;
	tell("size %dx%d ", width, height);
}

static void on_cursor_shape(void *whose)
{
	(void)whose;
	tell("shape ");
}

static const struct rfb_event_callbacks events = {
	.ended = on_update_ended, .painted = on_painted, .resized = on_resized, .shape = on_cursor_shape
};

static struct rfb_decoder *opened(const struct rfb_format *format)
{
	struct rfb_decoder *r = rfb_decoder_open(&events, NULL, format, W, H);

	assert_non_null(r);
	told[0] = 0;
	return r;
}

static struct rfb_decoder *after(const struct rfb_format *format, const uint8_t *bytes, size_t n)
{
	struct rfb_decoder *r = opened(format);

	if (rfb_decode_bytes(r, bytes, n))
		fail_msg("%s", rfb_state(r)->why);
	assert_true(rfb_between(r));
	return r;
}

static uint32_t at(const struct rfb_decoder *r, int x, int y)
{
	return rfb_state(r)->screen.pixels[y * rfb_state(r)->screen.width + x];
}

TEST(test_corre)
{
	struct rfb_decoder *r = after(
		&rfb_xrgb, BYTES(UPDATE(1), RECT(1, 1, 6, 3), ENCODING(4), 0, 0, 0, 2, BLUE, RED, 0, 0, 2, 1, GREEN, 5, 2, 1, 1));

	assert_string_equal(told, "1,1,6,3 )");
	assert_int_equal(at(r, 0, 0), 0);
	assert_int_equal(at(r, 1, 1), 0xff0000);
	assert_int_equal(at(r, 2, 1), 0xff0000);
	assert_int_equal(at(r, 3, 1), 0x0000ff);
	assert_int_equal(at(r, 1, 2), 0x0000ff);
	assert_int_equal(at(r, 6, 3), 0x00ff00);
	assert_int_equal(at(r, 7, 3), 0);
	rfb_decoder_free(r);
}

TEST(test_a_raw_pixel_without_its_fourth_byte)
{
	struct rfb_decoder *r = after(&rfb_xrgb, BYTES(UPDATE(1), RECT(2, 0, 2, 1), ENCODING(0), 1, 2, 3, 4, 5, 6, 7, 255));

	assert_int_equal(at(r, 2, 0), 0x030201);
	assert_int_equal(at(r, 3, 0), 0x070605);
	rfb_decoder_free(r);
}

TEST(test_pointer_shape_name_and_text)
{
	struct rfb_decoder *r = after(
		&rfb_xrgb, BYTES(UPDATE(5), RECT(1, 1, 3, 2), ENCODING(-239), 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5,
				 5, 5, 6, 6, 6, 6, 0xe0, 0xe0, RECT(0, 0, 0, 0), ENCODING(-239), /* of no pixel: no shape */
				 RECT(0, 0, 9, 1), ENCODING(-240), 1, 2, 3, 4, 5, 6, 0xff, 0x80, 0xff, 0x80, RECT(7, 3, 0, 0),
				 ENCODING(-232), RECT(0, 0, 0, 0), ENCODING(-307), 0, 0, 0, 3, 'n', 'e', 'w', 2, 3, 0, 0, 0, 0, 0,
				 0, 5, 'h', 'e', 'l', 'l', 'o', 3, 0, 0, 0, ENCODING(-6), 1, 0, 0, 1, 9, 9, 1, 0, 0, 3, 0, 2, 1, 1,
				 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 248, 0, 0, 0, 0, 0, 0, 1, 2, 7, 7, 150, 2));

	assert_string_equal(told, "shape shape )");
	rfb_decoder_free(r);
}

TEST(test_an_update_that_says_which_rectangle_is_its_last)
{
	struct rfb_decoder *r = after(&rfb_xrgb, BYTES(UPDATE(0xffff), RECT(0, 0, 1, 1), ENCODING(0), RED, RECT(1, 0, 1, 1),
						       ENCODING(0), BLUE, RECT(0, 0, 0, 0), ENCODING(-224), 2, UPDATE(0), 2));

	assert_string_equal(told, "0,0,1,1 1,0,1,1 ))");
	rfb_decoder_free(r);
}

TEST(test_sizes_of_the_screen)
{
	struct rfb_decoder *r =
		after(&rfb_xrgb, BYTES(UPDATE(1), RECT(0, 0, 8, 4), ENCODING(2), 0, 0, 0, 0, RED, UPDATE(2), RECT(0, 0, 10, 3),
				       ENCODING(-223), RECT(9, 2, 1, 1), ENCODING(0), BLUE,
				       /* refused to who asked */
				       UPDATE(1), RECT(0, 1, 50, 50), ENCODING(-308), 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 50, 0,
				       50, 0, 0, 0, 0, UPDATE(1), RECT(1, 0, 12, 5), ENCODING(-308), 0, 0, 0, 0));

	assert_string_equal(told, "0,0,8,4 )size 10x3 9,2,1,1 ))size 12x5 )");
	assert_int_equal(rfb_state(r)->screen.width, 12);
	assert_int_equal(rfb_state(r)->screen.height, 5);
	assert_int_equal(at(r, 7, 2), 0xff0000);
	assert_int_equal(at(r, 8, 2), 0);
	assert_int_equal(at(r, 9, 2), 0x0000ff);
	assert_int_equal(at(r, 0, 3), 0);
	rfb_decoder_free(r);
}

TEST(test_a_colour_map)
{
	static const struct rfb_format map = { .bits = 8, .depth = 8 };
	struct rfb_decoder *r =
		after(&map, BYTES(1, 0, 0, 254, 0, 4, 0x12, 0xff, 0x34, 0, 0x56, 0x78, 0xff, 0xff, 0, 0, 0xff, 0xff, 9, 9, 9, 9, 9,
				  9, 9, 9, 9, 9, 9, 9, UPDATE(1), RECT(0, 0, 3, 1), ENCODING(0), 254, 255, 0));

	assert_int_equal(at(r, 0, 0), 0x123456);
	assert_int_equal(at(r, 1, 0), 0xff00ff);
	assert_int_equal(at(r, 2, 0), 0);
	rfb_decoder_free(r);
}

/* 2 x 2 pixels (10,20,5) (12,18,9) / (31,0,0) (30,63,4) of 5, 6 and 5 bits; what each guess lacks was worked out on paper. */
TEST(test_tight_with_a_gradient)
{
	static const struct rfb_format format = { 16, 16, .true_colour = 1, .max = { 31, 63, 31 }, .shift = { 11, 5, 0 } };
	static const unsigned lacks[4][3] = { { 10, 20, 5 }, { 2, 62, 4 }, { 21, 44, 27 }, { 31, 63, 0 } };
	static const unsigned truth[4][3] = { { 10, 20, 5 }, { 12, 18, 9 }, { 31, 0, 0 }, { 30, 63, 4 } };
	uint8_t bytes[] = { UPDATE(1), RECT(3, 1, 2, 2), ENCODING(7), 0x40, 2, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct rfb_decoder *r;

	for (int i = 0; i < 4; i++) {
		unsigned v = lacks[i][0] << 11 | lacks[i][1] << 5 | lacks[i][2];

		bytes[18 + 2 * i] = (uint8_t)v;
		bytes[19 + 2 * i] = (uint8_t)(v >> 8);
	}
	r = after(&format, bytes, sizeof(bytes));
	for (int i = 0; i < 4; i++) {
		uint32_t want = 0;

		for (int k = 0; k < 3; k++)
			want = want << 8 | (uint32_t)(truth[i][k] * 255.0 / (k == 1 ? 63 : 31) + 0.5);
		assert_int_equal(at(r, 3 + i % 2, 1 + i / 2), want);
	}
	rfb_decoder_free(r);
}

/* Fill, a palette of two in bits, of three in bytes, and as they are after NoZlib: three bytes a pixel, red first. */
TEST(test_tight_without_zlib)
{
	struct rfb_decoder *r = after(
		&rfb_xrgb, BYTES(UPDATE(4), RECT(0, 0, 8, 4), ENCODING(7), 0x8f, 1, 2, 3, RECT(0, 0, 3, 2), ENCODING(7), 0x40, 1, 1,
				 255, 0, 0, 0, 0, 255, 0x40, 0xbf, RECT(0, 2, 3, 1), ENCODING(7), 0x50, 1, 2, 9, 0, 0, 0, 9, 0, 0,
				 0, 9, 2, 1, 0, RECT(4, 0, 2, 2), ENCODING(7), 0xa0, 12, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0));
	static const uint32_t want[3][8] = { { 0xff0000, 0x0000ff, 0xff0000, 0x010203, 0x010000, 0x020000, 0x010203, 0x010203 },
					     { 0x0000ff, 0xff0000, 0x0000ff, 0x010203, 0x030000, 0x040000, 0x010203, 0x010203 },
					     { 0x000009, 0x000900, 0x090000, 0x010203, 0x010203, 0x010203, 0x010203, 0x010203 } };

	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 8; x++)
			assert_int_equal(at(r, x, y), want[y][x]);
	rfb_decoder_free(r);
}

TEST(test_a_log_with_a_password)
{
	static const uint8_t bytes[] = {
		"RFB 003.003\n\0\0\0\2cccccccccccccccc\0\0\0\0\0\5\0\3\20\20\1\1\0\37\0\77\0\37\13\5\0\0\0\0\0\0\0\4a\n\033b"
	};
	struct rfb_decoder *r = opened(NULL);

	assert_int_equal(rfb_decode_bytes(r, bytes, sizeof(bytes) - 1), 0);
	assert_true(rfb_state(r)->greeted);
	assert_true(rfb_between(r));
	assert_string_equal(told, "size 5x3 ");
	assert_string_equal(rfb_state(r)->name, "a??b");
	assert_int_equal(r->pixels.format.big_endian, 1);
	assert_int_equal(r->pixels.format.max[1], 63);
	rfb_decoder_free(r);
}

static const struct {
	const char *why; /* a part of it */
	uint8_t bytes[60];
	size_t n;
} wrong[] = {
#define WRONG(why, ...) \
	{ \
		why, { __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }) \
	}
	WRONG("message of unknown type", 77),
	WRONG("encoding", UPDATE(1), RECT(0, 0, 1, 1), ENCODING(99)),
	WRONG("outside of the screen", UPDATE(1), RECT(1, 0, 8, 1), ENCODING(0)),
	WRONG("outside of the screen", UPDATE(1), 255, 255, 0, 0, 255, 255, 0, 1, ENCODING(2)),
	WRONG("outside of the screen", UPDATE(1), RECT(0, 0, 2, 2), ENCODING(1), 0, 7, 0, 0),
	WRONG("outside of its rectangle", UPDATE(1), RECT(0, 0, 2, 2), ENCODING(2), 0, 0, 0, 1, RED, RED, 0, 1, 0, 0, 0, 2, 0, 1),
	WRONG("outside of its rectangle", UPDATE(1), RECT(0, 0, 2, 2), ENCODING(4), 0, 0, 0, 1, RED, RED, 0, 255, 1, 255),
	WRONG("outside of its tile", UPDATE(1), RECT(0, 0, 2, 2), ENCODING(5), 14, RED, BLUE, 1, 0x10, 0x10),
	WRONG("no pixels or too many", UPDATE(1), RECT(0, 0, 0, 5), ENCODING(-223)),
	WRONG("no pixels or too many", UPDATE(1), 0, 0, 0, 0, 255, 255, 255, 255, ENCODING(-308), 0, 0, 0, 0),
	WRONG("too many bytes", UPDATE(1), RECT(0, 0, 2, 2), ENCODING(6), 255, 255, 255, 255),
	WRONG("damaged zlib", UPDATE(1), RECT(0, 0, 1, 1), ENCODING(6), 0, 0, 0, 4, 1, 2, 3, 4),
	WRONG("too few bytes", UPDATE(1), RECT(0, 0, 1, 1), ENCODING(6), 0, 0, 0, 0),
	WRONG("too few bytes", UPDATE(1), RECT(0, 0, 1, 1), ENCODING(16), 0, 0, 0, 2, 0x78, 0x9c),
	WRONG("kind of Tight", UPDATE(1), RECT(0, 0, 1, 1), ENCODING(7), 0xc0),
	WRONG("filter of Tight", UPDATE(1), RECT(0, 0, 1, 1), ENCODING(7), 0x40, 3),
	WRONG("palette", UPDATE(1), RECT(0, 0, 1, 1), ENCODING(7), 0x40, 1, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3),
	WRONG("JPEG", UPDATE(1), RECT(0, 0, 1, 1), ENCODING(7), 0x90, 3, 0xff, 0xd8, 0xff),
	WRONG("JPEG", UPDATE(1), RECT(0, 0, 1, 1), ENCODING(7), 0x90, 0),
	WRONG("too many bytes", UPDATE(1), RECT(0, 0, 2, 2), ENCODING(7), 0xa0, 13, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5),
};

TEST(test_what_no_server_should_say)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		for (int whole = 0; whole < 2; whole++) {
			struct rfb_decoder *r = opened(&rfb_xrgb);
			int err = 0;

			for (size_t k = 0; k < (whole ? 1 : wrong[i].n) && !err; k++)
				err = rfb_decode_bytes(r, wrong[i].bytes + k, whole ? wrong[i].n : 1);
			if (err != -EPROTO || !strstr(rfb_state(r)->why, wrong[i].why))
				fail_msg("number %zu: %d, %s instead of %s", i, err, rfb_state(r)->why, wrong[i].why);
			assert_int_equal(rfb_decode_bytes(r, (const uint8_t *)"\2", 1), -EPROTO); /* for good */
			rfb_decoder_free(r);
		}
}

/* A megabyte of nothing in a thousand bytes, for one pixel. */
TEST(test_more_than_the_rectangle_takes)
{
	static const uint8_t nothing[1 << 20], encodings[] = { 6, 16 };
	uint8_t bytes[4 + 12 + 4 + 2000] = { UPDATE(1), RECT(0, 0, 1, 1) };

	for (size_t i = 0; i < sizeof(encodings); i++) {
		struct rfb_decoder *r = opened(&rfb_xrgb);
		uLongf n = 2000;

		assert_int_equal(compress2(bytes + 20, &n, nothing, sizeof(nothing), 9), Z_OK);
		bytes[15] = encodings[i];
		bytes[18] = (uint8_t)(n >> 8);
		bytes[19] = (uint8_t)n;
		assert_int_equal(rfb_decode_bytes(r, bytes, 20 + n), -EPROTO);
		assert_non_null(strstr(rfb_state(r)->why, "too many bytes"));
		rfb_decoder_free(r);
	}
}

TEST(test_greetings_and_formats_that_are_refused)
{
	static const char *const greetings[] = { "HTTP/1.1 200 OK\r\n\r\n", "RFB 003.003\n\0\0\0\0", "RFB 003.008\n\1\1\0\0",
						 "RFB 003.003\n\0\0\0\1\0\0\0\5\40",
						 "RFB 003.003\n\0\0\0\2cccccccccccccccc\0\0\0\1" };
	static const size_t lengths[] = { 19, 16, 16, 40, 36 };
	struct rfb_format f;
	uint8_t bytes[40] = { 0 };

	for (int i = 0; i < 5; i++) {
		struct rfb_decoder *r = opened(NULL);

		memcpy(bytes, greetings[i], i == 3 ? 21 : lengths[i]);
		assert_int_equal(rfb_decode_bytes(r, bytes, lengths[i]), -EPROTO);
		assert_false(rfb_state(r)->greeted);
		assert_true(strlen(rfb_state(r)->why) > 0);
		rfb_decoder_free(r);
	}
	for (int i = 0; i < 6; i++) {
		f = rfb_xrgb;
		f.bits = i == 0 ? 24 : i == 1 ? 16 : 32;
		f.max[0] = i == 2 ? 0 : 255;
		f.shift[0] = i == 3 ? 32 : i == 4 ? 25 : 16;
		f.true_colour = i != 5;
		errno = 0;
		assert_null(rfb_decoder_open(&events, NULL, &f, W, H));
		assert_int_equal(errno, EINVAL);
	}
	assert_null(rfb_decoder_open(&events, NULL, &rfb_xrgb, 20000, 1));
	assert_null(rfb_decoder_open(&events, NULL, &rfb_xrgb, 0, 1));
	assert_null(rfb_decoder_open(&events, NULL, &rfb_xrgb, 16384, 16384));
}
