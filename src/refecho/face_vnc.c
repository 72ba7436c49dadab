// SPDX-License-Identifier: GPL-3.0-or-later
/* A VNC server by libvncserver, without that library's event loop, which polls and defers updates by 5 ms: delays of its own would
 * spoil the measurement. An update is written as soon as something was drawn and a client has asked for an update. */
#include "face.h"
#include "scene.h"
#include "downcast.h"
#include "clock.h"
#include "memory.h"
#include "proc.h"

#include <errno.h>

#include <arpa/inet.h>
#include <rfb/rfb.h>

#define STALLED_MS 5000 /* a client that reads nothing for this long is disconnected */

struct vnc_face {
	struct echo_face face;
	struct echo_face_cfg cfg;
	struct echo_canvas canvas;
	rfbScreenInfoPtr screen;
};

static void on_vnc_key(rfbBool down, rfbKeySym symbol, rfbClientPtr client)
{
	int64_t now = clock_now();
	struct vnc_face *v = client->screen->screenData;

	if (down && !face_is_modifier_key(symbol))
		v->cfg.key(v->cfg.arg, now, symbol < 0x7f ? (unsigned char)symbol : 0);
}

static void on_update_sent(rfbClientPtr client, int result)
{
	int64_t now = clock_now();
	struct vnc_face *v = client->screen->screenData;

	if (result)
		v->cfg.flushed(v->cfg.arg, now);
}

static void mark_box(struct vnc_face *v, const struct pixel_area *box)
{
	if (box->w)
		rfbMarkRectAsModified(v->screen, box->x, box->y, box->x + box->w, box->y + box->h);
}

static void draw_keys(struct echo_face *f, uint32_t number, const unsigned char *typed, size_t n)
{
	struct vnc_face *v = DOWNCAST(f, struct vnc_face, f->draw == draw_keys);
	struct canvas_change changed = canvas_draw(&v->canvas, number, typed, n);
	rfbClientIteratorPtr i;
	rfbClientPtr client;
	bool watched = false;

	mark_box(v, &changed.cells);
	mark_box(v, &changed.text);
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
	canvas_free(&v->canvas);
	free(v);
}

static void discard_message(const char *format, ...)
{
	(void)format;
}

/* Sets up the server and listens. 0, or -1 with a line in `why`. */
static int start_server(struct vnc_face *v, struct why *why)
{
	static char name[] = "refecho";
	rfbScreenInfoPtr s = v->screen;
	int reason;

	s->screenData = v;
	s->desktopName = name;
	s->frameBuffer = (char *)v->canvas.pixel;
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
	canvas_init(&v->canvas, cfg->cell, cfg->noise, cfg->seed);
	v->screen = must_alloc(rfbGetScreen(NULL, NULL, SCENE_WIDTH, SCENE_HEIGHT, 8, 3, 4));
	if (!start_server(v, why))
		return &v->face;
	close_face(&v->face);
	return NULL;
}
