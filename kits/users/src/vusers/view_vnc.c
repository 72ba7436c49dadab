// SPDX-License-Identifier: GPL-3.0-or-later
/* A viewer of VNC: the only file that uses libvncclient. Its sockets are blocking: with a non-blocking one, the library would wait
 * in select(), which does not work with descriptors above 1023. */
#include "cli.h"
#include "clock.h"
#include "viewing.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rfb/rfbclient.h>

static char last_words[160];
static bool wants; /* the server wants a password and there is none */
static char tag;   /* its address is our key for rfbClientGetClientData() */

static void keep_message(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_words, sizeof(last_words), format, args);
	va_end(args);
	last_words[strcspn(last_words, "\r\n")] = '\0';
}

static struct viewer *find_viewer(rfbClient *client)
{
	return rfbClientGetClientData(client, &tag);
}

static char *copy_password(rfbClient *client)
{
	struct viewer *v = find_viewer(client);

	wants = !v->cfg.password;
	return strdup(v->cfg.password ? v->cfg.password : "");
}

static rfbBool make_picture(rfbClient *client)
{
	client->frameBuffer = viewing_make_picture(find_viewer(client), client->width, client->height);
	if (!client->frameBuffer)
		keep_message("a screen of %dx%d pixels is too small or too large", client->width, client->height);
	return client->frameBuffer != NULL;
}

static void note_rectangle(rfbClient *client, int x, int y, int w, int h)
{
	viewing_note_pixels(find_viewer(client), x, y, w, h);
}

static void end_update(rfbClient *client)
{
	viewing_end_update(find_viewer(client), clock_now());
}

static bool greet_server(struct viewer *v, rfbClient *c)
{
	static const uint32_t schemes[] = { rfbNoAuth, rfbVncAuth };

	c->GetPassword = copy_password;
	c->MallocFrameBuffer = make_picture;
	c->GotFrameBufferUpdate = note_rectangle;
	c->FinishedFrameBufferUpdate = end_update;
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

static void explain_refusal(struct viewer *v, const rfbClient *client)
{
	v->seen->err = wants || client->authScheme == rfbVncAuth ? EACCES : EPROTO;
	if (wants)
		why_say(&v->seen->why, "the server wants a password: --password-file FILE");
	else
		why_say(&v->seen->why, "%s", *last_words ? last_words : "the server closed the connection");
}

static bool view(struct viewer *v, int fd, int port)
{
	rfbClient *client = rfbGetClient(8, 3, 4);
	char *host; /* libvncclient 0.9.14 does not free it */
	bool good;

	last_words[0] = '\0';
	wants = false;
	rfbClientLog = rfbClientErr = keep_message;
	if (!client)
		_exit(EXIT_RUN);
	client->sock = fd;
	client->serverPort = port;
	good = greet_server(v, client);
	if (!good)
		explain_refusal(v, client);
	viewing_notify(v, good ? NOTICE_GREETED : NOTICE_REFUSED);
	while (good && HandleRFBServerMessage(client) && client->frameBuffer)
		;
	host = client->serverHost;
	client->frameBuffer = NULL;
	client->serverHost = NULL;
	client->sock = RFB_INVALID_SOCKET;
	rfbClientCleanup(client);
	close(fd);
	free(host);
	return good;
}

const struct viewer_kind viewer_vnc = { .view = view };
