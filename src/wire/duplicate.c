// SPDX-License-Identifier: GPL-3.0-or-later
#include "duplicate.h"

#include <string.h>

#define IPV4_IDENTIFICATION 4 /* offsets in the IP headers (RFC 791, RFC 8200) */
#define IPV4_HOPS 8
#define IPV6_HOPS 7
#define TCP_FIXED 20
#define SHARE_OF 32 /* packets of which the share of copies is taken */

static uint64_t read_word(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Both halves of a product, as in wyhash (Wang Yi 2019): two words at a time, where most of a packet's time goes. */
static uint64_t hash_words(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xbf58476d1ce4e5b9);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The last words may overlap those before. */
static uint64_t hash_bytes(uint64_t hash, const uint8_t *bytes, uint32_t n)
{
	uint8_t few[8] = { 0 };
	uint32_t at = 0;

	for (; n - at > 16; at += 16)
		hash = hash_words(hash ^ read_word(bytes + at), read_word(bytes + at + 8));
	if (n >= 16)
		return hash_words(hash ^ read_word(bytes + n - 16), read_word(bytes + n - 8));
	if (n >= 8)
		return hash_words(hash ^ read_word(bytes), read_word(bytes + n - 8));
	for (uint32_t i = 0; i < n; i++)
		few[i] = bytes[i];
	return hash_words(hash, read_word(few));
}

static uint64_t hash_end(const struct segment *s, int end)
{
	return hash_words(s->port[end] ^ read_word(s->address[end]), read_word(s->address[end] + 8));
}

static uint64_t hash_direction(const struct segment *s, int source)
{
	return 3 * hash_end(s, source) + hash_end(s, 1 - source);
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
	uint64_t hash = hash_words((uint64_t)s->seq << 32 | s->ack, s->payload_bytes);

	hash = hash_words(hash, (uint64_t)s->window << 32 | (uint64_t)read_identification(p, s, transport) << 16 | s->flags);
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

/* By what packets count on, not by the hash: sets that are far apart are not in the processor's cache. */
static struct packet_set *find_set(struct duplicates *d, uint64_t direction, const struct segment *s, uint16_t identification)
{
	return &d->set[(direction + identification / 4 + (s->seq + s->ack) / 8192) % DUPLICATE_SETS];
}

/* The mark with this hash but for the file; NULL: there is none. */
static struct packet_mark *find_mark(struct packet_set *set, uint64_t hash)
{
	for (int i = 0; i < DUPLICATE_WAYS; i++)
		if (set->tag[i] == hash >> 56 && (set->mark[i].hash ^ hash) < DUPLICATE_FILES)
			return &set->mark[i];
	return NULL;
}

/* Adds the mark in place of the oldest. */
static void add_mark(struct packet_set *set, const struct packet_mark *mark)
{
	set->mark[set->next] = *mark;
	set->tag[set->next] = (uint8_t)(mark->hash >> 56);
	set->next = (uint8_t)((set->next + 1) % DUPLICATE_WAYS);
}

static void note_sender(struct packet_sender *by, const struct packet *p, const struct segment *s, uint16_t identification)
{
	by->identifies |= identification && by->identification && identification != by->identification;
	by->identification = identification;
	by->last_ns = p->time_ns;
	by->payloads += s->payload_bytes > 0;
	if (by->payloads == SHARE_OF) {
		by->payloads /= 2;
		by->copies /= 2;
	}
}

bool duplicate_detect_copy(struct duplicates *d, const struct packet *p, const struct segment *s)
{
	uint32_t transport = transport_offset(p, s);
	struct packet_mark now, *seen;
	struct packet_set *set;
	struct packet_sender *by;
	uint16_t identification;
	uint64_t direction;
	int64_t age_ns = 0;
	bool elsewhere, copy;

	if (!transport)
		return false;
	direction = hash_direction(s, 0);
	by = find_sender(d, direction);
	if (by->direction != direction)
		*by = (struct packet_sender){ .direction = direction };
	identification = read_identification(p, s, transport);
	now.hash = (hash_content(p, s, transport) ^ direction) / DUPLICATE_FILES * DUPLICATE_FILES + p->file % DUPLICATE_FILES;
	now.time_ns = p->time_ns;
	set = find_set(d, direction, s, identification);
	seen = find_mark(set, now.hash);
	elsewhere = seen && seen->hash != now.hash;
	if (seen)
		age_ns = now.time_ns - seen->time_ns;
	if (!seen || age_ns < 0)
		copy = false;
	else if (elsewhere || identification)
		copy = age_ns <= (elsewhere || by->identifies ? DUPLICATE_LATE_NS : DUPLICATE_NS);
	else
		copy = age_ns <= DUPLICATE_UNIDENTIFIED_NS && is_unidentified_copy(d, s, by, seen->time_ns);
	if (!copy) {
		if (seen)
			*seen = now;
		else
			add_mark(set, &now);
		note_sender(by, p, s, identification);
		return false;
	}
	d->copies++;
	if (!elsewhere)
		seen->time_ns = now.time_ns;
	else if (age_ns >= DUPLICATE_APART_NS) {
		d->apart++;
		d->apart_ns = age_ns > d->apart_ns ? age_ns : d->apart_ns;
	}
	return true;
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
