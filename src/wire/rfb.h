/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb - counts the messages of VNC connections by type and rectangles by encoding, with bytes.
 *
 * rfb/walk.h tells kinds and lengths; here are the handshake, and what both directions have to know of each other. Where a length
 * is not known (also of an update that may have the pixel format from before a change or after it, or encryption), decoding of the
 * direction stops, and the rest counts as undecoded.
 *
 * A server answers a request with one update at most, so that updates have the new pixel format once as many have come as there
 * were open requests when it was set. With continuous updates nothing tells. */
#pragma once

#include "rfb/walk.h"

struct message_tally {
	uint64_t count, bytes;
};

/* Counts of all connections. */
struct rfb_counts {
	struct message_tally client[RFB_CLIENT_KINDS], server[RFB_SERVER_KINDS], rectangle[RFB_RECTANGLE_KINDS];
};

struct rfb_stream {
	struct rfb_counts *sum;
	struct skip_parser client, server;
	struct rfb_walk client_walk, server_walk;
	uint8_t client_state, server_state; /* of the handshakes */
	uint8_t version;		    /* minor protocol version that the client chose: 3, 7, 8; 0: not yet */
	uint32_t security;		    /* security type that was chosen; 0: not yet */
	bool tight;			    /* within TightVNC's security type, which lists what the desktop is capable of */
	bool listed;			    /* TightVNC: the server has listed the ways to authenticate */
	uint32_t choices;		    /* number of them */
	uint32_t requests;		    /* that no update has answered */
	bool continuous;		    /* updates come without requests */
	bool changing;			    /* updates have not yet turned to `format` */
	uint32_t uncertain;		    /* so many updates may have it, or the one before */
	struct rfb_pixel_sizes format;	    /* set last by the client */
};

void rfb_stream_init(struct rfb_stream *r, struct rfb_counts *sum);
skip_parser_step rfb_step_client, rfb_step_server;
