/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tls - records of Transport Layer Security, counted from outside by their headers.
 *
 * A record is five bytes in the clear (type, version, length) and what they announce (RFC 8446,
 * 5.1; RFC 5246, 6.2.1). What else each record spends on being sealed follows from the cipher that
 * the server chose, in the clear: AES-GCM 8 + 16 bytes in TLS 1.2 (RFC 5288) and 16 + 1 in 1.3,
 * ChaCha20-Poly1305 16 (RFC 7905); of CBC ciphers at least their IV, MAC and one byte of
 * padding. */
#ifndef PROTOTAP_TLS_H
#define PROTOTAP_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TLS_HEADER 5
#define TLS_LOOK 65536		/* a stream that has come so far without a record has none: TLS may begin behind a few words in the clear */

struct tls_count {
	uint64_t streams, records, application_records, record_bytes, seal_bytes;
	uint64_t unsealed;	/* sealed records of which nobody told the cipher: they are not in seal_bytes */
	uint64_t broken;	/* streams that could not be followed to their end: a hole, or what is no record */
};

/* One direction of a connection, from a record's first byte on. */
struct tls {
	uint8_t head[TLS_HEADER], have;
	bool sealed;		/* a ChangeCipherSpec was seen */
	bool over;		/* cannot be followed any further */
	uint32_t left;		/* bytes of the record that runs */
};

/* Does a segment begin as a handshake (ClientHello, ServerHello), or, where `midway`, as application data? */
bool tls_begins(const uint8_t *bytes, size_t n, bool midway);

/* The cipher that a ServerHello at the beginning of these bytes chooses; 0: none, or not so much of it was captured. */
uint16_t tls_cipher(const uint8_t *bytes, size_t n);
/* What it adds to a record; 0: not known. `*least`: it may be more. */
uint32_t tls_seal(uint16_t cipher, bool *least);

/* The stream's next `length` bytes, of which `captured` are there. */
void tls_take(struct tls *t, struct tls_count *n, uint32_t seal, const uint8_t *bytes, uint32_t captured, uint32_t length);
/* Some bytes are missing. */
void tls_lost(struct tls *t, struct tls_count *n);

#endif
