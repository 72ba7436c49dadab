/* SPDX-License-Identifier: GPL-3.0-or-later */
/* records - reads capture files: pcap of version 2.4 with microseconds or nanoseconds, in either byte order
 * (draft-ietf-opsawg-pcap), and pcapng (draft-ietf-opsawg-pcapng). libpcap reads older forms.
 *
 * libpcap takes one link type, snapshot length and byte order of pcapng only, and skips the packets that were lost. Here interfaces
 * may differ, and those without packets do not matter; all packets must be of one link type. Of pcap, packets and damage are the
 * same as libpcap's, but for a fraction over a second: nanoseconds at the first packet, else damage. */
#pragma once

#include "decode.h"
#include "why.h"

#include <stddef.h>
#include <stdio.h>

/* For reading alone, as far as the file was read. */
struct record_facts {
	const struct link_layer *link; /* of the first packet, or without packets of the first interface; NULL: it cannot be read */
	uint32_t number;	       /* of its link type */
	int64_t drops;		       /* packets lost by interfaces and kernel together; -1: not recorded (pcap cannot) */
	uint64_t untimed;	       /* packets without a time */
	bool mixed;		       /* the error is no damage: packets of another link type */
	struct why error;
};

struct record_reader;

/* Reads the header and the first packet. The stream stays the caller's. NULL: no such file, and the stream is where it was; or its
 * header is damaged, with the reason in `why`, else empty. */
struct record_reader *records_open(FILE *stream, struct why *why);
void records_close(struct record_reader *f); /* NULL is allowed */

const struct record_facts *records_facts(const struct record_reader *f);

/* The next packet, valid until the next call: 1; 0: end of the file; -1, now and at all later calls: an error. */
int records_next(struct record_reader *f, struct packet *p);

/* Explains what is mixed, and the cure, in `why`; reads on to the end for that. `path` is for messages. False: no packet is of
 * a link type that can be read, or the file is no pcapng. */
bool records_explain_mixture(struct record_reader *f, const char *path, struct why *why);
