// SPDX-License-Identifier: GPL-3.0-or-later
/* capture - writes a capture to read: sessions of a remote desktop, keys echoed at 20 a second and bulk display frames.
 *
 * usage: capture [--bytes N | --packets N] [--tcp-only] FILE
 * The same words give the same file. 24 sessions run beside each other (every sixth over IPv6), their packets interleave by time:
 * a key (8 bytes), its echo (60 to 700 bytes), a request for the next update, acknowledgements; now and then a display frame of 8
 * to 200 full segments at the speed of a gigabit link. One display segment in 2,000 is sent again, one comes late; 1 packet
 * in 100 is no TCP at all (--tcp-only: none). As Linux does, each side counts its IPv4 identifications, also of what it sends
 * again, which it does after an acknowledgement. Classic pcap in microseconds; checksums are left 0. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SESSIONS = 24, FRAME_MAX = 1600, FIRST_PORT = 5900 };
enum { FIN = 1, SYN = 2, PSH = 8, ACK = 16 };
enum { CLIENT, SERVER };

/* What a session sends next. */
enum step { GREET, GREET_BACK, KEY, KEY_ACK, ECHO_KEY, ECHO_ACK, REQUEST, BULK, BULK_ACK };

static struct session {
	enum step step;
	int64_t at_us;
	uint32_t seq[2]; /* of the next byte from client, server */
	int segments;	 /* of the display frame that still must go */
	int unanswered;	 /* of them, since the last acknowledgement */
	uint32_t late;	 /* sequence number of the segment held back; 0: none */
	uint32_t again;	 /* of that to be sent again; 0: none */
	uint32_t sent[2];
} session[SESSIONS];

static struct {
	FILE *file;
	uint64_t bytes, packets;
	int64_t now_us;
} out;

static uint64_t random_state = 1;

/* SplitMix64 (Steele, Lea, Flood 2014), cut to `below`. */
static uint32_t draw(uint32_t below)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ z >> 31) % below);
}

static uint8_t *put16(uint8_t *p, uint32_t v)
{
	*p++ = (uint8_t)(v >> 8);
	*p++ = (uint8_t)v;
	return p;
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
	return put16(put16(p, v >> 16), v);
}

static uint8_t *put_ethernet(uint8_t *p, int to, uint32_t type)
{
	memset(p, 2, 12);
	p[5] = (uint8_t)to;
	p[11] = (uint8_t)(1 - to);
	return put16(p + 12, type);
}

static uint8_t *put_ipv4(uint8_t *p, uint32_t identification, uint32_t from, uint32_t to, int protocol, uint32_t body)
{
	p = put16(put16(p, 0x4500), 20 + body);
	p = put16(put16(p, identification), 0x4000);
	*p++ = 64;
	*p++ = (uint8_t)protocol;
	return put32(put32(put16(p, 0), from), to);
}

static uint8_t *put_ipv6(uint8_t *p, uint32_t from, uint32_t to, uint32_t body)
{
	p = put16(put32(p, 0x60000000), body);
	*p++ = 6;
	*p++ = 64;
	memset(p, 0, 32);
	put16(p, 0xfd00);
	put32(p + 12, from);
	put16(p + 16, 0xfd00);
	put32(p + 28, to);
	return p + 32;
}

static void record(const uint8_t *frame, uint32_t n)
{
	uint32_t head[4] = { (uint32_t)(1700000000 + out.now_us / 1000000), (uint32_t)(out.now_us % 1000000), n, n };

	fwrite(head, sizeof(head), 1, out.file);
	fwrite(frame, n, 1, out.file);
	out.bytes += sizeof(head) + n;
	out.packets++;
}

static bool is_ipv6(int i)
{
	return i % 6 == 5;
}

/* What a frame of 1,514 bytes holds. */
static uint32_t full_segment(int i)
{
	return is_ipv6(i) ? 1428 : 1448;
}

static void send_segment(int i, int side, uint32_t seq, int flags, uint32_t payload)
{
	static uint8_t frame[FRAME_MAX]; /* beyond the headers: what was sent before, as good as any */
	uint32_t client = 0x0a010000 + (uint32_t)i + 1, server = 0x0a000002, options = 12;
	uint32_t port[2] = { 40000 + (uint32_t)i, FIRST_PORT + (uint32_t)i };
	uint8_t *p;

	if (is_ipv6(i))
		p = put_ipv6(put_ethernet(frame, 1 - side, 0x86dd), side ? server : client, side ? client : server,
			     20 + options + payload);
	else
		p = put_ipv4(put_ethernet(frame, 1 - side, 0x0800), ++session[i].sent[side], side ? server : client,
			     side ? client : server, 6, 20 + options + payload);
	p = put16(put16(p, port[side]), port[1 - side]);
	p = put32(put32(p, seq), flags & ACK ? session[i].seq[1 - side] : 0);
	*p++ = (uint8_t)((20 + options) / 4 << 4);
	*p++ = (uint8_t)flags;
	p = put32(put16(p, 65535), 0);
	p = put32(put32(put32(p, 0x0101080a), (uint32_t)(out.now_us / 1000)), (uint32_t)(out.now_us / 1000));
	record(frame, (uint32_t)(p - frame) + payload);
}

static void send(int i, int side, int flags, uint32_t payload)
{
	uint32_t seq = session[i].seq[side];

	session[i].seq[side] += payload + (flags & SYN ? 1 : 0);
	send_segment(i, side, seq, flags, payload);
}

static void send_other(void)
{
	uint8_t frame[FRAME_MAX] = { 0 }, *p;
	uint32_t payload = 40 + draw(400);

	if (!draw(4)) {
		put_ethernet(frame, 1, 0x0806);
		record(frame, 60);
		return;
	}
	p = put_ipv4(put_ethernet(frame, 1, 0x0800), 1, 0x0a010063, 0x0a000001, 17, 8 + payload);
	p = put32(put16(put16(p, 40000), 53), (8 + payload) << 16);
	record(frame, (uint32_t)(p - frame) + payload);
}

static void bulk(struct session *s, int i)
{
	bool last = s->segments == 1;
	uint32_t full = full_segment(i);

	if (!last && !draw(2000) && !s->late) { /* this one comes after its follower */
		s->late = s->seq[SERVER];
		s->seq[SERVER] += full;
		s->segments--;
		send(i, SERVER, ACK | (s->segments == 1 ? PSH : 0), full);
		send_segment(i, SERVER, s->late, ACK, full);
		s->late = 0;
		s->unanswered++;
	} else {
		send(i, SERVER, ACK | (last ? PSH : 0), full);
		if (!draw(2000))
			s->again = s->seq[SERVER] - full;
	}
	s->segments--;
	s->unanswered++;
	s->at_us += 12;
	if (s->unanswered >= 2 || !s->segments)
		s->step = BULK_ACK;
}

/* One packet, and when the next is due. */
static void go_on(int i)
{
	struct session *s = &session[i];

	out.now_us = s->at_us;
	switch (s->step) {
	case GREET:
		send(i, CLIENT, SYN, 0);
		s->at_us += 200;
		s->step = GREET_BACK;
		break;
	case GREET_BACK:
		send(i, SERVER, SYN | ACK, 0);
		s->at_us += 200;
		s->step = ECHO_ACK;
		break;
	case KEY:
		send(i, CLIENT, ACK | PSH, 8);
		s->at_us += 60;
		s->step = KEY_ACK;
		break;
	case KEY_ACK:
		send(i, SERVER, ACK, 0);
		s->at_us += 2000 + draw(16000);
		s->step = ECHO_KEY;
		break;
	case ECHO_KEY:
		if (!draw(32)) {
			s->segments = 8 + (int)draw(193);
			s->unanswered = 0;
			s->step = BULK;
			bulk(s, i);
			break;
		}
		send(i, SERVER, ACK | PSH, 60 + draw(641));
		s->at_us += 60;
		s->step = ECHO_ACK;
		break;
	case BULK: bulk(s, i); break;
	case BULK_ACK:
		send(i, CLIENT, ACK, 0);
		if (s->again)
			send_segment(i, SERVER, s->again, ACK, full_segment(i));
		s->again = 0;
		s->unanswered = 0;
		s->at_us += 12;
		s->step = s->segments ? BULK : REQUEST;
		break;
	case ECHO_ACK:
		send(i, CLIENT, ACK, 0);
		s->at_us += 100;
		s->step = REQUEST;
		break;
	case REQUEST:
		send(i, CLIENT, ACK | PSH, 10);
		s->at_us += 30000 + draw(16000);
		s->step = KEY;
		break;
	}
}

static int earliest(void)
{
	int first = 0;

	for (int i = 1; i < SESSIONS; i++)
		if (session[i].at_us < session[first].at_us)
			first = i;
	return first;
}

static uint64_t read_number(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (end == text || *end || !n) {
		fprintf(stderr, "capture: %s is no number over 0\n", text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	static const uint32_t head[6] = { 0xa1b2c3d4, 2 | 4 << 16, 0, 0, 262144, 1 };
	uint64_t bytes = UINT64_MAX, packets = UINT64_MAX;
	const char *path = NULL;
	bool other = true;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--bytes") && i + 1 < argc)
			bytes = read_number(argv[++i]);
		else if (!strcmp(argv[i], "--packets") && i + 1 < argc)
			packets = read_number(argv[++i]);
		else if (!strcmp(argv[i], "--tcp-only"))
			other = false;
		else if (!path && argv[i][0] != '-')
			path = argv[i];
		else
			path = "", i = argc;
	}
	if (!path || !*path || (bytes == UINT64_MAX && packets == UINT64_MAX)) {
		fputs("usage: capture [--bytes N | --packets N] [--tcp-only] FILE\n", stderr);
		return 2;
	}
	out.file = fopen(path, "we");
	if (out.file) {
		setvbuf(out.file, NULL, _IOFBF, 1 << 20);
		fwrite(head, sizeof(head), 1, out.file);
		out.bytes = sizeof(head);
	}
	for (int i = 0; i < SESSIONS; i++)
		session[i] =
			(struct session){ .at_us = 1000 + (int64_t)draw(50000), .seq = { draw(UINT32_MAX), draw(UINT32_MAX) } };
	while (out.file && !ferror(out.file) && out.bytes < bytes && out.packets < packets) {
		if (other && !draw(100))
			send_other();
		else
			go_on(earliest());
	}
	if (!out.file || ferror(out.file) || fclose(out.file)) {
		fprintf(stderr, "capture: cannot write %s: %s\n", path, strerror(errno));
		return 1;
	}
	printf("%llu packets, %llu bytes\n", (unsigned long long)out.packets, (unsigned long long)out.bytes);
	return 0;
}
