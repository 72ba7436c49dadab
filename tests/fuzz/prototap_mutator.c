// SPDX-License-Identifier: GPL-3.0-or-later
/* prototap_mutator - changes packets of prototap_fuzz's own format, and blocks of pcapng, as a whole. */
#include "mutate.h"
#include "wire/decode.h"

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

/* Length of the packet or block at `at`, of which `left` bytes are there; 0: none. */
static size_t packet_length(const uint8_t *at, size_t left)
{
	size_t n = PACKET_HEAD;

	if (left < n)
		return 0;
	n += at[0] | (size_t)at[1] << 8;
	return n < left ? n : left;
}

static size_t block_length(const uint8_t *at, size_t left)
{
	uint32_t n;

	if (left < BLOCK_LEAST)
		return 0;
	memcpy(&n, at + 4, sizeof(n));
	return n < BLOCK_LEAST || n > left ? 0 : n;
}

static void find_parts(const uint8_t *data, size_t size, size_t (*length)(const uint8_t *, size_t), struct mutate_parts *found)
{
	size_t at = 1, n;

	while (found->n < MUTATE_PARTS && (n = length(data + at, size - at))) {
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
		find_parts(data, size, block_length, &found);
	} else if (size > 1 && (data[0] & 15) < LINK_TYPES) {
		found.seal = seal_packet;
		find_parts(data, size, packet_length, &found);
	}
	return mutate_parts(&found, data, size, most, seed);
}
