// SPDX-License-Identifier: GPL-3.0-or-later
#include "duplicate.h"
#include "random.h"

#include <string.h>

#define IPV4_IDENTIFICATION 4 /* offsets in the IP headers (RFC 791, RFC 8200) */
#define IPV4_HOPS 8
#define IPV6_HOPS 7
#define TCP_FIXED 20
#define SHARE_OF 32 /* packets of which the share of copies is taken */

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

static uint64_t hash_end(const struct segment *s, int end)
{
	return hash_bytes(s->port[end], s->address[end], sizeof(s->address[end]));
}

static uint64_t hash_direction(const struct segment *s, int source)
{
	return random_mix(hash_end(s, source)) ^ hash_end(s, 1 - source);
}

/* Where the TCP header begins; 0: not known, as of UDP, or not kept. */
static uint32_t transport_offset(const struct packet *p, const struct segment *s)
{
	uint32_t at = s->payload_at - s->transport_header_bytes;

	return s->transport == TRANSPORT_TCP && s->payload_at >= s->transport_header_bytes + s->ip_header_bytes && at < p->captured
		       ? at
		       : 0;
}

static uint16_t read_identification(const struct packet *p, const struct segment *s, uint32_t transport)
{
	uint32_t at = transport - s->ip_header_bytes + IPV4_IDENTIFICATION;

	if (!s->ipv4)
		return 0;
	return (uint16_t)(p->bytes[at] << 8 | p->bytes[at + 1]);
}

/* Of what a translation of addresses and ports leaves as it is: the TCP header but ports and checksum, options and payload. */
static uint64_t hash_content(const struct packet *p, const struct segment *s, uint32_t transport)
{
	uint32_t n = s->transport_header_bytes - TCP_FIXED + s->payload_bytes /* no padding */, at = transport + TCP_FIXED;
	uint64_t hash = random_mix((uint64_t)s->seq << 32 | s->ack) ^ s->payload_bytes;

	hash = random_mix(hash ^ ((uint64_t)s->window << 32 | (uint64_t)read_identification(p, s, transport) << 16 | s->flags));
	n = n < DUPLICATE_BYTES ? n : DUPLICATE_BYTES;
	if (at >= p->captured)
		return hash;
	return hash_bytes(hash, p->bytes + at, n < p->captured - at ? n : p->captured - at);
}

static struct packet_sender *find_sender(struct duplicates *d, uint64_t direction)
{
	return &d->sender[direction % DUPLICATE_SENDERS];
}

/* A packet without identification, with the same bytes as one at `first_ns` a moment ago. */
static bool is_unidentified_copy(struct duplicates *d, const struct segment *s, struct packet_sender *by, int64_t first_ns)
{
	uint64_t opposite = hash_direction(s, 1);
	const struct packet_sender *other = find_sender(d, opposite);

	by->doubled |= s->flags & TCP_SYN;
	by->copies += s->payload_bytes > 0;
	return s->flags & TCP_SYN || by->doubled || (by->payloads && 4 * by->copies >= 3 * by->payloads) ||
	       (s->payload_bytes && other->direction == opposite && other->last_ns <= first_ns);
}

bool duplicate_detect_copy(struct duplicates *d, const struct packet *p, const struct segment *s)
{
	uint32_t transport = transport_offset(p, s);
	struct packet_sender *by;
	struct packet_mark *seen;
	uint64_t direction, hash;
	bool copy;

	if (!transport)
		return false;
	direction = hash_direction(s, 0);
	by = find_sender(d, direction);
	if (by->direction != direction)
		*by = (struct packet_sender){ .direction = direction };
	hash = hash_content(p, s, transport) ^ direction;
	seen = &d->packet[hash % DUPLICATE_MEMORY];
	copy = seen->hash == hash && p->time_ns >= seen->time_ns &&
	       (read_identification(p, s, transport)
			? p->time_ns - seen->time_ns <= DUPLICATE_NS
			: p->time_ns - seen->time_ns <= DUPLICATE_UNIDENTIFIED_NS && is_unidentified_copy(d, s, by, seen->time_ns));
	*seen = (struct packet_mark){ .hash = hash, .time_ns = p->time_ns };
	d->copies += copy;
	if (copy)
		return true;
	by->last_ns = p->time_ns;
	by->payloads += s->payload_bytes > 0;
	if (by->payloads == SHARE_OF) {
		by->payloads /= 2;
		by->copies /= 2;
	}
	return false;
}

bool duplicate_detect_translation(struct duplicates *d, const struct packet *p, const struct segment *s, int client)
{
	uint32_t transport = transport_offset(p, s), ip = transport - s->ip_header_bytes;
	struct packet_ends now = { 0 }, *seen;
	bool same[2], other[2];

	if (!transport)
		return false;
	now.mark = (struct packet_mark){ .hash = hash_content(p, s, transport), .time_ns = p->time_ns };
	now.hops = p->bytes[ip + (s->ipv4 ? IPV4_HOPS : IPV6_HOPS)];
	seen = &d->translated[now.mark.hash % DUPLICATE_SENDERS];
	for (int i = 0; i < 2; i++) {
		now.end[i] = (uint32_t)hash_end(s, i);
		now.host[i] = (uint32_t)hash_bytes(0, s->address[i], sizeof(s->address[i]));
		same[i] = seen->end[i] == now.end[i];
		other[i] = seen->host[i] != now.host[i];
	}
	if (seen->mark.hash == now.mark.hash && p->time_ns >= seen->mark.time_ns &&
	    p->time_ns - seen->mark.time_ns <= DUPLICATE_NS && !(same[0] && same[1]) && (same[1 - client] || other[1 - client]) &&
	    (same[client] || (other[client] && now.hops != seen->hops)))
		return true;
	*seen = now;
	return false;
}
