// SPDX-License-Identifier: GPL-3.0-or-later
/* prototap_mutator - changes packets of prototap_fuzz's own format, and blocks of pcapng, as a whole. */
#include "mutate.h"
#include "prototap/decode.h"

#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

#define PACKET_HEAD 8
#define BLOCK_LEAST 12 /* type, length, length */

static size_t seal_packet(uint8_t *part, size_t length, size_t room)
{
	if (length < PACKET_HEAD)
		return PACKET_HEAD < room ? PACKET_HEAD : room;
	part[0] = (uint8_t)(length - PACKET_HEAD);
	part[1] = (uint8_t)((length - PACKET_HEAD) >> 8);
	return length;
}

/* Lengths are written in this machine's byte order, which files of the other order have as a wrong length. */
static size_t seal_block(uint8_t *part, size_t length, size_t room)
{
	uint32_t n;

	length = length < BLOCK_LEAST ? BLOCK_LEAST : (length + 3) & ~(size_t)3;
	if (length > room)
		return room;
	n = (uint32_t)length;
	memcpy(part + 4, &n, sizeof(n));
	memcpy(part + length - 4, &n, sizeof(n));
	return length;
}

static void find_packets(const uint8_t *data, size_t size, size_t at, struct mutate_parts *found)
{
	while (found->n < MUTATE_PARTS && at + PACKET_HEAD <= size) {
		size_t next = at + PACKET_HEAD + (data[at] | (size_t)data[at + 1] << 8);

		found->at[found->n++] = at;
		at = next < size ? next : size;
		found->at[found->n] = at;
	}
}

static void find_blocks(const uint8_t *data, size_t size, size_t at, struct mutate_parts *found)
{
	uint32_t n;

	while (found->n < MUTATE_PARTS && at + BLOCK_LEAST <= size) {
		memcpy(&n, data + at + 4, sizeof(n));
		if (n < BLOCK_LEAST || n > size - at)
			break;
		found->at[found->n++] = at;
		at += n;
		found->at[found->n] = at;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct mutate_parts found = { .n = 0 };
	static const uint8_t pcapng[] = { 0x0a, 0x0d, 0x0d, 0x0a };

	if (size > 1 + sizeof(pcapng) && memcmp(data + 1, pcapng, sizeof(pcapng)) == 0) {
		found.seal = seal_block;
		find_blocks(data, size, 1, &found);
	} else if (size > 1 && (data[0] & 15) < LINK_TYPES) {
		found.seal = seal_packet;
		find_packets(data, size, 1, &found);
	}
	return mutate_parts(&found, data, size, most, seed);
}
