/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb_server - a server of libvncserver in this process, and a client that only asks and reads bytes. What the server shows is in
 * `truth`, 0x00RRGGBB. */
#pragma once

#include "vncplay/common/rfb.h"
#include "rfb/messages.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rfb/rfb.h>

enum { WIDTH = 203, HEIGHT = 157 };
#define BLOCK ((struct box){ 11, 90, 77, 41 })

static inline uint32_t shuffled(uint32_t n)
{
	n ^= n >> 16;
	n *= 0x7feb352du;
	n ^= n >> 15;
	n *= 0x846ca68bu;
	return n ^ n >> 16;
}

/* Parts of every kind that an encoder knows: plain, of two, few and many colours, runs, a slope, noise. */
static inline uint32_t picture(int x, int y, uint32_t seed)
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

static uint32_t truth[WIDTH * HEIGHT];
static rfbScreenInfoPtr screen;
static rfbClientPtr peer; /* the client, as the server knows it */
static int ends[2];	  /* of the server and the client */

static inline void paint(int width, struct box b, uint32_t seed)
{
	for (int y = b.y; y < b.y + b.h; y++)
		for (int x = b.x; x < b.x + b.w; x++)
			truth[y * width + x] = picture(x, y, seed);
	rfbMarkRectAsModified(screen, b.x, b.y, b.x + b.w, b.y + b.h);
}

static inline void log_nothing(const char *format, ...)
{
	(void)format;
}

/* The server reads all that the client has said, and answers. */
static inline void run_server(void)
{
	struct pollfd p = { .fd = ends[0], .events = POLLIN };

	while (poll(&p, 1, 0) == 1)
		rfbProcessClientMessage(peer);
	rfbUpdateClient(peer);
}

static inline void say(const void *bytes, size_t n)
{
	assert_int_equal(send(ends[1], bytes, n, MSG_NOSIGNAL), n);
}

static inline void start_server(void)
{
	rfbLog = rfbErr = log_nothing;
	screen = rfbGetScreen(NULL, NULL, WIDTH, HEIGHT, 8, 3, 4);
	screen->serverFormat.redShift = 16;
	screen->serverFormat.blueShift = 0;
	screen->frameBuffer = (char *)truth;
	screen->deferUpdateTime = 0;
	screen->desktopName = "scripted";
	paint(WIDTH, (struct box){ 0, 0, WIDTH, HEIGHT }, 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &(int){ 1 << 20 }, sizeof(int)), 0);
	say("RFB 003.003\n\1", 13);
	peer = rfbNewClient(screen, ends[0]);
	assert_non_null(peer);
	run_server();
}

static inline void stop_server(void)
{
	rfbCloseClient(peer);
	rfbClientConnectionGone(peer);
	rfbScreenCleanup(screen);
	close(ends[1]);
}

static inline void say_format(const struct rfb_format *f)
{
	say((uint8_t[]){ 0,
			 0,
			 0,
			 0,
			 f->bits,
			 f->depth,
			 f->big_endian,
			 f->true_colour,
			 (uint8_t)(f->red_max >> 8),
			 (uint8_t)f->red_max,
			 (uint8_t)(f->green_max >> 8),
			 (uint8_t)f->green_max,
			 (uint8_t)(f->blue_max >> 8),
			 (uint8_t)f->blue_max,
			 f->red_shift,
			 f->green_shift,
			 f->blue_shift,
			 0,
			 0,
			 0 },
	    20);
}

static inline void say_encodings(const int32_t *encodings, int n)
{
	uint8_t message[4 + 4 * 20];

	say(message, messages_put_encodings(message, encodings, n, NULL, 0));
}

struct heard { /* all that the server said */
	uint8_t bytes[1 << 20];
	size_t n;
};

/* Appends what the server says now. */
static inline void hear(struct heard *all)
{
	ssize_t n;

	run_server();
	while ((n = recv(ends[1], all->bytes + all->n, sizeof(all->bytes) - all->n, MSG_DONTWAIT)) > 0)
		all->n += (size_t)n;
}

/* Asks for an update, and appends it. */
static inline void ask(struct heard *all, bool incremental, int width, int height)
{
	uint8_t message[MESSAGES_MOST];

	say(message, messages_put_request(message, incremental, width, height));
	hear(all);
}
