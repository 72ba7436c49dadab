/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x11 - what an X connection says: requests, replies, events and errors by name, with counts and bytes.
 *
 * X Window System Protocol, X Version 11 (x.org/releases/current/doc/xproto/x11protocol.html);
 * lengths beyond 256 KB by BIG-REQUESTS. An extension has the name that the application asked for
 * and the numbers that the display answered (QueryExtension); a reply has the name of its request,
 * found by the sequence number. The application is the X client, whichever channel that is. */
#ifndef PROTOTAP_X11_H
#define PROTOTAP_X11_H

#include "rfb.h"
#include "walk.h"

#include <stdbool.h>
#include <stdint.h>

enum { X11_EXTENSIONS = 64, X11_MINORS = 256, X11_NAME = 40 };	/* extension 0 is the core protocol, 1 those that nobody named */
enum { X11_GENERIC = 35 };	/* an event that names its extension itself */
enum x11_kind { X11_REQUEST, X11_REPLY, X11_EVENT, X11_ERROR, X11_KINDS };

/* Of all connections: in [extension][request or reply: minor opcode, core: major; event, error: its number in the extension]. */
struct x11_count {
	struct tally tally[X11_KINDS][X11_EXTENSIONS][X11_MINORS];
	struct tally setup[2];			/* what opens a connection: application, display */
	char name[X11_EXTENSIONS][X11_NAME];
	int extensions;
};

struct x11_count *x11_count_new(void);	/* NULL: no memory */

/* "PolyText8", "RENDER 23"; `text` holds at least X11_NAME + 24 bytes. */
void x11_name(const struct x11_count *n, enum x11_kind kind, int extension, int minor, char *text, unsigned long size);
extern const char *const x11_request_names[128], *const x11_event_names[36], *const x11_error_names[18];

#define X11_ASKED 16	/* QueryExtensions that wait for their reply */

/* One connection: 130 KB, a request's code by its sequence number being most of it. */
struct x11_tap {
	struct x11_count *sum;
	struct walk client, server;
	uint8_t client_state, server_state;
	bool little;		/* the application's byte order, which is the display's too */
	bool ordered;		/* it is known */
	uint16_t sequence;	/* of the latest request */
	uint8_t major, minor;	/* of the request that is read */
	uint32_t words;		/* its length */
	uint8_t extension[128];	/* by major opcode - 128; 0: nobody named it */
	uint8_t first_event[X11_EXTENSIONS], first_error[X11_EXTENSIONS];	/* 0: none */
	struct {
		uint16_t sequence;
		uint8_t extension;	/* 0: this place is free */
	} asked[X11_ASKED];
	uint8_t next_asked;
	uint16_t sent[65536];	/* major << 8 | minor of the request with this number */
};

struct x11_tap *x11_new(struct x11_count *sum);	/* NULL: no memory */
walk_step x11_client_step, x11_server_step;

#endif
