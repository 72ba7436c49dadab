/* SPDX-License-Identifier: GPL-3.0-or-later */
/* payload - what is in TCP payload: TLS records, and where asked for RFB and X11 messages.
 *
 * A connection's payload is read only while it may be of a known protocol: TLS must begin at the start of a segment within the
 * first TLS_LOOK bytes, RFB and X11 with the first bytes of a connection that was captured from its start. Where bytes are
 * missing, decoding of that direction stops. RFB is followed also where it is not reported: its messages tell where updates end. */
#pragma once

#include "flow.h"
#include "rfb.h"
#include "tls.h"
#include "x11.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum payload_decode { DECODE_NOTHING, DECODE_RFB, DECODE_X11, DECODE_AUTO };
enum payload_kind { PAYLOAD_UNDECIDED, PAYLOAD_OTHER, PAYLOAD_RFB, PAYLOAD_X11, PAYLOAD_KINDS };

#define PAYLOAD_X11_MAX 128 /* X11 connections decoded at one time, 130 KB each */
#define PAYLOAD_STOPS 40    /* different reasons that are counted */

struct payload_totals {
	int decode;	   /* enum payload_decode */
	uint32_t x11_open; /* X11 connections being decoded */
	struct tls_counts tls[CHANNELS];
	bool tls_least;						       /* TLS overhead is a lower bound */
	struct rfb_counts *rfb;					       /* owned */
	struct x11_counts *x11;					       /* owned; NULL: not decoded */
	uint64_t connections[PAYLOAD_KINDS], undecoded[PAYLOAD_KINDS]; /* connections by kind, and their undecoded bytes */
	struct decode_stop {
		const char *why;
		uint64_t streams;
	} stop[PAYLOAD_STOPS]; /* why decoding stopped */
	int stops;
};

void payload_totals_init(struct payload_totals *all, int decode);
void payload_totals_free(struct payload_totals *all);

/* Begins to listen to a connection's streams if this segment may begin a known protocol; to be called before its stream takes the
 * segment. */
void payload_seek_protocol(struct payload_totals *all, struct flow *f, int c, const struct stream_segment *s);
/* Ends a connection and adds its counts. */
void payload_end_flow(struct payload_totals *all, struct flow *f);
/* Whether the message of a channel goes on after the bytes so far: 1 yes, also a record of TLS; 0 no; -1 not known. */
int payload_in_message(const struct flow *f, int c);
/* Bytes that TLS adds to the payload: record headers, and where known the overhead of encryption. */
uint64_t payload_tls_overhead(const struct payload_totals *all);
