#include "decode.h"
#include "reader.h"

#define ETHERNET_HEADER 14
#define COOKED_HEADER 16
#define COOKED2_HEADER 20
#define ETHERTYPE_IPV4 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define ARPHRD_ETHERNET 1
#define ARPHRD_LOOPBACK 772
#define PROTOCOL_TCP 6
#define EXTENSIONS_MAX 16	/* nobody sends more; a chain without end is an attack */

enum extension { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, AUTHENTICATION = 51, DESTINATION = 60, MOBILITY = 135 };

/* What was asked for is not there: the capture's fault, or the packet's own? */
static enum decoded missing(uint32_t captured, uint32_t original)
{
	return captured < original ? DECODED_SHORT : DECODED_MALFORMED;
}

static bool has_ethernet_header(uint16_t device)
{
	return device == ARPHRD_ETHERNET || device == ARPHRD_LOOPBACK;
}

static enum decoded decode_tcp(struct reader *r, size_t at, uint32_t room, uint32_t captured, uint32_t original, struct segment *out)
{
	uint32_t header;

	if (room < 20)
		return DECODED_MALFORMED;
	out->port[0] = read_be16(r, at);
	out->port[1] = read_be16(r, at + 2);
	out->seq = read_be32(r, at + 4);
	out->ack = read_be32(r, at + 8);
	header = (uint32_t)(read_u8(r, at + 12) >> 4) * 4;
	out->flags = read_u8(r, at + 13);
	if (r->over)
		return missing(captured, original);
	if (header < 20 || header > room)
		return DECODED_MALFORMED;
	out->tcp_header_bytes = header;
	out->payload_bytes = room - header;
	return DECODED_SEGMENT;
}

static void map_ipv4(struct reader *r, size_t at, uint8_t *to)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	memcpy(to, prefix, sizeof(prefix));
	read_bytes(r, at, to + 12, 4);
}

/* `room` is what the frame has left for the IP packet. */
static enum decoded decode_ipv4(struct reader *r, size_t at, uint32_t room, uint32_t captured, uint32_t original, struct segment *out)
{
	uint8_t first = read_u8(r, at), protocol = read_u8(r, at + 9);
	uint32_t header = (uint32_t)(first & 15) * 4, length = read_be16(r, at + 2);
	uint16_t fragment = read_be16(r, at + 6);

	map_ipv4(r, at + 12, out->address[0]);
	map_ipv4(r, at + 16, out->address[1]);
	if (r->over)
		return missing(captured, original);
	if (!length)		/* segmentation offload leaves it to the card */
		length = room;
	if (first >> 4 != 4 || header < 20 || header > length || length > room)
		return DECODED_MALFORMED;
	if (fragment & 0x1fff)
		return DECODED_FRAGMENT;
	if (protocol != PROTOCOL_TCP)
		return DECODED_OTHER;
	out->ipv4 = true;
	out->ip_bytes = length;
	out->ip_header_bytes = header;
	return decode_tcp(r, at + header, length - header, captured, original, out);
}

static enum decoded decode_ipv6(struct reader *r, size_t at, uint32_t room, uint32_t captured, uint32_t original, struct segment *out)
{
	uint8_t first = read_u8(r, at), next = read_u8(r, at + 6);
	uint32_t header = 40, length = 40 + (uint32_t)read_be16(r, at + 4);

	read_bytes(r, at + 8, out->address[0], 16);
	read_bytes(r, at + 24, out->address[1], 16);
	if (r->over)
		return missing(captured, original);
	if (length == 40)	/* a jumbogram, or segmentation offload */
		length = room;
	if (first >> 4 != 6 || length > room)
		return DECODED_MALFORMED;
	for (int i = 0; next != PROTOCOL_TCP; i++) {
		uint8_t kind = next, words;

		if (kind != HOP_BY_HOP && kind != ROUTING && kind != FRAGMENT && kind != AUTHENTICATION &&
		    kind != DESTINATION && kind != MOBILITY)
			return DECODED_OTHER;
		if (i == EXTENSIONS_MAX || header + 8 > length)
			return DECODED_MALFORMED;
		next = read_u8(r, at + header);
		words = read_u8(r, at + header + 1);
		if (kind == FRAGMENT && read_be16(r, at + header + 2) & 0xfff8)
			return r->over ? missing(captured, original) : DECODED_FRAGMENT;
		if (r->over)
			return missing(captured, original);
		header += kind == FRAGMENT ? 8 : kind == AUTHENTICATION ? ((uint32_t)words + 2) * 4 : ((uint32_t)words + 1) * 8;
	}
	if (header > length)
		return DECODED_MALFORMED;
	out->ipv4 = false;
	out->ip_bytes = length;
	out->ip_header_bytes = header;
	return decode_tcp(r, at + header, length - header, captured, original, out);
}

enum decoded decode_packet(enum link_type link, const uint8_t *bytes, uint32_t captured, uint32_t original,
			   struct segment *out)
{
	struct reader r = { .bytes = bytes, .n = captured };
	uint32_t header;
	uint16_t type;

	if (original < captured)
		return DECODED_MALFORMED;
	switch (link) {
	case LINK_ETHERNET:
		header = ETHERNET_HEADER;
		type = read_be16(&r, 12);
		out->link_bytes = ETHERNET_HEADER;
		out->wire_bytes = original;
		break;
	case LINK_COOKED:
		header = COOKED_HEADER;
		type = read_be16(&r, 14);
		out->link_bytes = has_ethernet_header(read_be16(&r, 2)) ? ETHERNET_HEADER : 0;
		out->wire_bytes = original - header + out->link_bytes;
		break;
	default:
		header = COOKED2_HEADER;
		type = read_be16(&r, 0);
		out->link_bytes = has_ethernet_header(read_be16(&r, 8)) ? ETHERNET_HEADER : 0;
		out->wire_bytes = original - header + out->link_bytes;
	}
	if (r.over || captured < header)
		return missing(captured, original);
	if (type == ETHERTYPE_IPV4)
		return decode_ipv4(&r, header, original - header, captured, original, out);
	if (type == ETHERTYPE_IPV6)
		return decode_ipv6(&r, header, original - header, captured, original, out);
	return DECODED_OTHER;
}
