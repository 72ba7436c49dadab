// SPDX-License-Identifier: GPL-3.0-or-later
/* The decoder against libvncserver's encoders: every encoding in several formats of pixels, and the
 * same bytes in pieces of any size. */
#include "vncplay/common/rfb.h"

#define BEFORE_ALL start_server
#define AFTER_ALL stop_server
#include "../../../../../tests/unit/unit.h"
#include "rfb_between.h"
#include "rfb_server.h"

static pid_t server;
static int port;

struct seen {
	int updates, painted, shapes, resized;
	struct box around;
};

static void on_update_ended(void *whose)
{
	((struct seen *)whose)->updates++;
}

static void on_painted(void *whose, struct box b)
{
	struct seen *s = whose;

	s->painted++;
	s->around = box_join(s->around, b);
}

static void on_cursor_shape(void *whose)
{
	((struct seen *)whose)->shapes++;
}

static void on_resized(void *whose, int width, int height)
{
	assert_true(width > 0 && height > 0);
	((struct seen *)whose)->resized++;
}

static const struct rfb_event_callbacks events = {
	.ended = on_update_ended, .painted = on_painted, .shape = on_cursor_shape, .resized = on_resized
};

static const struct {
	const char *name;
	struct rfb_format format;
} formats[] = {
	{ "xrgb", { 32, 24, 0, 1, 255, 255, 255, 16, 8, 0 } },
	{ "xrgb, big endian", { 32, 24, 1, 1, 255, 255, 255, 16, 8, 0 } },
	{ "xbgr", { 32, 24, 0, 1, 255, 255, 255, 0, 8, 16 } },
	{ "rgbx", { 32, 24, 0, 1, 255, 255, 255, 24, 16, 8 } },
	{ "rgbx, big endian", { 32, 24, 1, 1, 255, 255, 255, 24, 16, 8 } },
	{ "rgbx, seven bits of red", { 32, 23, 0, 1, 127, 255, 255, 24, 16, 8 } },
	{ "rgbx, seven bits of red, big endian", { 32, 23, 1, 1, 127, 255, 255, 24, 16, 8 } },
	{ "ten bits each", { 32, 30, 0, 1, 1023, 1023, 1023, 20, 10, 0 } },
	{ "565", { 16, 16, 0, 1, 31, 63, 31, 11, 5, 0 } },
	{ "565, big endian", { 16, 16, 1, 1, 31, 63, 31, 11, 5, 0 } },
	{ "555", { 16, 15, 0, 1, 31, 31, 31, 0, 5, 10 } },
	{ "233", { 8, 8, 0, 1, 7, 7, 3, 0, 3, 6 } },
	{ "a map", { 8, 8, 0, 0, 7, 7, 3, 0, 3, 6 } }, /* libvncserver gives the map of 233 */
};
#define FORMATS (sizeof(formats) / sizeof(*formats))

/* What a colour of the server is after it went through so few bits: to the nearest step, and back. */
static uint32_t through(uint32_t colour, const struct rfb_format *f)
{
	const unsigned max[3] = { f->red_max, f->green_max, f->blue_max };
	uint32_t out = 0;

	for (int i = 0; i < 3; i++) {
		unsigned step = ((colour >> (16 - 8 * i) & 255) * max[i] + 127) / 255;

		out = out << 8 | (uint32_t)((double)step * 255 / max[i] + 0.5);
	}
	return out;
}

static int difference(uint32_t a, uint32_t b)
{
	int most = 0;

	for (int i = 0; i < 24; i += 8) {
		int d = abs((int)(a >> i & 255) - (int)(b >> i & 255));

		most = d > most ? d : most;
	}
	return most;
}

/* The largest difference of a colour; the mean in *mean. */
static int differs(const struct screen *s, const uint32_t *truth, const struct rfb_format *f, double *mean)
{
	int most = 0;
	double sum = 0;

	for (int i = 0; i < s->width * s->height; i++) {
		int d = difference(s->pixels[i], through(truth[i], f));

		assert_int_equal(s->pixels[i] >> 24, 0);
		most = d > most ? d : most;
		sum += d;
	}
	if (mean)
		*mean = sum / (s->width * s->height);
	return most;
}

static void wait_for(int fd, struct rfb_decoder *r, struct heard *all, const struct seen *seen, int updates)
{
	while (seen->updates < updates || !rfb_between(r))
		client_read(fd, r, all);
}

/* The same bytes again, in pieces of at most `most`: the same screen, and the same was told. */
static void again(const struct rfb_decoder *whole, const struct seen *told, const struct heard *all, const struct rfb_format *f,
		  int width, int height, size_t most)
{
	struct seen seen = { 0 };
	struct rfb_decoder *r = rfb_decoder_open(&events, &seen, f, width, height);
	uint32_t dice = (uint32_t)most;
	size_t now;

	for (size_t at = 0; at < all->n; at += now) {
		uint8_t *piece; /* of exactly so many bytes: what reads beyond is caught */

		dice = shuffled(dice + 1);
		now = 1 + dice % most;
		now = now < all->n - at ? now : all->n - at;
		piece = malloc(now);
		memcpy(piece, all->bytes + at, now);
		if (rfb_decode_bytes(r, piece, now))
			fail_msg("%s, in pieces up to %zu, at %zu", rfb_failure_text(r), most, at);
		free(piece);
	}
	assert_true(rfb_between(r));
	assert_int_equal(rfb_screen(r)->width, rfb_screen(whole)->width);
	assert_memory_equal(rfb_screen(r)->pixels, rfb_screen(whole)->pixels,
			    (size_t)(rfb_screen(r)->width * rfb_screen(r)->height) * 4);
	assert_memory_equal(&seen, told, sizeof(seen));
	rfb_decoder_free(r);
}

/* A whole picture, a copy within it, a block painted anew; each must be what the server has. */
static void session(const char *name, const int32_t *encodings, int n, const struct rfb_format *f, bool deep, int most)
{
	uint32_t *truth = malloc(WIDTH * HEIGHT * 4);
	uint8_t greeting[256];
	struct heard all = { .name = name };
	struct seen seen = { 0 };
	struct rfb_decoder *r;
	double mean;
	int fd, worst;

	paint(truth, WIDTH, (struct box){ 0, 0, WIDTH, HEIGHT }, 0);
	client_greet(port, &fd, greeting);
	client_format(fd, f);
	client_encodings(fd, encodings, n);
	r = rfb_decoder_open(&events, &seen, f, WIDTH, HEIGHT);
	assert_non_null(r);
	client_ask(fd, false, WIDTH, HEIGHT);
	wait_for(fd, r, &all, &seen, 1);
	worst = differs(rfb_screen(r), truth, f, &mean);
	if (worst > most || mean > 1 + most / 16.0)
		fail_msg("%s: the picture differs by up to %d, %g on the mean", name, worst, mean);
	assert_true(seen.around.x == 0 && seen.around.y == 0 && seen.around.w == WIDTH && seen.around.h == HEIGHT);
	for (int i = 0; i < 2; i++) {
		client_press(fd, "cp"[i]);
		client_ask(fd, true, WIDTH, HEIGHT);
		wait_for(fd, r, &all, &seen, seen.updates + 1);
	}
	copy_block(truth, WIDTH);
	paint(truth, WIDTH, BLOCK, 7);
	worst = differs(rfb_screen(r), truth, f, &mean);
	if (worst > most || mean > 1 + most / 16.0)
		fail_msg("%s: after a copy and a block it differs by up to %d, %g on the mean", name, worst, mean);
	assert_int_equal(rfb_updates(r), seen.updates);
	again(r, &seen, &all, f, WIDTH, HEIGHT, 1 + all.n / 10);
	again(r, &seen, &all, f, WIDTH, HEIGHT, 300);
	if (deep)
		again(r, &seen, &all, f, WIDTH, HEIGHT, 1);
	rfb_decoder_free(r);
	free(all.bytes);
	free(truth);
	close(fd);
	script_stop(server); /* its picture is another one now */
	server = script_start(&port);
}

static const int32_t lossless[] = { rfbEncodingRaw,  rfbEncodingRRE,   rfbEncodingCoRRE, rfbEncodingHextile,
				    rfbEncodingZlib, rfbEncodingTight, rfbEncodingZRLE };

TEST(test_every_encoding_in_every_format)
{
	static const char *const names[] = { "raw", "rre", "corre", "hextile", "zlib", "tight", "zrle" };

	for (size_t e = 0; e < sizeof(lossless) / sizeof(*lossless); e++)
		for (size_t i = 0; i < FORMATS; i++) {
			int32_t encodings[] = { lossless[e], rfbEncodingCopyRect, (int32_t)rfbEncodingLastRect,
						(int32_t)(i % 2 ? rfbEncodingXCursor : rfbEncodingRichCursor) };
			char name[80];

			/* libvncserver 0.9.14 takes 255 << 24 for less than 1 << 24, and leaves the red byte out (seven bits show these bytes); of
			 * raw tiles of 15 bits it writes 15 / 8 = 1 byte a pixel. */
			if (lossless[e] == rfbEncodingZRLE &&
			    (formats[i].format.depth == 15 ||
			     (formats[i].format.red_max == 255 && formats[i].format.red_shift == 24)))
				continue;
			snprintf(name, sizeof(name), "%s, %s", names[e], formats[i].name);
			session(name, encodings, 4, &formats[i].format, i == 0 || formats[i].format.bits == 16,
				formats[i].format.red_max == 255 ? 0 : 1);
		}
}

/* JPEG: near, and on the mean nearer. */
TEST(test_tight_with_jpeg)
{
	int32_t encodings[] = { rfbEncodingTight, rfbEncodingCopyRect, (int32_t)rfbEncodingQualityLevel0 + 9,
				(int32_t)rfbEncodingRichCursor };

	session("tight, jpeg", encodings, 4, &rfb_xrgb, true, 140); /* of the noise, whose colours JPEG keeps at half the size */
}

TEST(test_tight_of_each_compression)
{
	for (int32_t level = 0; level < 10; level += 3) {
		int32_t encodings[] = { rfbEncodingTight, rfbEncodingCopyRect, (int32_t)rfbEncodingCompressLevel0 + level,
					(int32_t)rfbEncodingRichCursor };

		session("tight, compression", encodings, 4, &rfb_xrgb, true, 0);
	}
}

/* The greeting as it came, a bell and a text, a pointer's shape, another size of the screen. */
TEST(test_a_session_with_all_else)
{
	static const int32_t encodings[] = { rfbEncodingHextile, rfbEncodingCopyRect, (int32_t)rfbEncodingXCursor,
					     (int32_t)rfbEncodingNewFBSize, (int32_t)rfbEncodingLastRect };
	uint32_t *truth = malloc(150 * 210 * 4);
	struct heard all = { .name = "all else" };
	struct seen seen = { 0 };
	struct rfb_decoder *r = rfb_decoder_open(&events, &seen, NULL, 0, 0);
	uint8_t greeting[256];
	size_t n;
	int fd;

	n = client_greet(port, &fd, greeting);
	client_encodings(fd, encodings, 5);
	for (size_t i = 0; i < n; i++) {
		assert_false(rfb_greeting_is_complete(r));
		assert_int_equal(rfb_decode_bytes(r, greeting + i, 1), 0);
	}
	assert_true(rfb_greeting_is_complete(r));
	assert_true(rfb_between(r));
	assert_string_equal(rfb_desktop_name(r), "scripted");
	assert_int_equal(rfb_screen(r)->width, WIDTH);
	assert_int_equal(rfb_screen(r)->height, HEIGHT);
	assert_int_equal(r->pixels.format.bits, 32);
	assert_int_equal(r->pixels.format.blue_shift, 16);
	assert_int_equal(r->pixels.format.blue_max, 255);
	assert_int_equal(seen.resized, 1);
	assert_int_equal(rfb_resizes(r), 1);
	client_ask(fd, false, WIDTH, HEIGHT);
	wait_for(fd, r, &all, &seen, 1);
	assert_int_equal(seen.shapes, 1);
	n = all.n;
	client_press(fd, 'b');
	while (all.n == n || !rfb_between(r))
		client_read(fd, r, &all);
	client_press(fd, 's');
	client_ask(fd, true, WIDTH, HEIGHT);
	while (seen.shapes < 2 || !rfb_between(r))
		client_read(fd, r, &all);
	client_press(fd, 'r');
	client_ask(fd, true, WIDTH, HEIGHT);
	while (seen.resized < 2 || !rfb_between(r))
		client_read(fd, r, &all);
	client_ask(fd, false, 150, 210);
	wait_for(fd, r, &all, &seen, seen.updates + 1);
	paint(truth, 150, (struct box){ 0, 0, 150, 210 }, 3);
	assert_int_equal(rfb_screen(r)->width, 150);
	assert_int_equal(rfb_screen(r)->height, 210);
	assert_int_equal(differs(rfb_screen(r), truth, &rfb_xrgb, NULL), 0);
	rfb_decoder_free(r);
	free(all.bytes);
	free(truth);
	close(fd);
	script_stop(server);
	server = script_start(&port);
}

static int start_server(void **state)
{
	(void)state;
	server = script_start(&port);
	return 0;
}

static int stop_server(void **state)
{
	(void)state;
	script_stop(server);
	return 0;
}
