/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vrfb - an RFB client (RFC 6143) for thousands of users: detects framebuffer updates without decoding pixels.
 *
 * A state machine that takes bytes in pieces of any size and skips pixel data by its length. It requests only encodings whose
 * length is known without decoding: Raw, CopyRect, Hextile, ZRLE; Cursor, DesktopSize, LastRect. Security: None, or VNC
 * authentication with a password. Pure: the bytes to be sent are left in `out`.
 *
 * If the server runs refecho, which draws a number (patch.h), the pixels of that patch can be kept: then the echo is exact. */
#pragma once

#include "patch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flags returned by vrfb_parse_bytes(). */
enum {
	VRFB_READY = 1,		/* the first update is complete: the user sees the desktop */
	VRFB_ANSWER = 2,	/* an update that began after the request is complete (or the patch shows the awaited number) */
	VRFB_UPDATE = 4		/* an update with pixels is complete */
};

/* Size and position of the patch that refecho draws, in pixels. */
#define VRFB_CELL 8
#define VRFB_PATCH_X (2 * VRFB_CELL)
#define VRFB_PATCH_Y (2 * VRFB_CELL)
#define VRFB_PATCH_WIDTH (PATCH_COLUMNS * VRFB_CELL)
#define VRFB_PATCH_HEIGHT (PATCH_ROWS * VRFB_CELL)

struct rfb_echo_patch {
	uint8_t luminance[VRFB_PATCH_HEIGHT * VRFB_PATCH_WIDTH];
	uint32_t shown, awaited;	/* number in the patch; number that answers the request */
	bool seen;			/* a number was read at least once */
};

struct rfb_update_detector_cfg {
	const int32_t *encodings;	/* to request, preferred first; pseudo-encodings are added */
	int n_encodings;
	const char *password;		/* NULL: none */
};

struct rfb_update_detector {
	const struct rfb_update_detector_cfg *cfg;
	struct rfb_echo_patch *patch;	/* not owned; NULL: the next update is the answer */
	uint64_t skip, skipped;		/* bytes to be skipped; bytes skipped so far of the present block */
	int state;			/* meaning of the next `need` bytes */
	uint8_t have, need;		/* bytes in `head`, and bytes that complete it */
	uint8_t version;		/* RFB 3.x: 3, 7 or 8 */
	bool ready;			/* the first update is complete */
	bool asked;			/* a request awaits its answer */
	bool in_update;			/* an update is being read */
	bool counts;			/* this update began after the request */
	bool pixels;			/* this update has pixels */
	bool raw;			/* the skipped bytes are raw pixels, of which those of the patch are kept */
	bool coloured;			/* Hextile: each subrectangle has its own colour */
	bool last_rect;			/* LastRect ended the update */
	bool proven;			/* a password was sent */
	uint32_t unasked;		/* updates with pixels that began while no request awaited its answer, after the first; the caller
					 * may set it to 0 */
	bool offers_none, offers_vnc;	/* security types of the server */
	uint8_t pixel_bytes, n_out;
	uint16_t width, height, rects;	/* of the screen; rectangles (or security types) still to come */
	uint16_t x, y, w, h, tile_x, tile_y;	/* present rectangle and Hextile tile */
	uint8_t head[28];		/* fixed part of the message being read */
	uint8_t out[104];		/* n_out bytes to be sent; the sender then sets n_out = 0 */
};

void vrfb_init_detector(struct rfb_update_detector *s, const struct rfb_update_detector_cfg *cfg, struct rfb_echo_patch *patch);
/* Takes received bytes. Returns flags; or -EPROTO (no RFB, or an encoding that was not requested), -EACCES (the server wants a
 * password and there is none), -EKEYREJECTED (wrong password), -EPROTONOSUPPORT (other security types only), -ECONNREFUSED (the
 * server refuses), -ENOBUFS (`out` is full because the caller did not send it). */
int vrfb_parse_bytes(struct rfb_update_detector *s, const uint8_t *bytes, size_t n);
/* To be called before a request is sent: the next update (or number) answers it. */
void vrfb_expect_answer(struct rfb_update_detector *s);
