/* SPDX-License-Identifier: GPL-3.0-or-later */
/* content - what stands in the payload: records of TLS always, messages of RFB and X11 where that was asked for.
 *
 * A connection is read only while there is hope: TLS shows within its first TLS_LOOK bytes at the beginning of a segment, or never;
 * RFB and X11 by the first bytes of a connection whose beginning was captured. Where bytes are missing, a direction stops. */
#ifndef PROTOTAP_CONTENT_H
#define PROTOTAP_CONTENT_H

#include "flow.h"
#include "order.h"
#include "rfb.h"
#include "tls.h"
#include "x11.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum content_decode { DECODE_NOTHING, DECODE_RFB, DECODE_X11, DECODE_AUTO };
enum content_kind { CONTENT_UNDECIDED, CONTENT_OTHER, CONTENT_RFB, CONTENT_X11, CONTENT_KINDS };

#define CONTENT_X11_MAX 128	/* X11 connections at one time; a decoder has 130 KB */
#define CONTENT_STOPS 40

struct contents {
	int decode;			/* enum content_decode */
	size_t held;			/* early data that waits */
	uint32_t x11_open;
	struct tls_count tls[CHANNELS];
	bool tls_least;			/* some seals may be larger */
	struct rfb_count *rfb;		/* owned; NULL: not asked for */
	struct x11_count *x11;		/* owned; NULL: not asked for */
	uint64_t connections[CONTENT_KINDS], undecoded[CONTENT_KINDS];	/* by what they turned out to be; bytes of them */
	struct content_stop {
		const char *why;
		uint64_t streams;
	} stop[CONTENT_STOPS];
	int stops;
};

int contents_init(struct contents *all, int decode);	/* 0 or -ENOMEM */
void contents_free(struct contents *all);

enum { CONTENT_LOOKED = 3 };	/* `looked` of a connection in which there is nothing to be found any more */

/* A TCP segment with payload, of which `captured` bytes are there, and what the stream made of it. */
void content_segment(struct contents *all, struct flow *f, int c, const uint8_t *payload, uint32_t captured, uint32_t length,
		     const struct stream_taken *t);
/* The stream gave holes up. */
void content_reached(struct contents *all, struct flow *f, int c);
/* The connection is over, or given up. */
void content_end(struct contents *all, struct flow *f);

#endif
