/* SPDX-License-Identifier: GPL-3.0-or-later */
/* skip_parser - parses a stream in steps: skips bytes, then collects a piece of known length for a protocol's step function.
 *
 * The step sets how many bytes to skip, how long the next piece is, and which counters get the bytes. Where it cannot go on, the
 * parser stops with a reason; all further bytes count as undecoded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SKIP_PARSER_PIECE 264 /* bytes of the longest piece: a name of 255 bytes, padded */

struct skip_parser {
	uint8_t piece[SKIP_PARSER_PIECE];
	uint32_t have, want; /* bytes of the piece so far, bytes wanted; want 0: call the step when bytes come */
	uint64_t skip;	     /* bytes to skip before the piece */
	void (*passed)(void *context, const uint8_t *bytes,
		       uint32_t n); /* gets the bytes that are skipped; NULL: they are dropped */
	uint64_t *to, *part;	    /* counters that get the bytes; NULL: not decided yet, no second counter */
	uint64_t unclaimed;	    /* bytes passed while `to` was NULL */
	uint64_t undecoded;	    /* bytes after the stop */
	const char *stopped;	    /* reason; NULL: not stopped */
};

/* A protocol's step: gets a piece of `n` bytes. Sets the next want and skip, or stops the parser. Where it sets neither, or skips
 * without a want, it is called with n = 0 when the next byte comes. */
typedef void skip_parser_step(void *context, struct skip_parser *w, const uint8_t *piece, uint32_t n);

/* Parses the next `length` bytes of the stream, of which only the first `captured` are in `bytes`. */
void skip_parser_feed(struct skip_parser *w, const uint8_t *bytes, uint32_t captured, uint32_t length, skip_parser_step *step,
		      void *context);

/* Counts bytes in *to from here on, and the unclaimed ones before. NULL: leaves the next bytes unclaimed. */
void skip_parser_set_counter(struct skip_parser *w, uint64_t *to);
void skip_parser_stop(struct skip_parser *w, const char *why);

/* Sets what comes next: `skip` bytes to skip, then a piece of `want` bytes. */
static inline void skip_parser_expect(struct skip_parser *w, uint64_t skip, uint32_t want)
{
	w->skip = skip;
	w->want = want;
}
