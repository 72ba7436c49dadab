/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb - counts the messages of VNC connections by type and rectangles by encoding, with bytes.
 *
 * RFC 6143, and the community's specification beyond it (github.com/rfbproto/rfbproto). Lengths follow from the bytes and the
 * pixel format. Where a length is not known (an unknown encoding or message, a pixel format changed while updates are under way,
 * encryption), decoding of the direction stops, and the rest counts as undecoded. */
#pragma once

#include "skip_parser.h"

#include <stdbool.h>
#include <stdint.h>

struct message_tally {
	uint64_t count, bytes;
};

enum { RFB_CLIENT_KINDS = 13, RFB_SERVER_KINDS = 11, RFB_RECTANGLE_KINDS = 33 };
/* Kinds of messages and rectangles; entry 0 of both message tables is the handshake. */
struct rfb_message_or_rectangle_kind {
	const char *name;
	int32_t type;		/* message type or encoding; -1: the handshake */
	uint8_t look;		/* messages: bytes after the type that tell the length of the rest; rectangles: enum rectangle_shape */
	uint8_t rest;		/* bytes of the rest where it is fixed */
};
extern const struct rfb_message_or_rectangle_kind rfb_client_kinds[RFB_CLIENT_KINDS], rfb_server_kinds[RFB_SERVER_KINDS],
	rfb_rectangle_kinds[RFB_RECTANGLE_KINDS];

/* Counts of all connections. */
struct rfb_message_counts {
	struct message_tally client[RFB_CLIENT_KINDS], server[RFB_SERVER_KINDS], rectangle[RFB_RECTANGLE_KINDS];
};

struct rfb_pixel_sizes {
	uint8_t pixel, compact;		/* bytes of a pixel, and of the TPIXEL of Tight encoding */
};

/* The current rectangle. */
struct rfb_rectangle {
	uint8_t kind, state;
	uint8_t flags;		/* Hextile: subencoding of the current tile; Tight: bytes of the length so far */
	uint32_t w, h, x, y;	/* x, y: of the current tile */
	uint32_t length;	/* Tight: the length as far as it was read */
};

struct rfb_stream_decoder {
	struct rfb_message_counts *sum;
	struct skip_parser client, server;
	uint8_t client_state, client_kind, server_state, server_kind;
	uint8_t version;		/* minor protocol version that the client chose: 3, 7, 8; 0: not yet */
	uint32_t security;		/* security type that was chosen; 0: not yet */
	struct rfb_pixel_sizes format;
	bool requested, unsure;		/* an update was requested; the pixel format changed afterwards */
	uint32_t rectangles;		/* rectangles left of the current update */
	struct rfb_rectangle r;
};

void rfb_stream_decoder_init(struct rfb_stream_decoder *r, struct rfb_message_counts *sum);
skip_parser_step rfb_parse_client_piece, rfb_parse_server_piece;

/* Called by rfb.c for a rectangle's 12-byte header, then for each piece; true: the rectangle is complete. */
#define RFB_HEADER 12
bool rfb_rectangle_parse_header(struct rfb_stream_decoder *r, struct skip_parser *w, const uint8_t *header);
bool rfb_rectangle_parse_piece(struct rfb_stream_decoder *r, struct skip_parser *w, const uint8_t *piece);
