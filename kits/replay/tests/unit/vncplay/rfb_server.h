/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb_server - a server of libvncserver in a process of its own, with a picture that both sides
 * know, and a client that only asks and reads bytes. */
#pragma once

#include "vncplay/common/rfb.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <netinet/tcp.h>
#include <rfb/rfb.h>

enum { WIDTH = 203, HEIGHT = 157 };
#define COPY_OF ((struct box){ 40, 20, 120, 70 })
#define COPY_TO ((struct box){ 47, 31, 120, 70 }) /* overlaps: the order of rows matters */
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

static inline void paint(uint32_t *pixels, int width, struct box b, uint32_t seed)
{
	for (int y = b.y; y < b.y + b.h; y++)
		for (int x = b.x; x < b.x + b.w; x++)
			pixels[y * width + x] = picture(x, y, seed);
}

/* The same as the server has it: red is the lowest byte. */
static inline void paint_here(uint32_t *pixels, int width, struct box b, uint32_t seed)
{
	paint(pixels, width, b, seed);
	for (int y = b.y; y < b.y + b.h; y++)
		for (int x = b.x; x < b.x + b.w; x++) {
			uint32_t *p = &pixels[y * width + x];

			*p = (*p & 0xff) << 16 | (*p & 0xff00) | *p >> 16;
		}
}

/* What the keys do on both sides: 'c' copies, 'p' paints a block. */
static inline void copy_block(uint32_t *pixels, int width)
{
	uint32_t *kept = malloc((size_t)(COPY_OF.w * COPY_OF.h) * 4);

	for (int y = 0; y < COPY_OF.h; y++)
		memcpy(kept + y * COPY_OF.w, pixels + (COPY_OF.y + y) * width + COPY_OF.x, (size_t)COPY_OF.w * 4);
	for (int y = 0; y < COPY_OF.h; y++)
		memcpy(pixels + (COPY_TO.y + y) * width + COPY_TO.x, kept + y * COPY_OF.w, (size_t)COPY_OF.w * 4);
	free(kept);
}

static inline void on_key(rfbBool down, rfbKeySym key, rfbClientPtr client)
{
	rfbScreenInfoPtr screen = client->screen;
	uint32_t *pixels = (uint32_t *)(void *)screen->frameBuffer;

	if (!down)
		return;
	if (key == 'c') {
		rfbDoCopyRect(screen, COPY_TO.x, COPY_TO.y, COPY_TO.x + COPY_TO.w, COPY_TO.y + COPY_TO.h, COPY_TO.x - COPY_OF.x,
			      COPY_TO.y - COPY_OF.y);
	} else if (key == 'p') {
		paint_here(pixels, screen->width, BLOCK, 7);
		rfbMarkRectAsModified(screen, BLOCK.x, BLOCK.y, BLOCK.x + BLOCK.w, BLOCK.y + BLOCK.h);
	} else if (key == 'b') {
		rfbSendBell(screen);
		rfbSendServerCutText(screen, (char[]){ "some text" }, 9);
	} else if (key == 's') {
		rfbSetCursor(
			screen,
			rfbMakeXCursor(13, 9,
				       (char[]){ "xxxxxxxxxxxxx x x x x x x x xxxxxxxxxxxxxx           xxxxxxxxxxxxxx           x"
						 "xxxxxxxxxxxxxx           xxxxxxxxxxxxxx           x" },
				       (char[]){ "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
						 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" }));
	} else if (key == 'r') {
		char *old = screen->frameBuffer;
		uint32_t *other = malloc(150 * 210 * 4);

		paint_here(other, 150, (struct box){ 0, 0, 150, 210 }, 3);
		rfbNewFramebuffer(screen, (char *)other, 150, 210, 8, 3, 4);
		free(old);
	}
}

static inline void no_log(const char *format, ...)
{
	(void)format;
}

/* Returns its process, which ends with this one; on a port that the library finds free. */
static inline pid_t script_start(int *port)
{
	int told[2];
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		rfbScreenInfoPtr screen;
		uint32_t *pixels = malloc(WIDTH * HEIGHT * 4);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		rfbLog = rfbErr = no_log;
		screen = rfbGetScreen(NULL, NULL, WIDTH, HEIGHT, 8, 3, 4);
		paint_here(pixels, WIDTH, (struct box){ 0, 0, WIDTH, HEIGHT }, 0);
		screen->frameBuffer = (char *)pixels;
		screen->autoPort = TRUE;
		screen->ipv6port = 0;
		screen->listenInterface = htonl(INADDR_LOOPBACK);
		screen->deferUpdateTime = 0;
		screen->kbdAddEvent = on_key;
		screen->desktopName = "scripted";
		rfbInitServer(screen);
		if (screen->listenSock < 0 || write(told[1], &screen->port, sizeof(screen->port)) < 0)
			_exit(1);
		for (;;)
			rfbProcessEvents(screen, 2000);
	}
	close(told[1]);
	assert_int_equal(read(told[0], port, sizeof(*port)), sizeof(*port));
	close(told[0]);
	return pid;
}

static inline void script_stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- the client ------------------------------------------------------------------------------------------------- */

struct heard { /* all that the server said after its greeting */
	const char *name;
	uint8_t *bytes;
	size_t n, room;
};

static inline void say(int fd, const void *bytes, size_t n)
{
	assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), n);
}

static inline void read_server(int fd, void *bytes, size_t n)
{
	assert_int_equal(recv(fd, bytes, n, MSG_WAITALL), n);
}

/* Connects and greets; `greeting` is what the server said till now, as a log has it: at least 256 bytes. Returns its length. */
static inline size_t client_greet(int port, int *fd, uint8_t *greeting)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons((uint16_t)port) };
	struct timeval patience = { .tv_sec = 20 };
	size_t name;

	*fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)), 0);
	assert_int_equal(setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)), 0);
	assert_int_equal(connect(*fd, (struct sockaddr *)&a, sizeof(a)), 0);
	say(*fd, "RFB 003.003\n", 12); /* (before it is asked: the server waits 100 ms for a browser to speak first) */
	read_server(*fd, greeting, 12);
	memcpy(greeting, "RFB 003.003\n", 12);
	read_server(*fd, greeting + 12, 4);
	say(*fd, "\1", 1);
	read_server(*fd, greeting + 16, 24);
	name = greeting[39];
	assert_true(name < 200);
	read_server(*fd, greeting + 40, name);
	return 40 + name;
}

static inline void client_format(int fd, const struct rfb_format *f)
{
	say(fd,
	    (uint8_t[]){ 0,
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

static inline void client_encodings(int fd, const int32_t *encodings, int n)
{
	uint8_t message[4 + 4 * 20] = { 2, 0, 0, (uint8_t)n };

	assert_true(n <= 20);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 4; k++)
			message[4 + 4 * i + k] = (uint8_t)((uint32_t)encodings[i] >> (24 - 8 * k));
	say(fd, message, 4 + 4 * (size_t)n);
}

static inline void client_ask(int fd, bool incremental, int width, int height)
{
	say(fd,
	    (uint8_t[]){ 3, incremental, 0, 0, 0, 0, (uint8_t)(width >> 8), (uint8_t)width, (uint8_t)(height >> 8),
			 (uint8_t)height },
	    10);
}

static inline void client_press(int fd, char key)
{
	say(fd, (uint8_t[]){ 4, 1, 0, 0, 0, 0, 0, (uint8_t)key }, 8);
	say(fd, (uint8_t[]){ 4, 0, 0, 0, 0, 0, 0, (uint8_t)key }, 8);
}

/* What comes next, into the decoder and into `all`. */
static inline void client_read(int fd, struct rfb_decoder *r, struct heard *all)
{
	ssize_t n;

	if (all->room - all->n < 65536) {
		all->room = 2 * all->room + 65536;
		all->bytes = realloc(all->bytes, all->room);
		assert_non_null(all->bytes);
	}
	n = recv(fd, all->bytes + all->n, 65536, 0);
	assert_true(n > 0);
	if (rfb_decode_bytes(r, all->bytes + all->n, (size_t)n))
		fail_msg("%s: %s", all->name, rfb_failure_text(r));
	all->n += (size_t)n;
}
