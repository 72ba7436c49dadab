// SPDX-License-Identifier: GPL-3.0-or-later
#include "records.h"
#include "clock.h"
#include "memory.h"
#include "rfb/bytes.h"
#include "why.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_HEADER 24
#define RECORD_HEADER 16
#define LONGEST 262144 /* libpcap's MAXIMUM_SNAPLEN */

enum magic { MICROSECONDS = 0xa1b2c3d4, NANOSECONDS = 0xa1b23c4d };

struct pcap_reader {
	int fd;
	int64_t at; /* file offset of the first byte after the buffer's */
	uint32_t snaplen;
	int32_t unit_ns; /* unit of the fraction of a second, in ns */
	bool little;	 /* numbers have the lowest byte first */
	struct why error;
	uint8_t *buffer;
	size_t room, begin, end; /* of the buffer: size, and range of unread bytes */
};

static uint32_t record_u32(const struct pcap_reader *r, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return r->little == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? v : __builtin_bswap32(v);
}

static ssize_t read_at(int fd, int64_t at, void *to, size_t n)
{
	ssize_t got;

	do
		got = pread(fd, to, n, at);
	while (got < 0 && errno == EINTR);
	return got;
}

static bool parse_magic(struct pcap_reader *r, const uint8_t *head)
{
	static const uint8_t version[2][4] = { { 0, 2, 0, 4 }, { 2, 0, 4, 0 } };
	uint32_t magic;

	for (int little = 0; little < 2; little++) {
		r->little = little;
		magic = record_u32(r, head);
		r->unit_ns = magic == MICROSECONDS ? 1000 : 1;
		if ((magic == MICROSECONDS || magic == NANOSECONDS) && !memcmp(head + 4, version[little], 4))
			return true;
	}
	return false;
}

struct pcap_reader *pcap_reader_open(int fd, int64_t at, size_t room, uint32_t snaplen)
{
	uint8_t head[FILE_HEADER];
	struct pcap_reader *r;
	struct stat st;

	if (at < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || read_at(fd, at, head, sizeof(head)) != sizeof(head))
		return NULL;
	r = memory_new(1, sizeof(*r));
	r->fd = fd;
	r->at = at + FILE_HEADER;
	r->snaplen = snaplen;
	r->room = room;
	r->buffer = must_alloc(malloc(room));
	if (parse_magic(r, head))
		return r;
	pcap_reader_close(r);
	return NULL;
}

/* Fills the buffer, which grows to at least `n` bytes. 0, or -1 with an error. */
static int refill_buffer(struct pcap_reader *r, size_t n)
{
	if (n > r->room) {
		r->buffer = must_alloc(realloc(r->buffer, n));
		r->room = n;
	}
	memmove(r->buffer, r->buffer + r->begin, r->end - r->begin);
	r->end -= r->begin;
	r->begin = 0;
	while (r->end < r->room) {
		ssize_t got = read_at(r->fd, r->at, r->buffer + r->end, r->room - r->end);

		if (got < 0)
			return why_fail(-1, &r->error, "error reading dump file: %s", strerror(errno));
		if (!got)
			break;
		r->end += (size_t)got;
		r->at += got;
	}
	return 0;
}

/* Reads `n` bytes (named `what` in errors) at offset `skip` of the next record: 1; 0: end of the file; -1: an error. */
static int ensure_buffered(struct pcap_reader *r, size_t skip, size_t n, const char *what)
{
	size_t left;

	if (r->end - r->begin >= skip + n)
		return 1;
	if (refill_buffer(r, skip + n))
		return -1;
	if (r->end >= skip + n)
		return 1;
	if (!r->end)
		return 0;
	left = r->end > skip ? r->end - skip : 0;
	return why_fail(-1, &r->error, "truncated dump file; tried to read %zu %s bytes, only got %zu", n, what, left);
}

int pcap_reader_next(struct pcap_reader *r, struct packet *p)
{
	const uint8_t *head;
	uint32_t captured;
	int n;

	if (*r->error.text)
		return -1;
	n = ensure_buffered(r, 0, RECORD_HEADER, "header");
	if (n <= 0)
		return n;
	captured = record_u32(r, r->buffer + r->begin + 8);
	if (captured > LONGEST)
		return why_fail(-1, &r->error, "invalid packet capture length %u, bigger than maximum of %u", captured, LONGEST);
	if (ensure_buffered(r, RECORD_HEADER, captured, "captured") < 0)
		return -1;
	head = r->buffer + r->begin;
	p->time_ns = (int64_t)record_u32(r, head) * NS_PER_S + (int64_t)record_u32(r, head + 4) * r->unit_ns;
	p->bytes = head + RECORD_HEADER;
	p->captured = captured < r->snaplen ? captured : r->snaplen;
	p->original = record_u32(r, head + 12);
	r->begin += RECORD_HEADER + captured;
	return 1;
}

const char *pcap_reader_error(const struct pcap_reader *r)
{
	return r->error.text;
}

void pcap_reader_close(struct pcap_reader *r)
{
	if (r)
		free(r->buffer);
	free(r);
}

/* --- pcapng --- */

#define BLOCKS_MAX 1000 /* most blocks (statistics, names, secrets) behind the last packet */
#define INTERFACES_MAX 64
#define BLOCK_MAX 65536 /* bytes; a statistics block is far smaller */

enum block { SECTION = 0x0a0d0d0a, INTERFACE = 1, OLD_PACKET = 2, SIMPLE_PACKET = 3, STATISTICS = 5, PACKET = 6 };
enum option { OPTION_END = 0, OPTION_INTERFACE_DROPS = 5, OPTION_SYSTEM_DROPS = 7 };

struct pcapng_file {
	int fd;
	bool big; /* numbers have the highest byte first */
};

static uint32_t pcapng_u32(const struct pcapng_file *f, struct bounded_reader *r, size_t at)
{
	uint32_t v = read_be32(r, at);

	return f->big ? v : __builtin_bswap32(v);
}

static uint16_t pcapng_u16(const struct pcapng_file *f, struct bounded_reader *r, size_t at)
{
	uint16_t v = read_be16(r, at);

	return f->big ? v : __builtin_bswap16(v);
}

static bool read_block(const struct pcapng_file *f, int64_t at, uint8_t *to, size_t n)
{
	return pread(f->fd, to, n, at) == (ssize_t)n;
}

static bool read_byte_order(struct pcapng_file *f, int64_t *size)
{
	uint8_t head[12];
	struct bounded_reader r = { .bytes = head, .n = sizeof(head) };
	struct stat st;

	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode) || !read_block(f, 0, head, sizeof(head)) || read_be32(&r, 0) != SECTION)
		return false;
	f->big = read_be32(&r, 8) == 0x1a2b3c4d;
	*size = st.st_size;
	return f->big || read_be32(&r, 8) == 0x4d3c2b1a;
}

/* Lost packets in a statistics block, which has an interface number, a time and options, two of them 64-bit counters. -1: none
 * told. */
static int64_t read_block_drops(const struct pcapng_file *f, struct bounded_reader *r, uint32_t *interface)
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
				return -1; /* 2^32 lost packets: the file is damaged */
			drops = (drops < 0 ? 0 : drops) + half[f->big ? 1 : 0];
		}
		at += 4 + ((size_t)length + 3) / 4 * 4;
	}
	return drops;
}

int64_t pcapng_count_drops(int fd)
{
	struct pcapng_file f = { .fd = fd };
	uint64_t seen = 0; /* bits of interfaces that were counted; a writer may repeat statistics, and the last ones count */
	int64_t at, total = -1;
	uint8_t body[BLOCK_MAX];

	if (!read_byte_order(&f, &at))
		return -1;
	for (int i = 0; i < BLOCKS_MAX && at >= 12; i++) {
		uint8_t edge[8];
		struct bounded_reader r = { .bytes = edge, .n = sizeof(edge) };
		uint32_t length, type, interface;
		int64_t drops;

		if (!read_block(&f, at - 8, edge, 8))
			break;
		length = pcapng_u32(&f, &r, 4);
		if (length < 12 || length % 4 || length > at || !read_block(&f, at - length, edge, 8))
			break;
		type = pcapng_u32(&f, &r, 0);
		if (pcapng_u32(&f, &r, 4) != length || type == SECTION || type == INTERFACE || type == OLD_PACKET ||
		    type == SIMPLE_PACKET || type == PACKET)
			break;
		at -= length;
		if (type != STATISTICS || length < 24 || length > BLOCK_MAX || !read_block(&f, at, body, length))
			continue;
		r = (struct bounded_reader){ .bytes = body, .n = length };
		drops = read_block_drops(&f, &r, &interface);
		if (drops < 0 || interface >= INTERFACES_MAX || seen & 1ull << interface)
			continue;
		seen |= 1ull << interface;
		total = (total < 0 ? 0 : total) + drops;
	}
	return total;
}
