/* SPDX-License-Identifier: GPL-3.0-or-later */
/* walk - a stream of bytes read in steps: a piece of known length that is looked at, then a number of bytes that are passed over.
 *
 * Who walks says after each piece how long the next one is, what to pass over before it, and to which counts the bytes belong. What
 * cannot be walked any further stops, with a reason; from then on bytes are undecoded. */
#ifndef PROTOTAP_WALK_H
#define PROTOTAP_WALK_H

#include <stdbool.h>
#include <stdint.h>

#define WALK_PIECE 264	/* the longest that is looked at: a name of 255 bytes and its padding */

struct walk {
	uint8_t piece[WALK_PIECE];
	uint32_t have, want;	/* of the piece; want 0: ask when bytes come */
	uint64_t skip;		/* before it */
	uint64_t *to, *part;	/* whose bytes these are; NULL: nobody's yet */
	uint64_t unclaimed;	/* bytes that passed while `to` was NULL */
	uint64_t undecoded;
	const char *stopped;	/* why; NULL: goes on */
};

/* `n` bytes of `piece` are there (0: it was to be asked). Sets want and skip, or stops. */
typedef void walk_step(void *context, struct walk *w, const uint8_t *piece, uint32_t n);

void walk_take(struct walk *w, const uint8_t *bytes, uint32_t captured, uint32_t length, walk_step *step, void *context);

/* From here on, and with what nobody had claimed, bytes count there. NULL: what comes next is nobody's yet. */
void walk_count(struct walk *w, uint64_t *to);
void walk_stop(struct walk *w, const char *why);

/* Over `skip` bytes to a piece of `want`. */
static inline void walk_on(struct walk *w, uint64_t skip, uint32_t want)
{
	w->skip = skip;
	w->want = want;
}

#endif
