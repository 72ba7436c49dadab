// SPDX-License-Identifier: GPL-3.0-or-later
#include "duplicate.h"
#include "random.h"

#include <string.h>

#define IPV4_IDENTIFICATION 4 /* offset in the IPv4 header (RFC 791) */

static uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, uint32_t n)
{
	uint64_t word;

	for (; n; n -= n < sizeof(word) ? n : (uint32_t)sizeof(word), bytes += sizeof(word)) {
		word = 0;
		memcpy(&word, bytes, n < sizeof(word) ? n : sizeof(word));
		hash = random_mix(hash ^ word) + n;
	}
	return hash;
}

/* Where the transport header begins; 0: not known, as of UDP. */
static uint32_t transport_offset(const struct segment *s)
{
	return s->transport == TRANSPORT_TCP && s->payload_at >= s->transport_header_bytes
		       ? s->payload_at - s->transport_header_bytes
		       : 0;
}

static uint16_t read_identification(const struct packet *p, const struct segment *s, uint32_t transport)
{
	uint32_t at = transport - s->ip_header_bytes + IPV4_IDENTIFICATION;

	if (!s->ipv4 || transport < s->ip_header_bytes || at + 2 > p->captured)
		return 0;
	return (uint16_t)(p->bytes[at] << 8 | p->bytes[at + 1]);
}

bool duplicate_detect_copy(struct duplicates *d, const struct packet *p, const struct segment *s)
{
	uint32_t transport = transport_offset(s), n;
	struct packet_mark *seen;
	uint16_t identification;
	uint64_t hash;
	bool copy;

	if (!transport || transport >= p->captured)
		return false;
	identification = read_identification(p, s, transport);
	n = p->captured - transport < DUPLICATE_BYTES ? p->captured - transport : DUPLICATE_BYTES;
	if (n > s->transport_header_bytes + s->payload_bytes)
		n = s->transport_header_bytes + s->payload_bytes; /* no padding */
	hash = hash_bytes(identification, &s->address[0][0], sizeof(s->address));
	hash = hash_bytes(hash ^ s->payload_bytes, p->bytes + transport, n);
	seen = &d->packet[hash % DUPLICATE_MEMORY];
	copy = seen->hash == hash && p->time_ns >= seen->time_ns &&
	       p->time_ns - seen->time_ns <= (identification ? DUPLICATE_NS : DUPLICATE_UNIDENTIFIED_NS) &&
	       (identification || s->payload_bytes || d->payload_copies);
	*seen = (struct packet_mark){ .hash = hash, .time_ns = p->time_ns };
	d->copies += copy;
	d->payload_copies |= copy && s->payload_bytes;
	return copy;
}
