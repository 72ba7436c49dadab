/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vrfb - the client's side of RFB (RFC 6143) for users of whom there are thousands: tells when an
 * update has come, and keeps no pixels.
 *
 * A state machine that is fed with bytes in pieces of any size and skips by lengths. Only encodings
 * whose length can be told without decoding are asked for: Raw, CopyRect, Hextile, ZRLE; Cursor,
 * DesktopSize, LastRect. Security: None, or VNC authentication by a password. Pure: what is to be
 * sent lies in `out`.
 *
 * Where the server is a reference application that draws a number (patch.h), the patch's own few
 * pixels can be kept, and the echo is exact. */
#ifndef THINPROBE_VUSERS_VRFB_H
#define THINPROBE_VUSERS_VRFB_H

#include "patch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of vrfb_feed(). */
enum {
	VRFB_READY = 1,		/* the first update is there: the user sees the desktop */
	VRFB_ANSWER = 2,	/* an update that began after the last question has come wholly (or the patch shows the number) */
	VRFB_UPDATE = 4		/* an update with pixels has come wholly */
};

/* The corner of the screen where the reference application draws. */
#define VRFB_CELL 8
#define VRFB_PATCH_X (2 * VRFB_CELL)
#define VRFB_PATCH_Y (2 * VRFB_CELL)
#define VRFB_PATCH_WIDTH (PATCH_COLUMNS * VRFB_CELL)
#define VRFB_PATCH_HEIGHT (PATCH_ROWS * VRFB_CELL)

struct vrfb_patch {
	uint8_t luminance[VRFB_PATCH_HEIGHT * VRFB_PATCH_WIDTH];
	uint32_t shown, awaited;
	bool seen;
};

struct vrfb_cfg {
	const int32_t *encodings;	/* those asked for, the best first; pseudo-encodings come on top */
	int n_encodings;
	const char *password;		/* NULL: there is none */
};

struct vrfb {
	const struct vrfb_cfg *cfg;
	struct vrfb_patch *patch;	/* the caller's; NULL: the next update is the answer */
	uint64_t skip, skipped;		/* bytes that nobody reads: still to come, and so far in this piece */
	int state;			/* what the next `need` bytes are */
	uint8_t have, need;
	uint8_t version;		/* 3, 7 or 8 */
	bool ready, asked, in_update, counts, pixels, raw, coloured, last_rect, proven;
	uint8_t pixel_bytes, n_out;
	uint16_t width, height, rects;
	uint16_t x, y, w, h, tile_x, tile_y;
	uint8_t head[28];
	uint8_t out[104];		/* to be sent, n_out of them; then n_out = 0 */
};

void vrfb_start(struct vrfb *s, const struct vrfb_cfg *cfg, struct vrfb_patch *patch);
/* Takes them all: flags, each of them once however often it was so; or -EPROTO (no RFB, or none
 * that can be skipped), -EACCES (the server wants a password, and there is none), -EKEYREJECTED (it
 * does not take it), -EPROTONOSUPPORT (it offers other security only), -ECONNREFUSED (it gives a
 * reason and refuses), -ENOBUFS (what was in `out` was not sent). */
int vrfb_feed(struct vrfb *s, const uint8_t *bytes, size_t n);
/* A key is about to be sent: the next update (or number) answers it. */
void vrfb_ask(struct vrfb *s);

#endif
