/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rfb - what an RFB server says, taken as it comes: bytes in, a screen and its changes out. RFC
 * 6143, and the registered extensions below.
 *
 * Knows no socket and no file: a live connection, a log and a fuzzer push the same way, in pieces
 * of any size. Every length is checked before it is believed; no message can make it read beyond
 * what came, write beyond the screen, allocate more than SCREEN_PIXELS_MOST allows, or need more
 * than a bounded time for each byte that came.
 *
 * Encodings: Raw, CopyRect, RRE, CoRRE, Hextile, Zlib, Tight (also JPEG), ZRLE; Cursor, XCursor,
 * PointerPos, DesktopSize, ExtendedDesktopSize, LastRect, DesktopName; others are an error, since
 * their length is unknown. */
#ifndef THINPROBE_RFB_H
#define THINPROBE_RFB_H

#include "screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rfb_format {	/* PIXEL_FORMAT */
	uint8_t bits, depth, big_endian, true_colour;	/* bits: 8, 16 or 32 a pixel */
	uint16_t red_max, green_max, blue_max;
	uint8_t red_shift, green_shift, blue_shift;
};
extern const struct rfb_format rfb_xrgb;	/* 32 bits, little endian, 0x00RRGGBB: the fast one, which vncplay asks servers for */

/* Called while bytes are taken. Any may be NULL. */
struct rfb_events {
	void (*resized)(void *whose, int width, int height);	/* also once at the start */
	void (*painted)(void *whose, struct box box);		/* a rectangle of pixels is on the screen, whether or not they differ */
	void (*ended)(void *whose);				/* the update is whole */
	/* a cursor shape of at least one pixel came: this server leaves drawing the pointer to its
	 * clients */
	void (*shape)(void *whose);
};

struct rfb;

/* Begins with the server's greeting, as a log has it (RFB 3.3: version, u32 security type 1,
 * ServerInit) where `format` is NULL; with the messages after ServerInit, on a screen of that size
 * and in that format, where it is not. NULL: no memory (errno), or a size that is refused
 * (EINVAL). */
struct rfb *rfb_open(const struct rfb_events *events, void *whose, const struct rfb_format *format, int width, int height);
void rfb_free(struct rfb *r);

/* Takes the next bytes. 0, or -EPROTO for good once they are not RFB (rfb_why tells), -ENOMEM.
 * Updates that were whole before are valid. */
int rfb_take(struct rfb *r, const uint8_t *bytes, size_t n);
const char *rfb_why(const struct rfb *r);
bool rfb_ready(const struct rfb *r);	/* the greeting is over, the screen has its size */

/* Since rfb_open: updates that were whole, and new sizes of the screen, the first one included. */
unsigned rfb_updates(const struct rfb *r);
unsigned rfb_resizes(const struct rfb *r);

const struct screen *rfb_screen(const struct rfb *r);
const char *rfb_name(const struct rfb *r);	/* the desktop's name, cut to 255 bytes, control characters as '?' */

#endif
