// SPDX-License-Identifier: GPL-3.0-or-later
/* A VNC server by libvncserver, without that library's event loop, which polls and defers updates by 5 ms: delays of its own would
 * spoil the measurement. An update is written as soon as something was drawn and a client has asked for an update. */
#include "face.h"
#include "downcast.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"
#include "random.h"
#include "scene.h"

#include <errno.h>
#include <stdio.h>

#include <arpa/inet.h>
#include <rfb/keysym.h>
#include <rfb/rfb.h>

#define MARGIN 2	/* pixels of a glyph's box above and on the left of the glyph */
#define STALLED_MS 5000 /* a client that reads nothing for this long is disconnected */

struct vnc_face {
	struct echo_face face;
	struct echo_face_cfg cfg;
	struct echo_scene scene;
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

static void on_update_sent(rfbClientPtr client, int result)
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

static void fill_colour(struct vnc_face *v, const struct pixel_area *box, uint32_t colour)
{
	for (int y = box->y; y < box->y + box->h; y++)
		for (int x = box->x; x < box->x + box->w; x++)
			v->pixel[y * SCENE_WIDTH + x] = colour;
}

/* Fills a box with pixels of random colours, up to SCENE_NOISE away from the grey `middle` in each channel. */
static void fill_noise(struct vnc_face *v, const struct pixel_area *box, int middle)
{
	for (int y = box->y; y < box->y + box->h; y++) {
		for (int x = box->x; x < box->x + box->w; x++) {
			uint64_t bits = random_bits(&v->random);
			uint32_t colour = 0;

			/* 21 random bits for each channel; taking the remainder makes some colours 1 in 16,000 more likely */
			for (int c = 0; c < 3; c++, bits >>= 21)
				colour = colour << 8 |
					 (uint32_t)(middle - SCENE_NOISE + (int)((bits & 0x1fffff) % (2 * SCENE_NOISE + 1)));
			v->pixel[y * SCENE_WIDTH + x] = colour;
		}
	}
}

static void paint_patch_boxes(struct vnc_face *v, const struct pixel_area *box, int n, bool white)
{
	for (int i = 0; i < n; i++) {
		if (v->cfg.noise)
			fill_noise(v, &box[i], white ? SCENE_NOISE_WHITE : SCENE_NOISE_BLACK);
		else
			fill_colour(v, &box[i], grey_colour(white ? 255 : 0));
	}
}

static void mark_box(struct vnc_face *v, const struct pixel_area *box)
{
	rfbMarkRectAsModified(v->screen, box->x, box->y, box->x + box->w, box->y + box->h);
}

static void draw_number(struct vnc_face *v, uint32_t number)
{
	struct pixel_area white[PATCH_ROWS * PATCH_COLUMNS], black[PATCH_ROWS * PATCH_COLUMNS], changed = { 0 };
	int whites, blacks;

	scene_set_number(&v->scene, number, v->cfg.noise, white, &whites, black, &blacks);
	paint_patch_boxes(v, white, whites, true);
	paint_patch_boxes(v, black, blacks, false);
	/* one rectangle around all changed cells: cheaper for client and server than a dozen small ones */
	for (int i = 0; i < whites; i++)
		area_include(&changed, &white[i]);
	for (int i = 0; i < blacks; i++)
		area_include(&changed, &black[i]);
	if (changed.w)
		mark_box(v, &changed);
}

static void draw_glyph(struct vnc_face *v, const struct pixel_area *box, unsigned char character)
{
	for (int y = 0; y < box->h; y++)
		for (int x = 0; x < box->w; x++)
			v->pixel[(box->y + y) * SCENE_WIDTH + box->x + x] =
				scene_has_dot(character, (x - MARGIN + 2) / 2 - 1, (y - MARGIN + 2) / 2 - 1) ? grey_colour(0)
													     : grey_colour(255);
}

static void draw_keys(struct echo_face *f, uint32_t number, const unsigned char *typed, size_t n)
{
	struct vnc_face *v = DOWNCAST(f, struct vnc_face, f->draw == draw_keys);
	struct pixel_area changed = { 0 };
	rfbClientIteratorPtr i;
	rfbClientPtr client;
	bool watched = false;

	draw_number(v, number);
	for (size_t k = 0; k < n; k++) {
		bool cleared;
		struct pixel_area box = scene_add_character(&v->scene, typed[k], &cleared), line = scene_line_box(&v->scene);

		if (cleared) {
			fill_colour(v, &line, grey_colour(255));
			area_include(&changed, &line);
		}
		draw_glyph(v, &box, typed[k]);
		area_include(&changed, &box);
	}
	if (changed.w)
		mark_box(v, &changed);
	i = rfbGetClientIterator(v->screen);
	while ((client = rfbClientIteratorNext(i))) {
		watched = true;
		rfbUpdateClient(client); /* calls on_update_sent(), if the client has asked for an update */
	}
	rfbReleaseClientIterator(i);
	if (!watched)
		v->cfg.flushed(v->cfg.arg, clock_now());
}

static int await_events(struct echo_face *f, int64_t until_ns, struct why *why)
{
	struct vnc_face *v = DOWNCAST(f, struct vnc_face, f->wait == await_events);
	fd_set fds = v->screen->allFds;

	(void)why;
	proc_select(v->screen->maxFd + 1, &fds, NULL, until_ns);
	rfbProcessEvents(v->screen, 0);
	return 0;
}

static void close_face(struct echo_face *f)
{
	struct vnc_face *v = DOWNCAST(f, struct vnc_face, f->close == close_face);

	if (v->screen) {
		rfbShutdownServer(v->screen, TRUE);
		rfbScreenCleanup(v->screen);
	}
	free(v->pixel);
	free(v);
}

static void discard_message(const char *format, ...)
{
	(void)format;
}

static void paint_picture(struct vnc_face *v)
{
	struct pixel_area ground = { 0, 0, SCENE_WIDTH, SCENE_HEIGHT };

	fill_colour(v, &ground, grey_colour(255));
	for (int i = 0; i < PATCH_ROWS * PATCH_COLUMNS; i++) {
		int r = i / PATCH_COLUMNS, c = i % PATCH_COLUMNS, cell = v->cfg.cell;
		struct pixel_area box = { (2 + c) * cell, (2 + r) * cell, cell, cell };

		paint_patch_boxes(v, &box, 1, v->scene.cells.white[r][c]);
	}
}

/* Sets up the server and listens. 0, or -1 with a line in `why`. */
static int start_server(struct vnc_face *v, struct why *why)
{
	static char name[] = "refecho";
	rfbScreenInfoPtr s = v->screen;
	int reason;

	s->screenData = v;
	s->desktopName = name;
	s->frameBuffer = (char *)v->pixel;
	s->serverFormat.redShift = 16;
	s->serverFormat.greenShift = 8;
	s->serverFormat.blueShift = 0;
	s->cursor = NULL;
	s->kbdAddEvent = on_vnc_key;
	s->displayFinishedHook = on_update_sent;
	s->alwaysShared = TRUE;
	s->deferUpdateTime = 0;
	s->handleEventsEagerly = TRUE;
	s->maxClientWait = STALLED_MS;
	s->autoPort = FALSE;
	s->port = v->cfg.port;
	s->ipv6port = 0;
	s->listenInterface = INADDR_NONE;
	if (inet_pton(AF_INET, v->cfg.listen, &s->listenInterface) != 1)
		return why_fail(-1, why, "--listen %s: not an IPv4 address", v->cfg.listen);
	paint_picture(v);
	errno = 0;
	rfbInitServer(s);
	reason = errno;
	if (s->listenSock >= 0)
		return 0;
	return why_fail(-1, why, "cannot listen on %s port %d: %s; choose another port or address", v->cfg.listen, v->cfg.port,
			reason == EADDRINUSE ? "the port is in use"
			: reason	     ? strerror(reason)
					     : "refused");
}

struct echo_face *face_open_vnc(const struct echo_face_cfg *cfg, struct why *why)
{
	struct vnc_face *v = memory_new(1, sizeof(*v));

	rfbLog = discard_message;
	rfbErr = discard_message;
	v->cfg = *cfg;
	v->face = (struct echo_face){ .wait = await_events, .draw = draw_keys, .close = close_face };
	v->random = cfg->seed;
	scene_init(&v->scene, cfg->cell);
	v->pixel = memory_new(SCENE_WIDTH * SCENE_HEIGHT, sizeof(*v->pixel));
	v->screen = must_alloc(rfbGetScreen(NULL, NULL, SCENE_WIDTH, SCENE_HEIGHT, 8, 3, 4));
	if (!start_server(v, why))
		return &v->face;
	close_face(&v->face);
	return NULL;
}
