/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb - what a VNC connection says: messages by type, rectangles by encoding, with counts and bytes.
 *
 * RFC 6143, and for what is not in it the community's specification (github.com/rfbproto/rfbproto). Lengths follow from the bytes
 * themselves and the pixel format; where one cannot be known (an encoding or message that is not in the tables, a pixel format
 * changed while updates are under way, encryption) the direction stops, and the rest of it counts as undecoded. */
#ifndef PROTOTAP_RFB_H
#define PROTOTAP_RFB_H

#include "walk.h"

#include <stdbool.h>
#include <stdint.h>

struct tally {
	uint64_t count, bytes;
};

enum { RFB_CLIENT_KINDS = 13, RFB_SERVER_KINDS = 11, RFB_RECTANGLE_KINDS = 33 };
extern const char *const rfb_client_names[RFB_CLIENT_KINDS], *const rfb_server_names[RFB_SERVER_KINDS],
	*const rfb_rectangle_names[RFB_RECTANGLE_KINDS];

/* Of all connections. */
struct rfb_count {
	struct tally client[RFB_CLIENT_KINDS], server[RFB_SERVER_KINDS], rectangle[RFB_RECTANGLE_KINDS];
};

struct rfb_tap_format {
	uint8_t pixel, compact;		/* bytes of a pixel, and of Tight's TPIXEL */
};

/* The rectangle that runs. */
struct rfb_rectangle {
	uint8_t kind, state;
	uint8_t flags;		/* Hextile: of the tile that runs; Tight: bytes of a length so far */
	uint32_t w, h, x, y;	/* x, y: of the tile that runs */
	uint32_t length;	/* Tight: as far as it was read */
};

struct rfb_tap {
	struct rfb_count *sum;
	struct walk client, server;
	uint8_t client_state, client_kind, server_state, server_kind;
	uint8_t version;		/* 3, 7, 8 as the client chose; 0: not yet */
	uint32_t security;		/* as it was chosen; 0: not yet */
	struct rfb_tap_format format;
	bool requested, unsure;		/* an update was asked for; the format changed afterwards */
	uint32_t rectangles;		/* still to come of this update */
	struct rfb_rectangle r;
};

void rfb_start(struct rfb_tap *r, struct rfb_count *sum);
walk_step rfb_client_step, rfb_server_step;

/* Used between rfb.c and rfb_rectangle.c. A rectangle's header of 12 bytes, then steps until it is over: true. */
#define RFB_HEADER 12
bool rfb_rectangle_begin(struct rfb_tap *r, struct walk *w, const uint8_t *header);
bool rfb_rectangle_step(struct rfb_tap *r, struct walk *w, const uint8_t *piece, uint32_t n);

#endif
