/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb - decodes what an RFB server sends: bytes in, a screen and its changes out. RFC 6143, and the registered extensions below.
 *
 * Knows no socket and no file: a live connection, a log and a fuzzer feed it in the same way, in pieces of any size. A rectangle
 * is painted when all its bytes are there (parts of RRE: each). Every length is checked: no message can make it read beyond the
 * bytes given, write outside of the screen, allocate more than some bytes for each pixel of its rectangle, or spend more than the
 * time of painting a rectangle on a byte.
 *
 * Encodings: Raw, CopyRect, RRE, CoRRE, Hextile, Zlib, Tight (also JPEG), ZRLE; Cursor, XCursor, PointerPos, DesktopSize,
 * ExtendedDesktopSize, LastRect, DesktopName. Others are an error, since their length is unknown. */
#pragma once

#include "screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfb_format {				      /* PIXEL_FORMAT */
	uint8_t bits, depth, big_endian, true_colour; /* bits per pixel: 8, 16 or 32 */
	uint16_t max[3];			      /* largest values of red, green, blue */
	uint8_t shift[3];
};
/* 32 bits, little endian, 0x00RRGGBB: the format that vncplay requests, and decodes fastest */
extern const struct rfb_format rfb_xrgb;

/* Callbacks during rfb_decode_bytes. Any may be NULL. */
struct rfb_event_callbacks {
	void (*resized)(void *whose, int width, int height); /* new size of the screen; also once with ServerInit */
	void (*painted)(void *whose, struct pixel_area box); /* a rectangle was painted, whether or not its pixels changed */
	void (*ended)(void *whose);			     /* the end of a framebuffer update */
	/* a cursor shape of at least one pixel: the server leaves drawing the pointer to its clients */
	void (*shape)(void *whose);
};

struct rfb_decoder;

/* `format` NULL: the bytes begin with the greeting of a log (RFB 3.3: version, u32 security type 1, ServerInit). Else they
 * begin after ServerInit, for a screen of this size in that format. NULL with errno: no memory, or EINVAL: a size or format
 * that is refused. */
struct rfb_decoder *rfb_decoder_open(const struct rfb_event_callbacks *events, void *whose, const struct rfb_format *format,
				     int width, int height);
void rfb_decoder_free(struct rfb_decoder *r);

/* Decodes the next bytes. 0; -EPROTO: they are not RFB (`why` below); -ENOMEM. Later calls return the same error. Updates
 * decoded before it are valid. */
int rfb_decode_bytes(struct rfb_decoder *r, const uint8_t *bytes, size_t n);

struct rfb_state { /* what was decoded so far */
	struct screen screen;
	bool greeted;		   /* the greeting is complete, the screen has its size */
	unsigned updates, resizes; /* complete updates, and sizes of the screen, including the first */
	char name[256];		   /* of the desktop, cut to 255 bytes, control characters replaced by '?' */
	char why[128];		   /* after -EPROTO: what is not RFB */
};
const struct rfb_state *rfb_state(const struct rfb_decoder *r);
