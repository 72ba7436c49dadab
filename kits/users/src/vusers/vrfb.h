/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vrfb - an RFB client (RFC 6143) for thousands of users: detects framebuffer updates without decoding pixels.
 *
 * Takes bytes in pieces of any size; rfb/walk.h skips pixel data by its length. Security: None, or VNC authentication with a
 * password. Pure: the bytes to be sent are left in `out`.
 *
 * If the server runs refecho, which draws a number (patch.h), the pixels of that patch can be kept: then the echo is exact. */
#pragma once

#include "patch.h"
#include "rfb/walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Flags returned by vrfb_parse(). */
enum {
	VRFB_READY = 1,	 /* the first update is complete: the user sees the desktop */
	VRFB_ANSWER = 2, /* an update that began after the request is complete (or the patch shows the awaited number) */
	VRFB_UPDATE = 4	 /* an update with pixels is complete */
};

/* Size and position of the patch that refecho draws, in pixels. */
#define VRFB_CELL 8
#define VRFB_PATCH_X (2 * VRFB_CELL)
#define VRFB_PATCH_Y (2 * VRFB_CELL)
#define VRFB_PATCH_WIDTH (PATCH_COLUMNS * VRFB_CELL)
#define VRFB_PATCH_HEIGHT (PATCH_ROWS * VRFB_CELL)

struct vrfb_patch {
	uint8_t luminance[VRFB_PATCH_HEIGHT * VRFB_PATCH_WIDTH];
	uint32_t shown, awaited; /* number in the patch; number that answers the request */
	bool seen;		 /* a number was read at least once */
};

struct vrfb_cfg {
	const int32_t *encodings; /* to request, preferred first; pseudo-encodings are added */
	int n_encodings;
	const char *password; /* NULL: none */
};

struct vrfb {
	const struct vrfb_cfg *cfg;
	struct vrfb_patch *patch; /* not owned; NULL: the next update is the answer */
	struct skip_parser in;
	struct rfb_walk walk;
	int state;		/* meaning of the next piece */
	int err, flags;		/* of the current call of vrfb_parse() */
	uint64_t passed;	/* bytes of the raw rectangle so far, where those of the patch are kept */
	uint32_t unasked;	/* updates with pixels that began while no request awaited its answer, after the first; the caller
					 * may set it to 0 */
	uint16_t width, height; /* of the screen */
	uint8_t version;	/* RFB 3.x: 3, 7 or 8 */
	bool ready;		/* the first update is complete */
	bool asked;		/* a request awaits its answer */
	bool counts;		/* this update began after the request */
	bool pixels;		/* this update has pixels */
	bool updated;		/* an update ended in the current call */
	bool proven;		/* a password was sent */
	uint8_t n_out;
	uint8_t out[104]; /* n_out bytes to be sent; the sender then sets n_out = 0 */
};

void vrfb_init(struct vrfb *s, const struct vrfb_cfg *cfg, struct vrfb_patch *patch);
/* Takes received bytes. Returns flags; or -EPROTO (no RFB, or an unknown encoding), -EACCES (the server wants a
 * password and there is none), -EKEYREJECTED (wrong password), -EPROTONOSUPPORT (other security types only), -ECONNREFUSED (the
 * server refuses), -ENOBUFS (`out` is full because the caller did not send it). */
int vrfb_parse(struct vrfb *s, const uint8_t *bytes, size_t n);
/* To be called before a request is sent: the next update (or number) answers it. */
void vrfb_expect_answer(struct vrfb *s);
