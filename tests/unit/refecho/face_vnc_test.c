// SPDX-License-Identifier: GPL-3.0-or-later
/* The VNC face against a client of this test's own, which speaks RFB (RFC 6143) over a plain socket, raw encoding. */
#include "refecho/echo.h"
#include "refecho/face.h"
#include "refecho/scene.h"
#include "clock.h"
#include "../unit.h"
#include "../port.h"
#include "why.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define PIXELS (SCENE_WIDTH * SCENE_HEIGHT)
#define PATIENCE (20 * NS_PER_S)

static struct {
	struct echo_face *face;
	int fd;
	uint32_t pixel[PIXELS];
	unsigned char keys[100];
	int keys_n, flushes;
	int64_t flushed_ns;
	struct pixel_area rectangle[8];
	int rectangles;
} t;

static void on_key(void *arg, int64_t now_ns, unsigned char character)
{
	assert_ptr_equal(arg, &t);
	assert_true(now_ns > 0 && now_ns <= clock_now());
	t.keys[t.keys_n++] = character;
}

static void on_flushed(void *arg, int64_t now_ns)
{
	assert_ptr_equal(arg, &t);
	t.flushes++;
	t.flushed_ns = now_ns;
}

static void serve(int64_t for_ns)
{
	struct why why;

	assert_int_equal(t.face->wait(t.face, clock_now() + for_ns, &why), 0);
}

/* Server and client are one thread: while the client lacks bytes, the server gets its turn. */
static void get(void *into, size_t n)
{
	char *p = into;
	int64_t end = clock_now() + PATIENCE;

	while (n) {
		ssize_t got = recv(t.fd, p, n, MSG_DONTWAIT);

		if (got > 0) {
			p += got;
			n -= (size_t)got;
			continue;
		}
		assert_true(got < 0 && errno == EAGAIN);
		assert_true(clock_now() < end);
		serve(NS_PER_MS);
	}
}

static bool silent(int64_t for_ns)
{
	char byte;

	serve(for_ns);
	serve(0);
	return recv(t.fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
}

static void put(const void *bytes, size_t n)
{
	assert_int_equal(send(t.fd, bytes, n, 0), n);
}

static int number16(const unsigned char *p)
{
	return p[0] << 8 | p[1];
}

static void ask(bool incremental)
{
	unsigned char m[10] = { 3, incremental, 0, 0, 0, 0, SCENE_WIDTH >> 8, SCENE_WIDTH & 255, 0, SCENE_HEIGHT };

	put(m, sizeof(m));
}

static void press(uint32_t symbol, bool down)
{
	unsigned char m[8] = { 4,
			       down,
			       0,
			       0,
			       (unsigned char)(symbol >> 24),
			       (unsigned char)(symbol >> 16),
			       (unsigned char)(symbol >> 8),
			       (unsigned char)symbol };

	put(m, sizeof(m));
}

/* Until the server has read all that was sent: a key at the end is heard. */
static void all_read(void)
{
	int64_t end = clock_now() + PATIENCE;

	t.keys_n = 0;
	for (press('.', true); !t.keys_n || t.keys[t.keys_n - 1] != '.'; serve(NS_PER_MS))
		assert_true(clock_now() < end);
}

static void receive(void)
{
	unsigned char head[4], rect[12];

	get(head, 4);
	assert_int_equal(head[0], 0);
	t.rectangles = number16(head + 2);
	assert_in_range(t.rectangles, 1, 8);
	for (int i = 0; i < t.rectangles; i++) {
		struct pixel_area *b = &t.rectangle[i];

		get(rect, 12);
		*b = (struct pixel_area){ number16(rect), number16(rect + 2), number16(rect + 4), number16(rect + 6) };
		assert_true(b->x + b->w <= SCENE_WIDTH && b->y + b->h <= SCENE_HEIGHT);
		assert_int_equal(number16(rect + 8) << 16 | number16(rect + 10), 0);
		for (int y = b->y; y < b->y + b->h; y++)
			get(&t.pixel[y * SCENE_WIDTH + b->x], 4 * (size_t)b->w);
	}
}

static int luminance(const void *pixels, int x, int y)
{
	uint32_t v = ((const uint32_t *)pixels)[y * SCENE_WIDTH + x];

	return (int)((299 * (v >> 16 & 255) + 587 * (v >> 8 & 255) + 114 * (v & 255)) / 1000);
}

static uint32_t shown(int cell)
{
	const struct patch_image image = { SCENE_WIDTH, SCENE_HEIGHT, luminance, t.pixel };
	const struct patch_place at = { 2 * cell, 2 * cell, cell };
	uint32_t number = UINT32_MAX;

	assert_true(patch_read(&image, &at, &number));
	return number;
}

static int connect_to(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	/* RFC 6143 7.4 and 7.5.1: 32 bits, depth 24, this machine's byte order, true colour, 255 each, shifts 16 8 0; raw alone */
	enum { BIG = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	static const unsigned char format[20] = { 0, 0, 0, 0, 32, 24, BIG, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0 };
	static const unsigned char encodings[8] = { 2, 0, 0, 1, 0, 0, 0, 0 };
	unsigned char text[64];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	t.fd = fd;
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	get(text, 12);
	assert_memory_equal(text, "RFB 003.", 8);
	put("RFB 003.008\n", 12);
	get(text, 1);
	get(text, text[0]);
	assert_int_equal(text[0], 1); /* None */
	put("\1", 1);
	get(text, 4);
	assert_memory_equal(text, "\0\0\0\0", 4);
	put("\1", 1);
	get(text, 24);
	assert_int_equal(number16(text), SCENE_WIDTH);
	assert_int_equal(number16(text + 2), SCENE_HEIGHT);
	assert_int_equal(text[23], 7);
	get(text, 7);
	assert_memory_equal(text, "refecho", 7);
	put(format, sizeof(format));
	put(encodings, sizeof(encodings));
	ask(false);
	receive();
	return fd;
}

static int start(bool noise, int cell)
{
	struct echo_face_cfg cfg = {
		.listen = "127.0.0.1", .cell = cell, .noise = noise, .seed = 1, .key = on_key, .flushed = on_flushed, .arg = &t
	};
	struct why why = { "" };

	memset(&t, 0, sizeof(t));
	for (int tries = 0; !t.face && tries < 5; tries++) { /* another program may be quicker to take one that was free */
		cfg.port = free_port();
		t.face = face_open_vnc(&cfg, &why);
	}
	if (!t.face)
		fail_msg("%s", why.text);
	return cfg.port;
}

static void end(void)
{
	close(t.fd);
	t.face->close(t.face);
}

TEST(number_zero_first_then_what_is_drawn)
{
	connect_to(start(false, 8));
	assert_int_equal(shown(8), 0);
	ask(true);
	all_read();
	assert_true(silent(20 * NS_PER_MS)); /* nothing changed: nothing sent */
	for (uint32_t n = 1; n < 60; n++) {
		int before = t.flushes;

		t.face->draw(t.face, n * 1001, (const unsigned char *)"k", 1);
		assert_int_equal(t.flushes, before + 1); /* written at once, a request was there */
		receive();
		assert_int_equal(shown(8), n * 1001);
		ask(true);
		all_read();
	}
	end();
}

TEST(only_changed_rectangles)
{
	int pixels = 0;

	connect_to(start(false, 8));
	ask(true);
	serve(NS_PER_MS);
	t.face->draw(t.face, 1, (const unsigned char *)"A", 1);
	receive();
	for (int i = 0; i < t.rectangles; i++)
		pixels += t.rectangle[i].w * t.rectangle[i].h;
	assert_true(pixels <= 64 * 40 + SCENE_GLYPH_WIDTH * SCENE_GLYPH_HEIGHT);
	/* an A: closed at the top, and two legs with nothing between them at the foot */
	assert_int_equal(luminance(t.pixel, 22, 82), 0);
	assert_int_equal(luminance(t.pixel, 18, 94), 0);
	assert_int_equal(luminance(t.pixel, 22, 94), 255);
	assert_int_equal(luminance(t.pixel, 26, 94), 0);
	end();
}

TEST(presses_count_releases_and_modifiers_do_not)
{
	connect_to(start(false, 8));
	press('a', true);
	press('a', false);
	press(0xffe1, true); /* Shift_L */
	press('B', true);
	press('B', true); /* repeated while held */
	press('B', false);
	press(0xffe1, false);
	press(0xff0d, true); /* Return: a key, but no character */
	press(0xff7f, true); /* Num_Lock */
	press(0xfe03, true); /* ISO_Level3_Shift */
	all_read();
	assert_int_equal(t.keys_n, 5);
	assert_memory_equal(t.keys, "aBB\0.", 5);
	end();
}

/* A client that asks for nothing gets nothing; what it missed is one update, and flushed only then. */
TEST(flushed_only_when_asked_for)
{
	int before;
	int64_t asked;

	connect_to(start(false, 8));
	before = t.flushes;
	t.face->draw(t.face, 1, (const unsigned char *)"a", 1);
	t.face->draw(t.face, 2, (const unsigned char *)"b", 1);
	assert_true(silent(20 * NS_PER_MS));
	assert_int_equal(t.flushes, before);
	asked = clock_now();
	ask(true);
	receive();
	assert_int_equal(shown(8), 2);
	assert_int_equal(t.flushes, before + 1);
	assert_true(t.flushed_ns >= asked);
	end();
}

TEST(nobody_watching_is_flushed_at_once)
{
	start(false, 8);
	t.face->draw(t.face, 1, (const unsigned char *)"a", 1);
	assert_int_equal(t.flushes, 1);
	t.fd = -1;
	t.face->close(t.face);
}

TEST(noise_is_noisy_and_readable)
{
	static uint32_t seen[64 * 48];
	size_t colours = 0;

	connect_to(start(true, 8));
	assert_int_equal(shown(8), 0);
	ask(true);
	serve(NS_PER_MS);
	for (uint32_t n = 1; n < 40; n++) {
		t.face->draw(t.face, n, (const unsigned char *)"k", 1);
		receive();
		assert_int_equal(shown(8), n);
		ask(true);
		serve(NS_PER_MS);
	}
	for (int i = 0; i < 64 * 48; i++) {
		uint32_t v = t.pixel[(16 + i / 64) * SCENE_WIDTH + 16 + i % 64];
		bool known = false;

		for (size_t k = 0; k < colours && !known; k++)
			known = seen[k] == v;
		if (!known)
			seen[colours++] = v;
	}
	assert_true(colours > 2500); /* no palette of 256 holds them */
	end();
}

TEST(a_client_that_leaves_does_no_harm)
{
	int port;

	port = start(false, 8);
	connect_to(port);
	ask(true);
	close(t.fd);
	t.face->draw(t.face, 1, (const unsigned char *)"a", 1);
	for (int i = 0; i < 5; i++)
		serve(2 * NS_PER_MS);
	connect_to(port);
	assert_int_equal(shown(8), 1);
	end();
}
