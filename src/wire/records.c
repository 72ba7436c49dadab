// SPDX-License-Identifier: GPL-3.0-or-later
#include "records.h"
#include "bytes.h"
#include "clock.h"
#include "memory.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_HEADER 24 /* of pcap; and of each packet: */
#define RECORD_HEADER 16
#define LONGEST 262144	   /* libpcap's MAXIMUM_SNAPLEN */
#define LINK_NUMBER 0xffff /* other bits tell of checksums behind frames */
#define BLOCK_LEAST 12
#define BLOCK_MOST (1u << 24) /* bytes */
#define INTERFACES_MOST 65536
/* Bytes read at once; one part more is room for what is left of the part before. Parts begin at pages of memory and of the file: to
 * other places some processors copy at a quarter of the speed. */
#define PART (128u << 10)
#define PAGE 4096u

enum magic { MICROSECONDS = 0xa1b2c3d4, NANOSECONDS = 0xa1b23c4d, VERSION = 0x00020004 };
enum block { SECTION = 0x0a0d0d0a, INTERFACE = 1, OLD_PACKET = 2, SIMPLE_PACKET = 3, STATISTICS = 5, PACKET = 6 };
enum option { OPTION_END = 0, OPTION_INTERFACE_DROPS = 5, OPTION_SYSTEM_DROPS = 7, OPTION_RESOLUTION = 9, OPTION_OFFSET = 14 };

struct record_interface {
	const struct link_layer *link; /* NULL: it cannot be read */
	uint32_t number, snaplen;
	size_t id;	/* its number within its section */
	uint64_t ticks; /* of its clock in a second */
	int64_t offset_s;
	uint64_t packets;
	int64_t drops; /* -1: not recorded */
};

struct record_reader {
	FILE *stream;
	int64_t at;	 /* offset in the file of what is read next; -1: a pipe, which is read as it comes */
	uint8_t *buffer; /* owned; of `room` bytes, of which those from `begin` to `end` are read: the current block, and more */
	size_t room, begin, end, taken;
	struct bounded_reader r; /* the current block, as far as it was asked for: `taken` bytes */
	bool big;		 /* numbers have the highest byte first */
	bool classic;		 /* pcap, whose one interface is the first one */
	struct record_interface *interface;
	size_t interfaces, first; /* number; first one of the section */
	struct packet held;	  /* the first one */
	bool holds;
	int64_t before_ns; /* time of the packet before */
	uint64_t packets;
	struct record_facts facts;
};

static uint32_t block_u32(struct record_reader *f, size_t at)
{
	uint32_t v = read_be32(&f->r, at);

	return f->big ? v : __builtin_bswap32(v);
}

static uint16_t block_u16(struct record_reader *f, size_t at)
{
	uint16_t v = read_be16(&f->r, at);

	return f->big ? v : __builtin_bswap16(v);
}

static uint64_t block_u64(struct record_reader *f, size_t at)
{
	uint64_t first = block_u32(f, at), second = block_u32(f, at + 4);

	return f->big ? first << 32 | second : second << 32 | first;
}

/* --- blocks --- */

static void begin_block(struct record_reader *f)
{
	f->begin += f->taken;
	f->taken = 0;
}

/* Moves the unread bytes to before a page, from which on there is room for all `n` bytes of the block and for one part. */
static void make_room(struct record_reader *f, size_t n)
{
	size_t left = f->end - f->begin, page = (left + PAGE - 1) / PAGE * PAGE, room = page + (n / PAGE + 1) * PAGE + PART;
	uint8_t *from = f->buffer, *to = from;

	if (room > f->room) {
		to = must_alloc(aligned_alloc(PAGE, room));
		f->room = room;
	}
	if (left)
		memmove(to + page - left, from + f->begin, left);
	if (to != from)
		free(from);
	f->buffer = to;
	f->begin = page - left;
	f->end = page;
}

/* Reads what is missing of the block's `n` bytes, and of a file the rest of the part. 0, or -errno. */
static int read_part(struct record_reader *f, size_t n)
{
	make_room(f, n);
	while (f->end < f->begin + n) {
		size_t wanted = f->at < 0 ? f->begin + n - f->end : f->room - f->end;
		ssize_t got;

		if (f->at < 0)
			got = (ssize_t)(fread_unlocked)(f->buffer + f->end, 1, wanted, f->stream);
		else
			got = pread(fileno(f->stream), f->buffer + f->end, wanted - ((size_t)f->at + wanted) % PAGE, f->at);
		if (got < 0 || (f->at < 0 && ferror(f->stream)))
			return -errno;
		if (!got)
			break;
		f->end += (size_t)got;
		f->at += f->at < 0 ? 0 : got;
	}
	return 0;
}

/* Reads the block up to `n` bytes: 1; 0: the file has ended before it; -1: an error. */
static int read_to(struct record_reader *f, size_t n)
{
	int err = f->end - f->begin < n ? read_part(f, n) : 0;

	f->taken = f->end - f->begin < n ? f->end - f->begin : n;
	f->r = (struct bounded_reader){ .bytes = f->buffer + f->begin, .n = f->taken };
	if (err)
		return why_fail(-1, &f->facts.error, "error reading the file: %s", strerror(-err));
	if (f->taken == n || !f->taken)
		return f->taken > 0;
	return why_fail(-1, &f->facts.error, "truncated: a block ends after %zu bytes", f->taken);
}

/* Reads the next block: 1; 0: end of the file; -1: an error. */
static int read_block(struct record_reader *f)
{
	uint32_t length;
	int n;

	begin_block(f);
	n = read_to(f, BLOCK_LEAST);
	if (n <= 0)
		return n;
	if (block_u32(f, 0) == SECTION) {
		f->big = read_be32(&f->r, 8) == 0x1a2b3c4d;
		if (!f->big && read_be32(&f->r, 8) != 0x4d3c2b1a)
			return why_fail(-1, &f->facts.error, "a section of unknown byte order");
		f->first = f->interfaces;
	}
	length = block_u32(f, 4);
	if (length < BLOCK_LEAST || length % 4 || length > BLOCK_MOST)
		return why_fail(-1, &f->facts.error, "a block of %u bytes", length);
	if (read_to(f, length) < 0)
		return -1;
	if (block_u32(f, length - 4) != length)
		return why_fail(-1, &f->facts.error, "a block of %u bytes that ends with another length", length);
	f->r.n -= 4; /* nothing of it is data */
	return 1;
}

/* The option at *at; moves *at behind it. False: there is none any more. */
static bool next_option(struct record_reader *f, size_t *at, uint16_t *code, uint16_t *length, size_t *value)
{
	*code = block_u16(f, *at);
	*length = block_u16(f, *at + 2);
	*value = *at + 4;
	*at = *value + ((size_t)*length + 3) / 4 * 4;
	return *at <= f->r.n && *code != OPTION_END && !f->r.over;
}

static uint64_t clock_ticks(uint8_t resolution)
{
	uint64_t ticks = 1;

	if (resolution & 0x80)
		return (resolution & 0x7f) < 64 ? 1ull << (resolution & 0x7f) : 0;
	for (; resolution && ticks <= UINT64_MAX / 10; resolution--)
		ticks *= 10;
	return resolution ? 0 : ticks;
}

static int add_interface(struct record_reader *f)
{
	struct record_interface new = {
		.number = block_u16(f, 8), .snaplen = block_u32(f, 12), .ticks = NS_PER_S / NS_PER_US, .drops = -1
	};
	uint16_t code, length;

	for (size_t at = 16, value; next_option(f, &at, &code, &length, &value);) {
		if (code == OPTION_RESOLUTION && length == 1)
			new.ticks = clock_ticks(read_u8(&f->r, value));
		else if (code == OPTION_OFFSET && length == 8)
			new.offset_s = (int64_t)block_u64(f, value);
	}
	new.link = find_link_layer((int)new.number);
	new.id = f->interfaces - f->first;
	if (!new.ticks)
		return why_fail(-1, &f->facts.error, "an interface whose clock is finer than 64-bit numbers allow");
	if (!f->interfaces) {
		f->facts.link = new.link;
		f->facts.number = new.number;
	}
	if (f->interfaces == INTERFACES_MOST || array_room(&f->interface, f->interfaces))
		return why_fail(-1, &f->facts.error, "too many interfaces");
	f->interface[f->interfaces++] = new;
	return 0;
}

static struct record_interface *find_interface(struct record_reader *f, uint32_t number)
{
	return number < f->interfaces - f->first ? &f->interface[f->first + number] : NULL;
}

/* A writer may repeat statistics, and the last ones count. */
static void note_drops(struct record_reader *f)
{
	struct record_interface *i = find_interface(f, block_u32(f, 8));
	int64_t drops = -1;
	uint16_t code, length;

	for (size_t at = 20, value; next_option(f, &at, &code, &length, &value);) {
		if ((code == OPTION_INTERFACE_DROPS || code == OPTION_SYSTEM_DROPS) && length == 8) {
			if (block_u64(f, value) > UINT32_MAX)
				return; /* the file is damaged */
			drops = (drops < 0 ? 0 : drops) + (int64_t)block_u64(f, value);
		}
	}
	if (!i || drops < 0)
		return;
	f->facts.drops += f->facts.drops < 0 ? 1 + drops : drops - (i->drops > 0 ? i->drops : 0);
	i->drops = drops;
}

/* --- packets --- */

static int64_t packet_time(const struct record_interface *i, uint64_t ticks)
{
	int64_t s, ns = (int64_t)((unsigned __int128)(ticks % i->ticks) * NS_PER_S / i->ticks);

	if (ticks / i->ticks > PACKET_FAR_S || i->offset_s > PACKET_FAR_S || i->offset_s < -PACKET_FAR_S)
		return (i->offset_s < -PACKET_FAR_S ? -PACKET_FAR_S : PACKET_FAR_S) * NS_PER_S;
	s = (int64_t)(ticks / i->ticks) + i->offset_s;
	return (s > PACKET_FAR_S ? PACKET_FAR_S : s) * NS_PER_S + ns;
}

/* Reads the packet of the block: 1; 0: it is none; -1: an error. */
static int read_packet(struct record_reader *f, struct packet *p)
{
	uint32_t kind = block_u32(f, 0), left, number = kind == PACKET ? block_u32(f, 8) : kind == OLD_PACKET ? block_u16(f, 8) : 0;
	struct record_interface *i;
	size_t at = kind == SIMPLE_PACKET ? 12 : 28;

	if (kind != PACKET && kind != OLD_PACKET && kind != SIMPLE_PACKET)
		return 0;
	i = find_interface(f, number);
	if (!i || f->r.n < at)
		return why_fail(-1, &f->facts.error,
				i ? "a packet block of %zu bytes" : "a packet of an interface that is not described", f->r.n + 4);
	left = (uint32_t)(f->r.n - at);
	if (kind == SIMPLE_PACKET) {
		p->original = block_u32(f, 8);
		p->captured = i->snaplen && i->snaplen < p->original ? i->snaplen : p->original;
		p->time_ns = f->before_ns;
		f->facts.untimed++;
	} else {
		p->time_ns = packet_time(i, (uint64_t)block_u32(f, 12) << 32 | block_u32(f, 16));
		p->captured = block_u32(f, 20);
		p->original = block_u32(f, 24);
	}
	if (p->captured > left)
		return why_fail(-1, &f->facts.error, "a packet of %u bytes in a block that has room for %u", p->captured, left);
	p->bytes = f->r.bytes + at;
	f->before_ns = p->time_ns;
	f->packets++;
	i->packets++;
	if (f->packets == 1) {
		f->facts.link = i->link;
		f->facts.number = i->number;
	}
	if (i->number == f->facts.number || (i->link && f->facts.link && i->link->type == f->facts.link->type))
		return 1;
	f->facts.mixed = true;
	return why_fail(-1, &f->facts.error, "packets of different link types");
}

/* Reads the next packet of a pcap file, as take_block(). */
static int take_record(struct record_reader *f, struct packet *p)
{
	struct record_interface *i = f->interface;
	uint32_t part;
	int n;

	begin_block(f);
	n = read_to(f, RECORD_HEADER);
	if (n <= 0)
		return n;
	part = block_u32(f, 4);
	if (!i->packets++ && part > i->ticks && part < NS_PER_S)
		i->ticks = NS_PER_S; /* nanoseconds, whatever the file says: there are no so many microseconds in a second */
	if (part > i->ticks)	     /* (some writers round up to a whole second) */
		return why_fail(-1, &f->facts.error, "a time of %u parts of a second, which has %u", part, (uint32_t)i->ticks);
	*p = (struct packet){ .time_ns = (int64_t)block_u32(f, 0) * NS_PER_S + part * (NS_PER_S / (int64_t)i->ticks),
			      .captured = block_u32(f, 8),
			      .original = block_u32(f, 12) };
	if (p->captured > LONGEST)
		return why_fail(-1, &f->facts.error, "a packet of %u bytes, more than %u", p->captured, LONGEST);
	if (read_to(f, RECORD_HEADER + p->captured) < 0)
		return -1;
	p->bytes = f->r.bytes + RECORD_HEADER;
	p->captured = p->captured < i->snaplen ? p->captured : i->snaplen;
	return 1;
}

static int take_block(struct record_reader *f, struct packet *p)
{
	int n = read_block(f);

	if (n <= 0)
		return n;
	if (block_u32(f, 0) == INTERFACE && add_interface(f))
		return -1;
	if (block_u32(f, 0) == STATISTICS)
		note_drops(f);
	n = read_packet(f, p);
	return n ? n : 2;
}

int records_next(struct record_reader *f, struct packet *p)
{
	int n;

	if (f->holds) {
		f->holds = false;
		*p = f->held;
		return 1;
	}
	if (*f->facts.error.text)
		return -1;
	do
		n = f->classic ? take_record(f, p) : take_block(f, p);
	while (n == 2);
	return n;
}

/* --- files --- */

/* Whether the file begins as one that is read here; the stream's position stays. */
static bool is_known(struct record_reader *f)
{
	uint8_t head[8];
	size_t n = 0;
	int c;

	while (n < sizeof(head) && (c = getc(f->stream)) != EOF)
		head[n++] = (uint8_t)c;
	f->r = (struct bounded_reader){ .bytes = head, .n = n < sizeof(head) ? 0 : n };
	while (n > 0)
		ungetc(head[--n], f->stream); /* as in unpack_command() */
	for (int big = 0; big < 2; big++) {
		uint32_t magic;

		f->big = big;
		magic = block_u32(f, 0);
		f->classic = magic == MICROSECONDS || magic == NANOSECONDS;
		if (f->classic)
			return block_u16(f, 4) == VERSION >> 16 && block_u16(f, 6) == (VERSION & 0xffff);
	}
	return block_u32(f, 0) == SECTION;
}

/* 0, or -1 with an error. */
static int read_file_header(struct record_reader *f)
{
	struct record_interface new = { .ticks = NS_PER_S / NS_PER_US };

	if (read_to(f, FILE_HEADER) < 0)
		return -1;
	if (block_u32(f, 0) == NANOSECONDS)
		new.ticks = NS_PER_S;
	new.snaplen = block_u32(f, 16);
	if (!new.snaplen || new.snaplen > LONGEST)
		new.snaplen = LONGEST;
	new.number = block_u32(f, 20) & LINK_NUMBER;
	new.link = f->facts.link = find_link_layer((int)new.number);
	f->facts.number = new.number;
	f->interface = memory_new(1, sizeof(new));
	f->interface[f->interfaces++] = new;
	return 0;
}

struct record_reader *records_open(FILE *stream, struct why *why)
{
	struct record_reader *f = memory_new(1, sizeof(*f));
	struct stat st;

	f->stream = stream;
	f->at = !fstat(fileno(stream), &st) && S_ISREG(st.st_mode) ? ftello(stream) : -1;
	f->facts.drops = -1;
	*why->text = '\0';
	if (is_known(f) && !(f->classic && read_file_header(f))) {
		f->holds = records_next(f, &f->held) == 1;
		if (f->interfaces)
			return f;
	}
	why_say(why, "%s", f->facts.error.text);
	records_close(f);
	return NULL;
}

bool records_explain_mixture(struct record_reader *f, const char *path, struct why *why)
{
	const struct record_interface *best = NULL;
	struct packet p;
	int n;

	if (f->classic) /* it has one interface, and no blocks */
		return false;
	do {
		f->facts.mixed = false;
		n = take_block(f, &p);
	} while (n > 0 || f->facts.mixed);
	for (size_t i = 0; i < f->interfaces; i++)
		if (f->interface[i].link && f->interface[i].packets > (best ? best->packets : 0))
			best = &f->interface[i];
	if (!best) {
		why_say(why, "%s has no packet of a link type that prototap reads: " LINKS_KNOWN, path);
		return false;
	}
	why_say(why,
		"%.350s has packets of different link types, which do not fit into one report, most (%llu of %llu) of "
		"interface %zu; "
		"take one out: tshark -r %.350s -Y frame.interface_id==%zu -w one.pcapng",
		path, (unsigned long long)best->packets, (unsigned long long)f->packets, best->id, path, best->id);
	return true;
}

void records_close(struct record_reader *f)
{
	if (!f)
		return;
	free(f->buffer);
	free(f->interface);
	free(f);
}

const struct record_facts *records_facts(const struct record_reader *f)
{
	return &f->facts;
}
