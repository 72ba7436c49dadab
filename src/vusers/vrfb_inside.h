/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vrfb_inside - what the files of vrfb.h share: the states, and the bytes that are to be said. */
#ifndef THINPROBE_VUSERS_VRFB_INSIDE_H
#define THINPROBE_VUSERS_VRFB_INSIDE_H

#include "vrfb.h"
#include "rfb/bytes.h"

/* What the next `need` bytes are; those before VRFB_MESSAGE are of the greeting. */
enum {
	VRFB_VERSION, VRFB_SECURITY_33, VRFB_SECURITY_COUNT, VRFB_SECURITY_TYPES, VRFB_CHALLENGE, VRFB_RESULT, VRFB_INIT,
	VRFB_MESSAGE, VRFB_UPDATE_HEAD, VRFB_COLOURS, VRFB_CUT_TEXT, VRFB_RECT, VRFB_LENGTH, VRFB_TILE, VRFB_TILE_COLOURS,
};

static inline void vrfb_expect(struct vrfb *s, int state, uint8_t need)
{
	s->state = state;
	s->need = need;
	s->have = 0;
}

/* Room for so many bytes in `out`; NULL: there is none. */
static inline uint8_t *vrfb_room(struct vrfb *s, size_t n)
{
	uint8_t *at = s->out + s->n_out;

	if (s->n_out + n > sizeof(s->out))
		return NULL;
	s->n_out = (uint8_t)(s->n_out + n);
	return at;
}

/* Asks for an update of all of the screen. 0 or -ENOBUFS. */
int vrfb_request(struct vrfb *s, bool incremental);
/* A state before VRFB_MESSAGE, whose bytes stand in `head`. 0 or -errno as vrfb_feed(). */
int vrfb_greet(struct vrfb *s);

#endif
