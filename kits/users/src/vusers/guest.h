/* SPDX-License-Identifier: GPL-3.0-or-later */
/* guest - one client of the reference server: parses its RFB or HTTP requests and sends the answers. */
#pragma once

#include "rfb/walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Settings and messages shared by all clients. */
struct server_answers {
	bool http;
	uint16_t width, height;
	uint8_t *answer; /* HTTP: header and body; RFB: an update with a black square; owned */
	uint8_t *turned; /* RFB: an update with a white square, of the same size; keys alternate the two; owned */
	size_t size;	 /* bytes of `answer` */
	uint8_t *whole;	 /* RFB: the first update, of the whole screen; owned */
	size_t whole_size;
};

struct served_client {
	int fd;
	uint32_t serial;	    /* number of the client, 0: this entry is free */
	uint8_t stage, kind;	    /* parser state, and kind of the RFB message */
	uint8_t have, need;	    /* bytes in `head`, and bytes that complete it */
	bool wants, told, black;    /* RFB: has requested an update; has got the first one; its square is black */
	uint32_t owed;		    /* RFB: key presses that no update has answered yet */
	uint64_t skip;		    /* bytes of input to be ignored */
	size_t left;		    /* bytes of the answer or first update still to be sent */
	uint8_t head[RFB_LOOK_MAX]; /* part of the message being read */
};

void answers_make(struct server_answers *w, bool http, int64_t size, uint16_t width, uint16_t height);
void answers_free(struct server_answers *w);

void client_init(struct served_client *g, int fd, uint32_t serial);
int client_send_version(struct served_client *g, const struct server_answers *w);
/* Parses received bytes. Returns the number of requests completed; -EPROTO: another protocol, or another -errno. */
int client_parse_requests(struct served_client *g, const struct server_answers *w, const uint8_t *bytes, size_t n);
/* Sends the answer to one request. 0 or -errno. */
int client_send_answer(struct served_client *g, const struct server_answers *w);
/* Sends more of a partly sent message once the socket is writable. 0 or -errno. */
int client_send_rest(struct served_client *g, const struct server_answers *w);
