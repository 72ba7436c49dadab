/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tls - counts records of Transport Layer Security by their headers.
 *
 * A record is a header of five plain bytes (type, version, length) and as many bytes as it announces (RFC 8446, 5.1; RFC 5246,
 * 6.2.1). The overhead of encryption in each record follows from the cipher that the server chose in plain text: AES-GCM 8 + 16
 * bytes in TLS 1.2 (RFC 5288) and 16 + 1 in 1.3, ChaCha20-Poly1305 16 (RFC 7905); CBC ciphers at least IV, MAC and one byte of
 * padding. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TLS_HEADER 5
#define TLS_LOOK 65536 /* first bytes of a stream in which the first record is looked for: TLS may start after some plain text */

/* All members are uint64_t: counters_add() sums them. */
struct tls_counts {
	uint64_t streams, records, application_records, record_bytes;
	uint64_t seal_bytes; /* overhead of encryption */
	uint64_t unsealed;   /* encrypted records of an unknown cipher, not in seal_bytes */
	uint64_t broken;     /* streams that ended in a hole or in bytes that are no record */
};

/* Follows one direction of a connection, which has to begin at the first byte of a TLS record. */
struct tls_parser {
	uint8_t head[TLS_HEADER], have; /* header of the current record, and how many of its bytes are there */
	bool sealed;			/* a ChangeCipherSpec was seen: later records are encrypted */
	bool over;			/* the stream cannot be followed any further */
	uint32_t left;			/* bytes left of the current record */
};

/* Whether a segment begins with a handshake (ClientHello, ServerHello) or, if `midway`, with application data. */
bool tls_is_start(const uint8_t *bytes, size_t n, bool midway);

/* The cipher chosen by a ServerHello at the beginning of these bytes; 0: none, or too few bytes. */
uint16_t tls_server_hello_cipher(const uint8_t *bytes, size_t n);
/* Bytes that the cipher adds to a record; 0: not known. *least: possibly more. */
uint32_t tls_cipher_overhead(uint16_t cipher, bool *least);

/* Counts the stream's next `length` bytes, of which only the first `captured` are in `bytes`. */
void tls_count_records(struct tls_parser *t, struct tls_counts *n, uint32_t seal, const uint8_t *bytes, uint32_t captured,
		       uint32_t length);
/* Bytes of the stream are missing: stops following it. */
void tls_stop(struct tls_parser *t, struct tls_counts *n);
