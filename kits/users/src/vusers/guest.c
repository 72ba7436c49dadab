// SPDX-License-Identifier: GPL-3.0-or-later
#include "guest.h"
#include "bytes.h"
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define RFB_VERSION 12
#define SQUARE 16 /* pixels, 32 bits each */

enum { STAGE_VERSION, STAGE_SECURITY, STAGE_INIT, STAGE_TYPE, STAGE_MESSAGE };

/* Makes a framebuffer update with one raw rectangle of one grey. Owned by the caller. */
static uint8_t *make_grey_update(uint16_t width, uint16_t height, uint8_t grey, size_t *size)
{
	uint8_t *p;

	*size = 16 + 4 * (size_t)width * height;
	p = memory_new(*size, 1);
	memset(p + 16, grey, *size - 16);
	p[3] = 1;
	bytes_put_u16(p + 8, width);
	bytes_put_u16(p + 10, height);
	return p;
}

void answers_make(struct server_answers *w, bool http, int64_t size, uint16_t width, uint16_t height)
{
	char head[160];
	int n;

	*w = (struct server_answers){ .http = http, .width = width, .height = height };
	if (!http) {
		w->answer = make_grey_update(width < SQUARE ? width : SQUARE, height < SQUARE ? height : SQUARE, 0, &w->size);
		w->turned = make_grey_update(width < SQUARE ? width : SQUARE, height < SQUARE ? height : SQUARE, 255, &w->size);
		w->whole = make_grey_update(width, height, 255, &w->whole_size);
		return;
	}
	n = snprintf(head, sizeof(head),
		     "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: "
		     "%lld\r\nConnection: keep-alive\r\n\r\n",
		     (long long)size);
	w->size = (size_t)n + (size_t)size;
	w->answer = memory_new(w->size, 1);
	memcpy(w->answer, head, (size_t)n);
	memset(w->answer + n, '.', (size_t)size);
}

void answers_free(struct server_answers *w)
{
	free(w->answer);
	free(w->turned);
	free(w->whole);
}

void client_init(struct served_client *g, int fd, uint32_t serial)
{
	*g = (struct served_client){ .fd = fd, .serial = serial, .need = RFB_VERSION };
}

static int send_bytes(struct served_client *g, const void *bytes, size_t n)
{
	ssize_t sent = send(g->fd, bytes, n, MSG_NOSIGNAL);

	return sent == (ssize_t)n ? 0 : sent < 0 ? -errno : -ENOBUFS;
}

/* Sends the last `left` bytes of a message as far as the socket takes them. 0 or -errno. */
static int send_left(struct served_client *g, const uint8_t *bytes, size_t size)
{
	ssize_t sent = send(g->fd, bytes + size - g->left, g->left, MSG_NOSIGNAL);

	if (sent < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	g->left -= (size_t)sent;
	return 0;
}

int client_send_version(struct served_client *g, const struct server_answers *w)
{
	return w->http ? 0 : send_bytes(g, "RFB 003.008\n", 12);
}

/* --- HTTP ---------------------------------------------------------------------------------------------------------- */

/* Counts requests: an empty line ends one, since requests of vusers have no body. */
static int parse_http_requests(struct served_client *g, const uint8_t *bytes, size_t n)
{
	int requests = 0;

	for (size_t i = 0; i < n; i++) {
		if (!g->stage && !g->have && (bytes[i] < 'A' || bytes[i] > 'Z'))
			return -EPROTO;
		g->have = 1;
		if (bytes[i] == '\n')
			g->stage++;
		else if (bytes[i] != '\r')
			g->stage = 0;
		if (g->stage < 2)
			continue;
		requests++;
		g->stage = g->have = 0;
	}
	return requests;
}

/* --- RFB ----------------------------------------------------------------------------------------------------------- */

static int send_update(struct served_client *g, const struct server_answers *w)
{
	g->wants = false;
	g->owed = 0;
	if (g->told) {
		g->black = !g->black;
		return send_bytes(g, g->black ? w->answer : w->turned, w->size);
	}
	g->told = true;
	g->left = w->whole_size;
	return send_left(g, w->whole, w->whole_size);
}

static int send_server_init(struct served_client *g, const struct server_answers *w)
{
	uint8_t init[32] = { 0, 0, 0, 0, 32, 24, 0, 1, 0,   255, 0,   255, 0,	255, 16,  8,
			     0, 0, 0, 0, 0,  0,	 0, 8, 'v', 'u', 's', 'e', 'r', 's', ' ', ' ' };

	bytes_put_u16(init, w->width);
	bytes_put_u16(init + 2, w->height);
	return send_bytes(g, init, sizeof(init));
}

/* Handles a message whose type is `kind`, and whose bytes after it are in `head`, but for those that are skipped. */
static int serve_message(struct served_client *g, const struct server_answers *w)
{
	g->skip = rfb_message_rest(&rfb_client_kinds[g->kind], g->head);
	switch (g->kind) {
	case RFB_CLIENT_REQUEST: g->wants = true; return !g->left && (!g->told || g->owed) ? send_update(g, w) : 0;
	case RFB_CLIENT_KEY: return g->head[0] ? 1 : 0;
	case RFB_CLIENT_POINTER: return 1;
	default: return 0;
	}
}

/* Handles the part that is complete in `head`. 1: a request, 0: none, or -errno. */
static int serve_part(struct served_client *g, const struct server_answers *w)
{
	switch (g->stage) {
	case STAGE_VERSION:
		g->stage = STAGE_SECURITY;
		g->need = 1;
		return memcmp(g->head, "RFB 003.008\n", 12) ? -EPROTO : send_bytes(g, "\1\1", 2);
	case STAGE_SECURITY: g->stage = STAGE_INIT; return g->head[0] != 1 ? -EPROTO : send_bytes(g, "\0\0\0\0", 4);
	case STAGE_INIT: g->stage = STAGE_TYPE; return send_server_init(g, w);
	case STAGE_TYPE:
		g->stage = STAGE_MESSAGE;
		g->kind = rfb_client_kind(g->head[0]);
		g->need = (uint8_t)(rfb_client_kinds[g->kind].look + rfb_client_kinds[g->kind].rest);
		return g->kind ? 0 : -EPROTO;
	default:
		g->stage = STAGE_TYPE;
		g->need = 1;
		return serve_message(g, w);
	}
}

static int parse_rfb_requests(struct served_client *g, const struct server_answers *w, const uint8_t *bytes, size_t n)
{
	int requests = 0;

	for (size_t at = 0, part; at < n; at += part) {
		int got;

		part = g->skip < n - at ? (size_t)g->skip : n - at;
		g->skip -= part;
		if (part)
			continue;
		part = (size_t)(g->need - g->have) < n - at ? (size_t)(g->need - g->have) : n - at;
		memcpy(g->head + g->have, bytes + at, part);
		g->have = (uint8_t)(g->have + part);
		if (g->have < g->need)
			continue;
		g->have = 0;
		got = serve_part(g, w);
		if (got < 0)
			return got;
		requests += got;
	}
	return requests;
}

/* --- both ---------------------------------------------------------------------------------------------------------- */

int client_parse_requests(struct served_client *g, const struct server_answers *w, const uint8_t *bytes, size_t n)
{
	return w->http ? parse_http_requests(g, bytes, n) : parse_rfb_requests(g, w, bytes, n);
}

int client_send_answer(struct served_client *g, const struct server_answers *w)
{
	if (w->http) {
		if (g->left) /* pipelined requests: not a client of vusers */
			return -ENOBUFS;
		g->left = w->size;
		return send_left(g, w->answer, w->size);
	}
	g->owed++;
	return g->wants && !g->left ? send_update(g, w) : 0;
}

int client_send_rest(struct served_client *g, const struct server_answers *w)
{
	return w->http ? send_left(g, w->answer, w->size) : send_left(g, w->whole, w->whole_size);
}
