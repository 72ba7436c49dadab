/* SPDX-License-Identifier: GPL-3.0-or-later */
/* walk - the messages of an RFB connection after its handshake, and the rectangles of an update, by kind and length. Pure.
 *
 * RFC 6143, and the community's specification beyond it (github.com/rfbproto/rfbproto). Lengths follow from the bytes and the
 * pixel format; no pixel is decoded. Where a length is not known (an unknown message or encoding), the parser stops. */
#pragma once

#include "skip_parser.h"

#include <stdbool.h>
#include <stdint.h>

/* A kind of message or rectangle. A message is its type, `look` bytes that tell the length of the rest, and the rest. */
struct rfb_kind {
	const char *name;
	int32_t type;		 /* message type or encoding; -1: the handshake */
	uint8_t look, rest;	 /* bytes after a message's type or a rectangle's header; `rest` where it is fixed, else 0 */
	uint8_t at, width, unit; /* the rest: so many times the number at `at`; width: enum number_width of walk.c */
	uint8_t shape;		 /* rectangles: enum rectangle_shape of walk.c */
};
enum { RFB_CLIENT_KINDS = 13, RFB_SERVER_KINDS = 11, RFB_RECTANGLE_KINDS = 33, RFB_LOOK_MAX = 19 };
/* Entry 0 of both tables of messages is the handshake. */
extern const struct rfb_kind rfb_client_kinds[RFB_CLIENT_KINDS], rfb_server_kinds[RFB_SERVER_KINDS],
	rfb_rectangle_kinds[RFB_RECTANGLE_KINDS];
enum {
	RFB_CLIENT_PIXEL_FORMAT = 1,
	RFB_CLIENT_ENCODINGS,
	RFB_CLIENT_REQUEST,
	RFB_CLIENT_KEY,
	RFB_CLIENT_POINTER,
	RFB_CLIENT_CUT,
	RFB_CLIENT_CONTINUOUS,
	RFB_CLIENT_FENCE,
	RFB_CLIENT_XVP,
	RFB_CLIENT_DESKTOP_SIZE,
	RFB_CLIENT_GII,
	RFB_CLIENT_QEMU
};
enum {
	RFB_SERVER_UPDATE = 1,
	RFB_SERVER_COLOURS,
	RFB_SERVER_BELL,
	RFB_SERVER_CUT,
	RFB_SERVER_RESIZE,
	RFB_SERVER_END_CONTINUOUS,
	RFB_SERVER_FENCE
};

/* The kind of a client's message of this type; 0: unknown. */
uint8_t rfb_client_kind(uint8_t type);
/* Bytes of a message behind its type and `look` bytes, which are at `p`. */
uint64_t rfb_message_rest(const struct rfb_kind *kind, const uint8_t *p);

struct rfb_pixel_sizes {
	uint8_t pixel, compact; /* bytes of a pixel, and of the TPIXEL of Tight encoding */
};
struct rfb_pixel_sizes rfb_read_pixel_sizes(const uint8_t *format); /* PIXEL_FORMAT: 16 bytes */

/* The current rectangle. */
struct rfb_rectangle {
	uint8_t kind;
	uint8_t flags; /* Hextile: subencoding of the current tile; Tight: bytes of the length so far */
	uint16_t x, y, w, h;
	uint32_t tile_x, tile_y;
	uint32_t length; /* Tight: the length as far as it was read */
};

/* One direction, from the end of the handshake on. */
struct rfb_walk {
	bool client;		       /* which direction */
	uint8_t state, kind;	       /* kind: of the current message */
	struct rfb_pixel_sizes format; /* of the server's rectangles; set by the caller */
	bool unsure;		       /* the format is not known any more: a rectangle that depends on it stops the parser */
	uint32_t rectangles;	       /* left of the current update */
	struct rfb_rectangle r;
};

enum rfb_walk_event {
	RFB_WALK_ON,
	RFB_WALK_MESSAGE,      /* a message of `kind` begins */
	RFB_WALK_BODY,	       /* the piece has its `look` bytes */
	RFB_WALK_RECTANGLE,    /* the header of `r` was read */
	RFB_WALK_TO_RECTANGLE, /* the update's next rectangle follows */
	RFB_WALK_TO_MESSAGE,   /* the message has ended */
};
#define RFB_HEADER 12 /* bytes of a rectangle's header */

/* Whether the latest message is not over, and its next byte is awaited. */
bool rfb_walk_in_message(const struct rfb_walk *s, const struct skip_parser *w);
/* A parser's step (skip_parser.h): says what the piece has shown. */
enum rfb_walk_event rfb_walk_step(struct rfb_walk *s, struct skip_parser *w, const uint8_t *piece, uint32_t n);
