// SPDX-License-Identifier: GPL-3.0-or-later
/* user_proxy - a person with any VNC viewer: a VNC server on libvncserver that shows the recorded server's screen and takes
 * the viewer's inputs.
 *
 * Our own loop calls the library, since the library's loop defers updates. One viewer at a time; when it leaves, the recording
 * ends. */
#include "clock.h"
#include "downcast.h"
#include "recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rfb/rfb.h>
#include <rfb/rfbregion.h>
#include <sys/socket.h>
#include <unistd.h>

#define STALLED_MS 5000		/* a viewer that reads nothing for this time is disconnected */
#define SOON_NS (5 * NS_PER_MS) /* wait before an update that the library could not send is tried again */

struct viewer_proxy {
	struct input_source user;
	rfbScreenInfoPtr server;
	const struct screen *screen;
	struct recorder *recorder; /* set while inputs are taken */
	rfbClientPtr viewer;
	bool left;
	int err;
	char name[256];
};

static void on_viewer_key(rfbBool down, rfbKeySym symbol, rfbClientPtr client)
{
	struct viewer_proxy *p = client->screen->screenData;
	int err = client == p->viewer && symbol && symbol <= 0x1fffffff
			  ? recorder_accept_key(p->recorder, clock_now(), symbol, down)
			  : 0;

	p->err = p->err ? p->err : err;
}

static void on_viewer_pointer(int mask, int x, int y, rfbClientPtr client)
{
	struct viewer_proxy *p = client->screen->screenData;
	int err = client == p->viewer ? recorder_accept_pointer(p->recorder, clock_now(), mask, x, y) : 0;

	p->err = p->err ? p->err : err;
}

static void on_viewer_left(rfbClientPtr client)
{
	struct viewer_proxy *p = client->screen->screenData;

	if (client != p->viewer)
		return;
	p->viewer = NULL;
	p->left = true;
}

static enum rfbNewClientAction on_viewer_connects(rfbClientPtr client)
{
	struct viewer_proxy *p = client->screen->screenData;

	client->clientGoneHook = on_viewer_left;
	if (p->viewer || p->left)
		return RFB_CLIENT_REFUSE;
	p->viewer = client;
	return RFB_CLIENT_ACCEPT;
}

static void ignore_log(const char *format, ...)
{
	(void)format;
}

static int64_t proxy_prepare_wait(struct input_source *u, fd_set *fds, int *top)
{
	struct viewer_proxy *p = DOWNCAST(u, struct viewer_proxy, u->wait == proxy_prepare_wait);

	for (int fd = 0; fd <= p->server->maxFd; fd++)
		if (FD_ISSET(fd, &p->server->allFds))
			FD_SET(fd, fds);
	*top = p->server->maxFd > *top ? p->server->maxFd : *top;
	return p->viewer && FB_UPDATE_PENDING(p->viewer) && !sraRgnEmpty(p->viewer->requestedRegion) ? clock_now() + SOON_NS
												     : INT64_MAX;
}

static int proxy_pass_inputs(struct input_source *u, struct recorder *r, int64_t now_ns, struct why *why)
{
	struct viewer_proxy *p = DOWNCAST(u, struct viewer_proxy, u->take == proxy_pass_inputs);

	(void)now_ns;
	(void)why;
	p->recorder = r;
	rfbProcessEvents(p->server, 0);
	return p->err ? p->err : p->left;
}

static void proxy_mark_painted(struct input_source *u, struct pixel_area b)
{
	rfbMarkRectAsModified(DOWNCAST(u, struct viewer_proxy, u->painted == proxy_mark_painted)->server, b.x, b.y, b.x + b.w,
			      b.y + b.h);
}

static int proxy_resize(struct input_source *u)
{
	struct viewer_proxy *p = DOWNCAST(u, struct viewer_proxy, u->resized == proxy_resize);

	rfbNewFramebuffer(p->server, (char *)p->screen->pixels, p->screen->width, p->screen->height, 8, 3, 4);
	p->server->serverFormat.redShift = 16;
	p->server->serverFormat.greenShift = 8;
	p->server->serverFormat.blueShift = 0;
	return 0;
}

static void proxy_close(struct input_source *u)
{
	struct viewer_proxy *p = DOWNCAST(u, struct viewer_proxy, u->close == proxy_close);

	p->left = true; /* no further viewer is accepted */
	rfbShutdownServer(p->server, TRUE);
	rfbScreenCleanup(p->server);
	free(p);
}

/* A free port: the library does not accept port 0. 0: none. */
static int find_free_port(in_addr_t address)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = address };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = 0;

	if (fd >= 0 && !bind(fd, (struct sockaddr *)&at, size) && !getsockname(fd, (struct sockaddr *)&at, &size))
		port = ntohs(at.sin_port);
	if (fd >= 0)
		close(fd);
	return port;
}

struct input_source *viewer_source_open(const struct screen *screen, const char *name, const char *where, int port,
					char words[static 80], struct why *why)
{
	struct viewer_proxy *p = calloc(1, sizeof(*p));
	rfbScreenInfoPtr s;

	rfbLog = ignore_log;
	rfbErr = ignore_log;
	if (p)
		p->server = rfbGetScreen(NULL, NULL, screen->width, screen->height, 8, 3, 4);
	if (!p || !p->server) {
		why_say(why, "out of memory");
		free(p);
		return NULL;
	}
	p->screen = screen;
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->user = (struct input_source){ proxy_prepare_wait, proxy_pass_inputs, proxy_mark_painted,
					 proxy_resize,	     proxy_close,	"viewer left" };
	s = p->server;
	s->screenData = p;
	s->desktopName = p->name;
	s->frameBuffer = (char *)screen->pixels;
	s->serverFormat.redShift = 16;
	s->serverFormat.greenShift = 8;
	s->serverFormat.blueShift = 0;
	s->cursor = NULL;
	s->kbdAddEvent = on_viewer_key;
	s->ptrAddEvent = on_viewer_pointer;
	s->newClientHook = on_viewer_connects;
	s->alwaysShared = TRUE;
	s->deferUpdateTime = 0;
	s->handleEventsEagerly = TRUE;
	s->maxClientWait = STALLED_MS;
	s->autoPort = FALSE;
	s->ipv6port = 0;
	if (inet_pton(AF_INET, where, &s->listenInterface) != 1) {
		why_say(why, "--bind %s: not an IPv4 address", where);
		proxy_close(&p->user);
		return NULL;
	}
	s->port = port ? port : find_free_port(s->listenInterface);
	errno = 0;
	rfbInitServer(s);
	if (s->listenSock < 0) {
		int reason = errno;

		why_say(why, "cannot listen on %s port %d: %s; choose another --listen or --bind", where, s->port,
			reason == EADDRINUSE ? "the port is in use"
			: reason	     ? strerror(reason)
					     : "refused");
		proxy_close(&p->user);
		return NULL;
	}
	snprintf(words, 80, "vncviewer %s::%d", strcmp(where, "0.0.0.0") ? where : "ADDRESS", s->port);
	return &p->user;
}
