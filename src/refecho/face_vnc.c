// SPDX-License-Identifier: GPL-3.0-or-later
/* A VNC server by libvncserver, without that library's event loop, which polls and defers updates by 5 ms: delays of its own would
 * spoil the measurement. An update is written as soon as something was drawn and a client has asked for an update. */
#include "face.h"
#include "clock.h"
#include "proc.h"
#include "random.h"
#include "scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <rfb/keysym.h>
#include <rfb/rfb.h>

#define MARGIN 2		/* pixels of a glyph's box above and on the left of the glyph */
#define STALLED_MS 5000		/* a client that reads nothing for this long is disconnected */

struct vnc_face {
	struct face face;
	struct face_cfg cfg;
	struct scene scene;
	rfbScreenInfoPtr screen;
	uint32_t *pixel;
	uint64_t random;
};

static bool is_modifier_key(rfbKeySym k)
{
	return (k >= XK_Shift_L && k <= 0xffee) || k == XK_Num_Lock || k == XK_Mode_switch || (k >= 0xfe01 && k <= 0xfe13);
}

static void on_vnc_key(rfbBool down, rfbKeySym symbol, rfbClientPtr client)
{
	int64_t now = clock_now();
	struct vnc_face *v = client->screen->screenData;

	if (down && !is_modifier_key(symbol))
		v->cfg.key(v->cfg.arg, now, symbol < 0x7f ? (unsigned char)symbol : 0);
}

static void on_vnc_sent(rfbClientPtr client, int result)
{
	int64_t now = clock_now();
	struct vnc_face *v = client->screen->screenData;

	if (result)
		v->cfg.flushed(v->cfg.arg, now);
}

static uint32_t grey_colour(int value)
{
	return (uint32_t)value * 0x010101u;
}

static void fill_box(struct vnc_face *v, const struct scene_box *box, uint32_t colour)
{
	for (int y = box->y; y < box->y + box->height; y++)
		for (int x = box->x; x < box->x + box->width; x++)
			v->pixel[y * SCENE_WIDTH + x] = colour;
}

/* Fills a box with pixels of random colours, up to SCENE_NOISE away from the grey `middle` in each channel. */
static void fill_box_with_noise(struct vnc_face *v, const struct scene_box *box, int middle)
{
	for (int y = box->y; y < box->y + box->height; y++) {
		for (int x = box->x; x < box->x + box->width; x++) {
			uint64_t bits = random_bits(&v->random);
			uint32_t colour = 0;

			/* 21 random bits for each channel; taking the remainder makes some colours 1 in 16,000 more likely */
			for (int c = 0; c < 3; c++, bits >>= 21)
				colour = colour << 8 | (uint32_t)(middle - SCENE_NOISE + (int)((bits & 0x1fffff) % (2 * SCENE_NOISE + 1)));
			v->pixel[y * SCENE_WIDTH + x] = colour;
		}
	}
}

static void paint_boxes(struct vnc_face *v, const struct scene_box *box, int n, bool white)
{
	for (int i = 0; i < n; i++) {
		if (v->cfg.noise)
			fill_box_with_noise(v, &box[i], white ? SCENE_NOISE_WHITE : SCENE_NOISE_BLACK);
		else
			fill_box(v, &box[i], grey_colour(white ? 255 : 0));
	}
}

static void mark_box(struct vnc_face *v, const struct scene_box *box)
{
	rfbMarkRectAsModified(v->screen, box->x, box->y, box->x + box->width, box->y + box->height);
}

/* Widens *all, empty at first, to the bounding box of itself and these boxes. */
static void widen_box(struct scene_box *all, const struct scene_box *box, int n)
{
	for (int i = 0; i < n; i++) {
		int right = box[i].x + box[i].width, bottom = box[i].y + box[i].height;

		if (!all->width)
			*all = box[i];
		right = right > all->x + all->width ? right : all->x + all->width;
		bottom = bottom > all->y + all->height ? bottom : all->y + all->height;
		all->x = box[i].x < all->x ? box[i].x : all->x;
		all->y = box[i].y < all->y ? box[i].y : all->y;
		all->width = right - all->x;
		all->height = bottom - all->y;
	}
}

static void draw_number(struct vnc_face *v, uint32_t number)
{
	struct scene_box white[PATCH_ROWS * PATCH_COLUMNS], black[PATCH_ROWS * PATCH_COLUMNS], changed = { 0 };
	int whites, blacks;

	scene_number(&v->scene, number, v->cfg.noise, white, &whites, black, &blacks);
	paint_boxes(v, white, whites, true);
	paint_boxes(v, black, blacks, false);
	/* one rectangle around all changed cells: cheaper for client and server than a dozen small ones */
	widen_box(&changed, white, whites);
	widen_box(&changed, black, blacks);
	if (changed.width)
		mark_box(v, &changed);
}

static void draw_glyph(struct vnc_face *v, const struct scene_box *box, unsigned char character)
{
	for (int y = 0; y < box->height; y++)
		for (int x = 0; x < box->width; x++)
			v->pixel[(box->y + y) * SCENE_WIDTH + box->x + x] =
				scene_font_dot(character, (x - MARGIN + 2) / 2 - 1, (y - MARGIN + 2) / 2 - 1) ? grey_colour(0) : grey_colour(255);
}

static void vnc_face_draw(struct face *f, uint32_t number, const unsigned char *typed, size_t n)
{
	struct vnc_face *v = (struct vnc_face *)f;
	struct scene_box changed = { 0 };
	rfbClientIteratorPtr i;
	rfbClientPtr client;
	bool watched = false;

	draw_number(v, number);
	for (size_t k = 0; k < n; k++) {
		bool cleared;
		struct scene_box box = scene_type(&v->scene, typed[k], &cleared), line = scene_line(&v->scene);

		if (cleared) {
			fill_box(v, &line, grey_colour(255));
			widen_box(&changed, &line, 1);
		}
		draw_glyph(v, &box, typed[k]);
		widen_box(&changed, &box, 1);
	}
	if (changed.width)
		mark_box(v, &changed);
	i = rfbGetClientIterator(v->screen);
	while ((client = rfbClientIteratorNext(i))) {
		watched = true;
		rfbUpdateClient(client);	/* calls on_vnc_sent(), if the client has asked for an update */
	}
	rfbReleaseClientIterator(i);
	if (!watched)
		v->cfg.flushed(v->cfg.arg, clock_now());
}

static int vnc_face_wait(struct face *f, int64_t until_ns, char *why, size_t size)
{
	struct vnc_face *v = (struct vnc_face *)f;
	fd_set fds = v->screen->allFds;

	(void)why;
	(void)size;
	proc_select(v->screen->maxFd + 1, &fds, NULL, until_ns);
	rfbProcessEvents(v->screen, 0);
	return 0;
}

static void vnc_face_close(struct face *f)
{
	struct vnc_face *v = (struct vnc_face *)f;

	if (v->screen) {
		rfbShutdownServer(v->screen, TRUE);
		rfbScreenCleanup(v->screen);
	}
	free(v->pixel);
	free(v);
}

static void log_nothing(const char *format, ...)
{
	(void)format;
}

static void paint_all(struct vnc_face *v)
{
	struct scene_box ground = { 0, 0, SCENE_WIDTH, SCENE_HEIGHT };

	fill_box(v, &ground, grey_colour(255));
	for (int i = 0; i < PATCH_ROWS * PATCH_COLUMNS; i++) {
		int r = i / PATCH_COLUMNS, c = i % PATCH_COLUMNS, cell = v->cfg.cell;
		struct scene_box box = { (2 + c) * cell, (2 + r) * cell, cell, cell };

		paint_boxes(v, &box, 1, v->scene.cells.white[r][c]);
	}
}

struct face *face_vnc_open(const struct face_cfg *cfg, char *why, size_t size)
{
	struct vnc_face *v = calloc(1, sizeof(*v));
	rfbScreenInfoPtr s;
	static char name[] = "refecho";

	if (v)
		v->pixel = calloc(SCENE_WIDTH * SCENE_HEIGHT, sizeof(*v->pixel));
	rfbLog = log_nothing;
	rfbErr = log_nothing;
	if (v && v->pixel)
		v->screen = rfbGetScreen(NULL, NULL, SCENE_WIDTH, SCENE_HEIGHT, 8, 3, 4);
	if (!v || !v->screen) {
		snprintf(why, size, "out of memory");
		if (v)
			vnc_face_close(&v->face);
		return NULL;
	}
	v->cfg = *cfg;
	v->face = (struct face){ vnc_face_wait, vnc_face_draw, vnc_face_close };
	v->random = cfg->seed;
	scene_start(&v->scene, cfg->cell);
	s = v->screen;
	s->screenData = v;
	s->desktopName = name;
	s->frameBuffer = (char *)v->pixel;
	s->serverFormat.redShift = 16;
	s->serverFormat.greenShift = 8;
	s->serverFormat.blueShift = 0;
	s->cursor = NULL;
	s->kbdAddEvent = on_vnc_key;
	s->displayFinishedHook = on_vnc_sent;
	s->alwaysShared = TRUE;
	s->deferUpdateTime = 0;
	s->handleEventsEagerly = TRUE;
	s->maxClientWait = STALLED_MS;
	s->autoPort = FALSE;
	s->port = cfg->port;
	s->ipv6port = 0;
	s->listenInterface = INADDR_NONE;
	if (inet_pton(AF_INET, cfg->listen, &s->listenInterface) != 1) {
		snprintf(why, size, "--listen %s: not an IPv4 address", cfg->listen);
		vnc_face_close(&v->face);
		return NULL;
	}
	paint_all(v);
	errno = 0;
	rfbInitServer(s);
	if (s->listenSock < 0) {
		int reason = errno;

		snprintf(why, size, "cannot listen on %s port %d: %s; choose another port or address", cfg->listen, cfg->port,
			 reason == EADDRINUSE ? "the port is in use" : reason ? strerror(reason) : "refused");
		vnc_face_close(&v->face);
		return NULL;
	}
	return &v->face;
}
