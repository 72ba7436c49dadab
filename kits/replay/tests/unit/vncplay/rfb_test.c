// SPDX-License-Identifier: GPL-3.0-or-later
/* The decoder against libvncserver's encoders: every encoding in several formats of pixels, and the
 * same bytes in pieces of any size. */
#include "rfb_between.h"
#include "rfb/messages.h"
#include "../../../../../tests/unit/unit.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rfb/rfb.h>

/* --- a server of libvncserver in this process, and a client that only asks and reads bytes --- */

enum { WIDTH = 203, HEIGHT = 157 };
#define BLOCK ((struct pixel_area){ 11, 90, 77, 41 })

static uint32_t shuffled(uint32_t n)
{
	n ^= n >> 16;
	n *= 0x7feb352du;
	n ^= n >> 15;
	n *= 0x846ca68bu;
	return n ^ n >> 16;
}

/* Parts of every kind that an encoder knows: plain, of two, few and many colours, runs, a slope, noise. */
static uint32_t picture(int x, int y, uint32_t seed)
{
	static const uint32_t few[] = { 0x102030, 0xffffff, 0xc00000, 0x00c000, 0x0000c0, 0xc0c000,
					0x808080, 0x00c0c0, 0xff8000, 0x80ff00, 0x8000ff };
	uint32_t u = (uint32_t)x, v = (uint32_t)y, n = shuffled(u + 1000 * v + 1000000 * seed);

	switch (y / 26) {
	case 0: return x < 120 ? 0x4060a0 : x < 150 ? 0xf0f0f0 : 0x000000;
	case 1: return (n & 3) == 0 ? 0xffffff : 0x203040;
	case 2: return few[x < 100 ? n % 5 : n % 11];
	case 3: return few[(u / 9 + v / 7 + seed) % 11];
	case 4:
		return x < 100 ? 0x010101u * (shuffled(n) % 90) + 0x300000
			       : (u & 255) << 16 | (v * 3 & 255) << 8 | ((u + v) / 2 & 255);
	default: return x < 140 ? n & 0xffffff : (u & 255) << 16 | (v & 255) << 8 | 0x40;
	}
}

static uint32_t truth[WIDTH * HEIGHT]; /* what the server shows, 0x00RRGGBB */
static rfbScreenInfoPtr screen;
static rfbClientPtr peer; /* the client, as the server knows it */
static int ends[2];	  /* of the server and the client */

static void paint(int width, struct pixel_area b, uint32_t seed)
{
	for (int y = b.y; y < b.y + b.h; y++)
		for (int x = b.x; x < b.x + b.w; x++)
			truth[y * width + x] = picture(x, y, seed);
	rfbMarkRectAsModified(screen, b.x, b.y, b.x + b.w, b.y + b.h);
}

static void log_nothing(const char *format, ...)
{
	(void)format;
}

/* The server reads all that the client has said, and answers. */
static void run_server(void)
{
	struct pollfd p = { .fd = ends[0], .events = POLLIN };

	while (poll(&p, 1, 0) == 1)
		rfbProcessClientMessage(peer);
	rfbUpdateClient(peer);
}

static void say(const void *bytes, size_t n)
{
	assert_int_equal(send(ends[1], bytes, n, MSG_NOSIGNAL), n);
}

static void start_server(void)
{
	rfbLog = rfbErr = log_nothing;
	screen = rfbGetScreen(NULL, NULL, WIDTH, HEIGHT, 8, 3, 4);
	screen->serverFormat.redShift = 16;
	screen->serverFormat.greenShift = 8;
	screen->serverFormat.blueShift = 0;
	screen->frameBuffer = (char *)truth;
	screen->deferUpdateTime = 0;
	screen->desktopName = "scripted";
	paint(WIDTH, (struct pixel_area){ 0, 0, WIDTH, HEIGHT }, 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &(int){ 1 << 20 }, sizeof(int)), 0);
	say("RFB 003.003\n\1", 13);
	peer = rfbNewClient(screen, ends[0]);
	assert_non_null(peer);
	run_server();
}

static void stop_server(void)
{
	rfbCloseClient(peer);
	rfbClientConnectionGone(peer);
	rfbScreenCleanup(screen);
	close(ends[1]);
}

static void say_format(const struct rfb_format *f)
{
	uint8_t m[20] = { 0, 0, 0, 0, f->bits, f->depth, f->big_endian, f->true_colour };

	for (int i = 0; i < 3; i++) {
		bytes_put_u16(m + 8 + 2 * i, f->max[i]);
		m[14 + i] = f->shift[i];
	}
	say(m, sizeof(m));
}

static void say_encodings(const int32_t *encodings, int n)
{
	uint8_t message[4 + 4 * 20];

	say(message, messages_put_encodings(message, encodings, n, NULL, 0));
}

static struct {
	uint8_t bytes[1 << 20];
	size_t n;
} all; /* what the server said */

/* Takes what the server says now. */
static void hear(void)
{
	ssize_t n;

	run_server();
	while ((n = recv(ends[1], all.bytes + all.n, sizeof(all.bytes) - all.n, MSG_DONTWAIT)) > 0)
		all.n += (size_t)n;
}

/* Asks for an update, and takes it. */
static void ask(bool incremental, int width, int height)
{
	uint8_t message[MESSAGES_MOST];

	say(message, messages_put_update_request(message, incremental, width, height));
	hear();
}

/* --- the decoder --- */

struct seen {
	int updates, painted, shapes, resized;
	struct pixel_area around;
};

static void on_update_ended(void *whose)
{
	((struct seen *)whose)->updates++;
}

static void on_painted(void *whose, struct pixel_area b)
{
	struct seen *s = whose;

	s->painted++;
	area_include(&s->around, &b);
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
	{ "xrgb", { 32, 24, 0, 1, { 255, 255, 255 }, { 16, 8, 0 } } },
	{ "xrgb, big endian", { 32, 24, 1, 1, { 255, 255, 255 }, { 16, 8, 0 } } },
	{ "xbgr", { 32, 24, 0, 1, { 255, 255, 255 }, { 0, 8, 16 } } },
	{ "rgbx", { 32, 24, 0, 1, { 255, 255, 255 }, { 24, 16, 8 } } },
	{ "rgbx, big endian", { 32, 24, 1, 1, { 255, 255, 255 }, { 24, 16, 8 } } },
	{ "rgbx, seven bits of red", { 32, 23, 0, 1, { 127, 255, 255 }, { 24, 16, 8 } } },
	{ "rgbx, seven bits of red, big endian", { 32, 23, 1, 1, { 127, 255, 255 }, { 24, 16, 8 } } },
	{ "ten bits each", { 32, 30, 0, 1, { 1023, 1023, 1023 }, { 20, 10, 0 } } },
	{ "565", { 16, 16, 0, 1, { 31, 63, 31 }, { 11, 5, 0 } } },
	{ "565, big endian", { 16, 16, 1, 1, { 31, 63, 31 }, { 11, 5, 0 } } },
	{ "555", { 16, 15, 0, 1, { 31, 31, 31 }, { 0, 5, 10 } } },
	{ "233", { 8, 8, 0, 1, { 7, 7, 3 }, { 0, 3, 6 } } },
	{ "a map", { 8, 8, 0, 0, { 7, 7, 3 }, { 0, 3, 6 } } }, /* libvncserver gives the map of 233 */
};
#define FORMATS (sizeof(formats) / sizeof(*formats))

/* What a colour of the server is after it went through so few bits: to the nearest step, and back. */
static uint32_t through(uint32_t colour, const struct rfb_format *f)
{
	uint32_t out = 0;

	for (int i = 0; i < 3; i++) {
		unsigned step = ((colour >> (16 - 8 * i) & 255) * f->max[i] + 127) / 255;

		out = out << 8 | (uint32_t)((double)step * 255 / f->max[i] + 0.5);
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
static int differs(const struct screen *s, const struct rfb_format *f, double *mean)
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

/* Decodes the bytes from `from` on, in pieces of at most `most`. */
static void decode(struct rfb_decoder *r, const char *name, size_t from, size_t most)
{
	uint32_t dice = (uint32_t)most;
	size_t now;

	for (size_t at = from; at < all.n; at += now) {
		uint8_t *piece; /* of exactly so many bytes: what reads beyond is caught */

		dice = shuffled(dice + 1);
		now = 1 + dice % most;
		now = now < all.n - at ? now : all.n - at;
		piece = malloc(now);
		memcpy(piece, all.bytes + at, now);
		if (rfb_decode_bytes(r, piece, now))
			fail_msg("%s: %s, in pieces up to %zu, at %zu", name, rfb_state(r)->why, most, at);
		free(piece);
	}
	assert_true(rfb_between(r));
}

/* The same bytes again, in pieces of at most `most`: the same screen, and the same was told. */
static void again(const struct rfb_decoder *whole, const struct seen *told, const char *name, const struct rfb_format *f,
		  size_t most)
{
	struct seen seen = { 0 };
	struct rfb_decoder *r = rfb_decoder_open(&events, &seen, f, WIDTH, HEIGHT);

	decode(r, name, 0, most);
	assert_memory_equal(rfb_state(r)->screen.pixels, rfb_state(whole)->screen.pixels, sizeof(truth));
	assert_memory_equal(&seen, told, sizeof(seen));
	rfb_decoder_free(r);
}

static void is_near(const struct rfb_decoder *r, const char *name, const struct rfb_format *f, int most)
{
	double mean;
	int worst = differs(&rfb_state(r)->screen, f, &mean);

	if (worst > most || mean > 1 + most / 16.0)
		fail_msg("%s: the picture differs by up to %d, %g on the mean", name, worst, mean);
}

/* A whole picture, a copy within it (which overlaps: the order of rows matters), a block painted anew; each must be what the server
 * has. */
static void session(const char *name, const int32_t *encodings, int n, const struct rfb_format *f, bool deep, int most)
{
	struct seen seen = { 0 };
	struct rfb_decoder *r = rfb_decoder_open(&events, &seen, f, WIDTH, HEIGHT);
	size_t from;

	assert_non_null(r);
	start_server();
	hear();
	all.n = 0; /* without the greeting */
	say_format(f);
	say_encodings(encodings, n);
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			rfbDoCopyRect(screen, 47, 31, 167, 101, 7, 11);
		else if (i == 2)
			paint(WIDTH, BLOCK, 7);
		from = all.n;
		ask(i > 0, WIDTH, HEIGHT);
		decode(r, name, from, sizeof(all.bytes));
		assert_int_equal(seen.updates, i + 1);
		is_near(r, name, f, most);
		if (!i)
			assert_true(seen.around.x == 0 && seen.around.y == 0 && seen.around.w == WIDTH && seen.around.h == HEIGHT);
	}
	assert_int_equal(rfb_state(r)->updates, seen.updates);
	again(r, &seen, name, f, 1 + all.n / 10);
	again(r, &seen, name, f, 300);
	if (deep)
		again(r, &seen, name, f, 1);
	rfb_decoder_free(r);
	stop_server();
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

			/* libvncserver 0.9.14 takes 255 << 24 for less than 1 << 24, and leaves the red byte out (seven bits show these
			 * bytes); of raw tiles of 15 bits it writes 15 / 8 = 1 byte a pixel. */
			if (lossless[e] == rfbEncodingZRLE && (formats[i].format.depth == 15 || (formats[i].format.max[0] == 255 &&
												 formats[i].format.shift[0] == 24)))
				continue;
			snprintf(name, sizeof(name), "%s, %s", names[e], formats[i].name);
			session(name, encodings, 4, &formats[i].format, i == 0 || formats[i].format.bits == 16,
				formats[i].format.max[0] == 255 ? 0 : 1);
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
	static char shape[] = "xxxxxxxxxxxxx x x x x x x x xxxxxxxxxxxxxx", mask[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	struct seen seen = { 0 };
	struct rfb_decoder *r = rfb_decoder_open(&events, &seen, NULL, 0, 0);
	size_t from;

	start_server();
	all.n = 0;
	hear();
	memcpy(all.bytes, "RFB 003.003\n", 12);
	for (size_t i = 0; i < all.n; i++) {
		assert_false(rfb_state(r)->greeted);
		assert_int_equal(rfb_decode_bytes(r, all.bytes + i, 1), 0);
	}
	assert_true(rfb_state(r)->greeted);
	assert_true(rfb_between(r));
	assert_string_equal(rfb_state(r)->name, "scripted");
	assert_int_equal(r->pixels.format.bits, 32);
	assert_int_equal(r->pixels.format.shift[0], 16);
	assert_int_equal(r->pixels.format.max[2], 255);
	assert_int_equal(seen.resized, 1);
	assert_int_equal(rfb_state(r)->resizes, 1);
	say_encodings(encodings, 5);
	from = all.n;
	ask(false, WIDTH, HEIGHT);
	decode(r, "the first", from, 1000);
	assert_int_equal(seen.shapes, 1);
	assert_int_equal(differs(&rfb_state(r)->screen, &rfb_xrgb, NULL), 0);
	from = all.n;
	rfbSendBell(screen);
	rfbSendServerCutText(screen, (char[]){ "some text" }, 9);
	rfbSetCursor(screen, rfbMakeXCursor(14, 3, shape, mask));
	ask(true, WIDTH, HEIGHT);
	assert_true(all.n > from + 18);
	decode(r, "a bell, a text, a shape", from, 1000);
	assert_int_equal(seen.shapes, 2);
	from = all.n;
	rfbNewFramebuffer(screen, (char *)truth, 150, 210, 8, 3, 4);
	screen->serverFormat.redShift = 16;
	screen->serverFormat.greenShift = 8;
	screen->serverFormat.blueShift = 0;
	ask(true, WIDTH, HEIGHT);
	paint(150, (struct pixel_area){ 0, 0, 150, 210 }, 3);
	ask(false, 150, 210);
	decode(r, "a size", from, 1000);
	assert_int_equal(seen.resized, 2);
	assert_int_equal(rfb_state(r)->screen.width, 150);
	assert_int_equal(rfb_state(r)->screen.height, 210);
	assert_int_equal(differs(&rfb_state(r)->screen, &rfb_xrgb, NULL), 0);
	rfb_decoder_free(r);
	stop_server();
}
