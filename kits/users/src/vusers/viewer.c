// SPDX-License-Identifier: GPL-3.0-or-later
/* The only file that uses libvncclient. Its sockets are blocking: with a non-blocking one, the library would wait in
 * select(), which does not work with descriptors above 1023. */
#include "viewer.h"
#include "clock.h"
#include "contain.h"
#include "patch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rfb/rfbclient.h>

#define CELL_MIN 3 /* size of a patch cell in pixels, at least and at most */
#define CELL_MOST 40
#define COLOURS 0xffffffu

struct viewer {
	rfbClient *client;
	struct viewer_cfg cfg;
	struct contained_memory picture;
	uint32_t *before; /* copy of the screen, to find changed pixels; NULL with cfg.patch; owned */
	int before_width, before_height;
	bool changed;  /* the update being read changes a pixel */
	bool pictured; /* the first screen has arrived */
	bool found;    /* the patch was found, at `place` */
	bool asked;    /* waiting for an answer */
	bool wants;    /* the server wants a password and there is none */
	int crashed;   /* the signal by which the library crashed: `client` must not be used again; 0: it did not */
	struct patch_place place;
	uint32_t shown, awaited; /* number in the patch; number that answers the request */
	int64_t answered_ns;
};

static _Thread_local char last_words[160];
static char tag; /* its address is our key for rfbClientGetClientData() */

static void keep_message(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_words, sizeof(last_words), format, args);
	va_end(args);
	last_words[strcspn(last_words, "\r\n")] = '\0';
}

void viewer_catch_messages(void)
{
	rfbClientLog = rfbClientErr = keep_message;
}

static struct viewer *find_viewer(rfbClient *client)
{
	return rfbClientGetClientData(client, &tag);
}

static char *copy_password(rfbClient *client)
{
	struct viewer *v = find_viewer(client);

	v->wants = !v->cfg.password;
	return strdup(v->cfg.password ? v->cfg.password : "");
}

/* --- pixels -------------------------------------------------------------------------------------------------------- */

static int pixel_luminance(const void *pixels, int x, int y)
{
	const rfbClient *c = pixels;

	return c->frameBuffer[((size_t)y * (size_t)c->width + (size_t)x) * 4 + 1]; /* green, as the shifts below say */
}

static void read_number(struct viewer *v)
{
	struct patch_image image = { v->client->width, v->client->height, pixel_luminance, v->client };
	uint32_t number;

	if (!v->found)
		v->found = patch_find(&image, CELL_MIN, CELL_MOST, &v->place, &v->shown);
	else if (patch_read(&image, &v->place, &number))
		v->shown = number;
}

/* Sets v->changed if pixels differ from the copy, and updates the copy: servers also send unchanged pixels. */
static void compare_pixels(struct viewer *v, int x, int y, int w, int h)
{
	const rfbClient *c = v->client;
	const uint32_t *now = (const uint32_t *)(const void *)c->frameBuffer;

	if (v->before_width != c->width || v->before_height != c->height) {
		uint32_t *grown = realloc(v->before, (size_t)c->width * (size_t)c->height * sizeof(*grown));

		v->changed = true;
		if (!grown) /* out of memory: every update counts as a change */
			return;
		v->before = grown;
		v->before_width = c->width;
		v->before_height = c->height;
		memcpy(grown, now, (size_t)c->width * (size_t)c->height * sizeof(*grown));
		return;
	}
	for (int row = y; row < y + h; row++) {
		size_t at = (size_t)row * (size_t)c->width + (size_t)x;

		for (int i = 0; i < w && !v->changed; i++)
			v->changed = (v->before[at + (size_t)i] ^ now[at + (size_t)i]) & COLOURS;
		memcpy(v->before + at, now + at, (size_t)w * sizeof(*now));
	}
}

/* Called by libvncclient for each rectangle: sets v->changed if its pixels changed. */
static void detect_changed_pixels(rfbClient *client, int x, int y, int w, int h)
{
	struct viewer *v = find_viewer(client);

	if (w <= 0 || h <= 0 || x < 0 || y < 0 || x + w > client->width || y + h > client->height)
		return;
	if (v->cfg.patch)
		v->changed = true;
	else
		compare_pixels(v, x, y, w, h);
}

/* Called by libvncclient when an update is completely decoded. */
static void on_update(rfbClient *client)
{
	int64_t now = clock_now();
	struct viewer *v = find_viewer(client);
	bool answers = v->changed;

	if (!v->changed) /* only a cursor shape, or unchanged pixels */
		return;
	v->changed = false;
	v->pictured = true;
	if (v->cfg.patch) {
		read_number(v);
		answers = v->found && ((v->shown - v->awaited) & PATCH_NUMBER_MAX) < PATCH_NUMBER_MAX / 2;
	}
	if (v->asked && answers) {
		v->asked = false;
		v->answered_ns = now;
	}
}

/* --- the connection ------------------------------------------------------------------------------------------------ */

static rfbBool make_picture(rfbClient *client)
{
	client->frameBuffer = contain_picture(&find_viewer(client)->picture, client->width, client->height);
	if (!client->frameBuffer)
		keep_message("a screen of %dx%d pixels is too small or too large", client->width, client->height);
	return client->frameBuffer != NULL;
}

/* Returns whether it succeeded. */
static int greet_server(void *viewer)
{
	static const uint32_t schemes[] = { rfbNoAuth, rfbVncAuth };
	struct viewer *v = viewer;
	rfbClient *c = v->client;

	c->GetPassword = copy_password;
	c->MallocFrameBuffer = make_picture;
	c->GotFrameBufferUpdate = detect_changed_pixels;
	c->FinishedFrameBufferUpdate = on_update;
	c->canHandleNewFBSize = TRUE;
	c->appData.shareDesktop = TRUE;
	c->appData.encodingsString = v->cfg.encodings;
	c->appData.useRemoteCursor = TRUE; /* cursor as a pseudo-encoding, as the other users request it */
	c->format.redShift = 16;
	c->format.greenShift = 8;
	c->format.blueShift = 0;
	c->format.bigEndian = FALSE;
	rfbClientSetClientData(c, &tag, v);
	SetClientAuthSchemes(c, schemes, 2);
	if (!InitialiseRFBConnection(c) || c->tlsSession)
		return false;
	c->width = c->si.framebufferWidth;
	c->height = c->si.framebufferHeight;
	c->updateRect.x = c->updateRect.y = 0;
	c->updateRect.w = c->width;
	c->updateRect.h = c->height;
	return make_picture(c) && SetFormatAndEncodings(c) && SendFramebufferUpdateRequest(c, 0, 0, c->width, c->height, FALSE);
}

struct viewer *viewer_open(int fd, int port, const struct viewer_cfg *cfg, struct why *why)
{
	struct viewer *v = calloc(1, sizeof(*v));
	int err, good = 0;

	last_words[0] = '\0';
	if (v) {
		v->cfg = *cfg;
		v->client = rfbGetClient(8, 3, 4);
	}
	if (!v || !v->client) {
		why_say(why, "out of memory");
		free(v);
		errno = ENOMEM;
		return NULL;
	}
	v->client->sock = fd;
	v->client->serverPort = port;
	v->crashed = contain_call(greet_server, v, &good);
	if (good)
		return v;
	err = v->crashed ? ENOTRECOVERABLE : v->wants || v->client->authScheme == rfbVncAuth ? EACCES : EPROTO;
	if (v->crashed)
		viewer_explain_crash(v, why);
	else if (v->wants)
		why_say(why, "the server wants a password: --password-file FILE");
	else
		why_say(why, "%s", *last_words ? last_words : "the server closed the connection");
	viewer_close(v);
	errno = err;
	return NULL;
}

void viewer_close(struct viewer *v)
{
	char *host = v->client->serverHost; /* libvncclient 0.9.14 does not free it */

	contain_free(&v->picture);
	if (v->crashed)
		return;
	v->client->frameBuffer = NULL;
	v->client->serverHost = NULL;
	v->client->sock = RFB_INVALID_SOCKET; /* the caller closes the socket */
	rfbClientCleanup(v->client);
	free(host);
	free(v->before);
	free(v);
}

/* Loops because poll() does not see the bytes that the library has read ahead. */
static int read_messages(void *viewer)
{
	rfbClient *c = ((struct viewer *)viewer)->client;

	do {
		if (!HandleRFBServerMessage(c) || !c->frameBuffer)
			return -EPIPE;
	} while (c->buffered);
	return 0;
}

int viewer_read(struct viewer *v)
{
	int err = 0;

	v->crashed = contain_call(read_messages, v, &err);
	return v->crashed ? -ENOTRECOVERABLE : err;
}

bool viewer_explain_crash(const struct viewer *v, struct why *why)
{
	if (v->crashed)
		why_say(why, CONTAIN_CRASHED "the server", sigabbrev_np(v->crashed));
	return v->crashed;
}

bool viewer_is_ready(const struct viewer *v)
{
	return v->pictured && (v->found || !v->cfg.patch);
}

void viewer_expect_answer(struct viewer *v)
{
	v->asked = true;
	v->answered_ns = 0;
	v->awaited = (v->shown + 1) & PATCH_NUMBER_MAX;
}

int64_t viewer_answered_ns(const struct viewer *v)
{
	return v->answered_ns;
}

int viewer_send(struct viewer *v, const uint8_t *bytes, size_t n)
{
	return WriteToRFBServer(v->client, (const char *)bytes, (unsigned)n) ? 0 : -EPIPE;
}

void viewer_get_size(const struct viewer *v, int *width, int *height)
{
	*width = v->client->width;
	*height = v->client->height;
}
