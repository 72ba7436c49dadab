/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x11 - counts requests, replies, events and errors of X connections by name, with bytes.
 *
 * X Window System Protocol, X Version 11 (x.org/releases/current/doc/xproto/x11protocol.html); lengths beyond 256 KB by
 * BIG-REQUESTS. An extension has the name that the application asked for and the numbers that the display answered
 * (QueryExtension); a reply has the name of its request, found by sequence number. The application is the X client, whichever
 * channel it uses. */
#pragma once

#include "rfb.h"
#include "rfb/skip_parser.h"

#include <stdbool.h>
#include <stdint.h>

/* Extension 0 is the core protocol, 1 stands for extensions without a known name. */
enum { X11_EXTENSIONS = 64, X11_MINORS = 256, X11_NAME = 40 };
enum { X11_GENERIC = 35 }; /* number of GenericEvent, which carries its extension */
enum x11_kind { X11_REQUEST, X11_REPLY, X11_EVENT, X11_ERROR, X11_KINDS };

/* Counts of all connections: tally[kind][extension][number]. Requests and replies: minor opcode, in the core protocol the major
 * one; events and errors: number within the extension. */
struct x11_counts {
	struct message_tally tally[X11_KINDS][X11_EXTENSIONS][X11_MINORS];
	struct message_tally setup[2]; /* set-up messages of the application, of the display */
	char name[X11_EXTENSIONS][X11_NAME];
	int extensions;
};

struct x11_counts *x11_alloc_counts(void);

/* Writes a message's name, such as "PolyText8" or "RENDER 23", into `text` of at least X11_NAME + 24 bytes. */
void x11_message_name(const struct x11_counts *n, enum x11_kind kind, int extension, int minor, char *text, unsigned long size);

#define X11_ASKED 16 /* most QueryExtension requests that wait for replies */

/* One connection: 130 KB, most of it `sent`. */
struct x11_stream {
	struct x11_counts *sum;
	struct skip_parser client, server;
	uint8_t client_state, server_state;
	bool little;		/* byte order of both directions, set by the application */
	bool ordered;		/* `little` is known */
	uint16_t sequence;	/* sequence number of the latest request */
	uint8_t major, minor;	/* opcodes of the current request */
	uint32_t words;		/* length of the current request, in words of 4 bytes */
	uint8_t extension[128]; /* extension by major opcode - 128; 0: not known */
	uint8_t first_event[X11_EXTENSIONS], first_error[X11_EXTENSIONS]; /* by extension; 0: none */
	struct {
		uint16_t sequence;
		uint8_t extension; /* 0: the entry is free */
	} asked[X11_ASKED];
	uint8_t next_asked;
	uint16_t sent[65536]; /* major << 8 | minor opcode, by sequence number */
};

struct x11_stream *x11_alloc_stream(struct x11_counts *sum);
skip_parser_step x11_step_client, x11_step_server;
