// SPDX-License-Identifier: GPL-3.0-or-later
#include "pcapng_drops.h"
#include "reader.h"

#include <sys/stat.h>
#include <unistd.h>

#define BLOCKS_MAX 1000		/* most blocks (statistics, names, secrets) behind the last packet */
#define INTERFACES_MAX 64
#define BLOCK_MAX 65536		/* bytes; a statistics block is far smaller */

enum block { SECTION = 0x0a0d0d0a, INTERFACE = 1, OLD_PACKET = 2, SIMPLE_PACKET = 3, STATISTICS = 5, PACKET = 6 };
enum option { OPTION_END = 0, OPTION_INTERFACE_DROPS = 5, OPTION_SYSTEM_DROPS = 7 };

struct pcapng_file {
	int fd;
	bool big;		/* numbers have the highest byte first */
};

static uint32_t pcapng_u32(const struct pcapng_file *f, struct reader *r, size_t at)
{
	uint32_t v = read_be32(r, at);

	return f->big ? v : __builtin_bswap32(v);
}

static uint16_t pcapng_u16(const struct pcapng_file *f, struct reader *r, size_t at)
{
	uint16_t v = read_be16(r, at);

	return f->big ? v : __builtin_bswap16(v);
}

static bool pcapng_load(const struct pcapng_file *f, int64_t at, uint8_t *to, size_t n)
{
	return pread(f->fd, to, n, at) == (ssize_t)n;
}

static bool pcapng_begin(struct pcapng_file *f, int64_t *size)
{
	uint8_t head[12];
	struct reader r = { .bytes = head, .n = sizeof(head) };
	struct stat st;

	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode) || !pcapng_load(f, 0, head, sizeof(head)) || read_be32(&r, 0) != SECTION)
		return false;
	f->big = read_be32(&r, 8) == 0x1a2b3c4d;
	*size = st.st_size;
	return f->big || read_be32(&r, 8) == 0x4d3c2b1a;
}

/* Lost packets in a statistics block, which has an interface number, a time and options, two of them 64-bit counters. -1: none
 * told. */
static int64_t pcapng_block_drops(const struct pcapng_file *f, struct reader *r, uint32_t *interface)
{
	int64_t drops = -1;
	uint32_t half[2];

	*interface = pcapng_u32(f, r, 8);
	for (size_t at = 20; at + 4 <= r->n - 4;) {
		uint16_t code = pcapng_u16(f, r, at), length = pcapng_u16(f, r, at + 2);

		if (code == OPTION_END)
			break;
		if ((code == OPTION_INTERFACE_DROPS || code == OPTION_SYSTEM_DROPS) && length == 8) {
			half[0] = pcapng_u32(f, r, at + 4);
			half[1] = pcapng_u32(f, r, at + 8);
			if (r->over || half[f->big ? 0 : 1])
				return -1;	/* 2^32 lost packets: the file is damaged */
			drops = (drops < 0 ? 0 : drops) + half[f->big ? 1 : 0];
		}
		at += 4 + ((size_t)length + 3) / 4 * 4;
	}
	return drops;
}

int64_t pcapng_drops(int fd)
{
	struct pcapng_file f = { .fd = fd };
	uint64_t seen = 0;	/* bits of interfaces that were counted; a writer may repeat statistics, and the last ones count */
	int64_t at, total = -1;
	uint8_t body[BLOCK_MAX];

	if (!pcapng_begin(&f, &at))
		return -1;
	for (int i = 0; i < BLOCKS_MAX && at >= 12; i++) {
		uint8_t edge[8];
		struct reader r = { .bytes = edge, .n = sizeof(edge) };
		uint32_t length, type, interface;
		int64_t drops;

		if (!pcapng_load(&f, at - 8, edge, 8))
			break;
		length = pcapng_u32(&f, &r, 4);
		if (length < 12 || length % 4 || length > at || !pcapng_load(&f, at - length, edge, 8))
			break;
		type = pcapng_u32(&f, &r, 0);
		if (pcapng_u32(&f, &r, 4) != length || type == SECTION || type == INTERFACE || type == OLD_PACKET || type == SIMPLE_PACKET ||
		    type == PACKET)
			break;
		at -= length;
		if (type != STATISTICS || length < 24 || length > BLOCK_MAX || !pcapng_load(&f, at, body, length))
			continue;
		r = (struct reader){ .bytes = body, .n = length };
		drops = pcapng_block_drops(&f, &r, &interface);
		if (drops < 0 || interface >= INTERFACES_MAX || seen & 1ull << interface)
			continue;
		seen |= 1ull << interface;
		total = (total < 0 ? 0 : total) + drops;
	}
	return total;
}
