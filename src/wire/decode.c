// SPDX-License-Identifier: GPL-3.0-or-later
#include "decode.h"
#include "bytes.h"

#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/ppp_defs.h>
#include <netinet/in.h>

#define COOKED_HEADER 16
#define COOKED2_HEADER 20
#define LOOPBACK_HEADER 4
#define VLAN_TAG 4
#define PPPOE_HEADER 8
#define TAGS_MAX 8	  /* at most two are in use; many more would be an attack */
#define EXTENSIONS_MAX 16 /* headers of a packet; an endless chain would be an attack */
#define TUNNELS_MAX 4	  /* inside of each other */
#define UDP_HEADER 8

enum { ETHERTYPE_NONE, HOST_IDENTITY = 139, SHIM6 = 140, MPLS_LAST = 0x100 };
enum { GRE_CHECKSUM = 0x8000, GRE_KEY = 0x2000, GRE_SEQUENCE = 0x1000, GRE_VERSION = 7 };
enum { VXLAN_PORT = 4789, VXLAN_PORT_LINUX = 8472, VXLAN_FLAGS = 0x08000000, GENEVE_PORT = 6081, GENEVE_OPTIONS = 0x3f };

/* Raw IP is 101 in files, for which libpcap returns 12; OpenBSD writes 14. */
static const struct link_layer links[] = {
	/* clang-format off */
	{ 1, LINK_ETHERNET, "EN10MB" },
	{ 113, LINK_COOKED, "LINUX_SLL" },
	{ 276, LINK_COOKED2, "LINUX_SLL2" },
	{ 0, LINK_LOOPBACK, "NULL" },
	{ 108, LINK_LOOPBACK, "LOOP" },
	{ 12, LINK_IP, "RAW" },
	{ 14, LINK_IP, "RAW" },
	{ 101, LINK_IP, "RAW" },
	{ 228, LINK_IPV4, "IPV4" },
	{ 229, LINK_IPV6, "IPV6" },
	/* clang-format on */
};

const struct link_layer *find_link_layer(int number)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (links[i].number == number)
			return &links[i];
	return NULL;
}

const char *wire_bytes_text(enum link_type type)
{
	switch (type) {
	case LINK_ETHERNET: return "frame lengths";
	case LINK_COOKED:
	case LINK_COOKED2:
		return "IP packets and, where the device has one, 14 bytes of Ethernet header: a cooked capture keeps none";
	default: return "IP packets: nothing is around them there";
	}
}

/* Why bytes are missing: the capture kept too few, or the packet itself is too short. */
static enum decoded judge_missing(const struct bounded_reader *r, uint32_t original)
{
	return r->n < original ? DECODED_SHORT : DECODED_MALFORMED;
}

/* Headers that do not fit: those of a first fragment may continue in the next one, so that the ports are not known; else an
 * error. */
static enum decoded judge_oversized(const struct segment *s)
{
	return s->fragmented ? DECODED_FRAGMENT : DECODED_MALFORMED;
}

static enum decoded decode_tcp(struct bounded_reader *r, size_t at, uint32_t room, uint32_t original, struct segment *out)
{
	uint32_t header;

	if (room < 20)
		return judge_oversized(out);
	out->port[0] = read_be16(r, at);
	out->port[1] = read_be16(r, at + 2);
	out->seq = read_be32(r, at + 4);
	out->ack = read_be32(r, at + 8);
	header = (uint32_t)(read_u8(r, at + 12) >> 4) * 4;
	out->flags = read_u8(r, at + 13);
	if (r->over)
		return judge_missing(r, original);
	if (header < 20)
		return DECODED_MALFORMED;
	if (header > room)
		return judge_oversized(out);
	if (out->flags & TCP_RST) /* it may carry words for people, which are no data (RFC 9293, 3.5.3) */
		header = room;
	out->window = at + 16 <= r->n ? read_be16(r, at + 14) : UINT16_MAX;
	out->transport = TRANSPORT_TCP;
	out->transport_header_bytes = header;
	out->payload_bytes = room - header;
	out->beyond_bytes = 0;
	out->payload_at = (uint32_t)at + header;
	return DECODED_SEGMENT;
}

static enum decoded decode_udp(struct bounded_reader *r, size_t at, uint32_t room, uint32_t original, struct segment *out)
{
	uint32_t length;

	if (room < UDP_HEADER)
		return judge_oversized(out);
	out->port[0] = read_be16(r, at);
	out->port[1] = read_be16(r, at + 2);
	length = read_be16(r, at + 4);
	if (r->over)
		return judge_missing(r, original);
	if (!length && !out->ipv4) /* a jumbogram (RFC 2675, 4) */
		length = room;
	if (length < UDP_HEADER || (length > room && !out->fragmented))
		return DECODED_MALFORMED;
	out->transport = TRANSPORT_UDP;
	out->seq = out->ack = out->flags = 0;
	out->window = UINT16_MAX;
	out->transport_header_bytes = UDP_HEADER + (length < room ? room - length : 0);
	out->payload_bytes = length - UDP_HEADER;
	out->beyond_bytes = length > room ? length - room : 0;
	return DECODED_SEGMENT;
}

/* Goes over VLAN tags, PPPoE and MPLS labels to what is behind them, of *type. False: too many. */
static bool skip_tags(struct bounded_reader *r, size_t *at, uint16_t *type)
{
	uint32_t label;
	uint16_t inside;

	for (int tags = 0; tags <= TAGS_MAX; tags++) {
		switch (*type) {
		case ETH_P_8021Q:
		case ETH_P_8021AD:
		case ETH_P_QINQ1:
			*type = read_be16(r, *at + 2);
			*at += VLAN_TAG;
			break;
		case ETH_P_PPP_SES:
			inside = read_be16(r, *at + 6);
			*at += PPPOE_HEADER;
			*type = inside == PPP_IP ? ETH_P_IP : inside == PPP_IPV6 ? ETH_P_IPV6 : ETHERTYPE_NONE;
			break;
		case ETH_P_MPLS_UC:
		case ETH_P_MPLS_MC:
			label = read_be32(r, *at);
			*at += sizeof(label);
			inside = read_u8(r, *at) >> 4; /* nothing but the version tells what is inside */
			if (label & MPLS_LAST)
				*type = inside == 4 ? ETH_P_IP : inside == 6 ? ETH_P_IPV6 : ETHERTYPE_NONE;
			break;
		default: return true;
		}
	}
	return false;
}

static bool enter_gre(struct bounded_reader *r, size_t *at, uint16_t *type)
{
	uint16_t flags = read_be16(r, *at);

	*type = read_be16(r, *at + 2);
	*at += 4 + 4 * (size_t)__builtin_popcount(flags & (GRE_CHECKSUM | GRE_KEY | GRE_SEQUENCE));
	if (*type == ETH_P_ERSPAN2)
		*at += read_u8(r, *at + 11) & 1 ? 20 : 12;
	else if (*type == ETH_P_ERSPAN && flags & GRE_SEQUENCE)
		*at += 8;
	if (*type == ETH_P_ERSPAN2 || *type == ETH_P_ERSPAN)
		*type = ETH_P_TEB;
	return !(flags & GRE_VERSION);
}

/* Moves *at from the header of `protocol` to the packet inside of the tunnel, and *type to what it is. False: no tunnel. */
static bool enter_tunnel(struct bounded_reader *r, uint8_t protocol, size_t *at, uint16_t *type)
{
	uint16_t port = read_be16(r, *at + 2);
	bool tunnel = true;

	if (protocol == IPPROTO_IPIP || protocol == IPPROTO_IPV6) {
		*type = protocol == IPPROTO_IPIP ? ETH_P_IP : ETH_P_IPV6;
	} else if (protocol == IPPROTO_GRE) {
		tunnel = enter_gre(r, at, type);
	} else if (protocol == IPPROTO_UDP && (port == VXLAN_PORT || port == VXLAN_PORT_LINUX)) {
		tunnel = read_be32(r, *at + UDP_HEADER) == VXLAN_FLAGS;
		*type = ETH_P_TEB;
		*at += UDP_HEADER + 8;
	} else if (protocol == IPPROTO_UDP && port == GENEVE_PORT) {
		uint8_t first = read_u8(r, *at + UDP_HEADER);

		*type = read_be16(r, *at + UDP_HEADER + 2);
		tunnel = first <= GENEVE_OPTIONS; /* version 0 */
		*at += UDP_HEADER + 8 + 4 * (size_t)(first & GENEVE_OPTIONS);
	} else {
		return false;
	}
	if (*type == ETH_P_TEB) {
		*type = read_be16(r, *at + 12);
		*at += ETH_HLEN;
	}
	return tunnel && skip_tags(r, at, type) && !r->over;
}

static enum decoded decode_network(struct bounded_reader *r, size_t at, uint16_t type, uint32_t room, uint32_t original,
				   int tunnels, struct segment *out);

static enum decoded decode_transport(struct bounded_reader *r, size_t at, uint8_t protocol, uint32_t original, int tunnels,
				     struct segment *out)
{
	uint32_t room = out->ip_bytes - out->ip_header_bytes;
	struct bounded_reader within = { .bytes = r->bytes, .n = r->n };
	size_t inner = at;
	uint16_t type;

	if (tunnels < TUNNELS_MAX && !out->fragmented && enter_tunnel(&within, protocol, &inner, &type) && inner - at <= room) {
		enum decoded what;

		out->link_bytes += out->ip_header_bytes + (uint32_t)(inner - at);
		what = decode_network(&within, inner, type, room - (uint32_t)(inner - at), original, tunnels + 1, out);
		return what == DECODED_MALFORMED ? DECODED_OTHER : what;
	}
	if (protocol == IPPROTO_TCP)
		return decode_tcp(r, at, room, original, out);
	if (protocol == IPPROTO_UDP)
		return decode_udp(r, at, room, original, out);
	return DECODED_OTHER;
}

static void read_ipv4(struct bounded_reader *r, size_t at, uint8_t *to)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	memcpy(to, prefix, sizeof(prefix));
	read_bytes(r, at, to + 12, 4);
}

/* `room`: bytes of the frame that are left for the IP packet. */
static enum decoded decode_ipv4(struct bounded_reader *r, size_t at, uint32_t room, uint32_t original, int tunnels,
				struct segment *out)
{
	uint8_t first = read_u8(r, at), protocol = read_u8(r, at + 9);
	uint32_t header = (uint32_t)(first & 15) * 4, length = read_be16(r, at + 2);
	uint16_t fragment = read_be16(r, at + 6);

	read_ipv4(r, at + 12, out->address[0]);
	read_ipv4(r, at + 16, out->address[1]);
	if (r->over)
		return judge_missing(r, original);
	if (!length) /* 0: segmentation offload, the network card fills in the length */
		length = room;
	if (first >> 4 != 4 || header < 20 || header > length || length > room)
		return DECODED_MALFORMED;
	out->ipv4 = true;
	out->ip_bytes = length;
	out->ip_header_bytes = header;
	if (fragment & 0x1fff)
		return DECODED_FRAGMENT;
	out->fragmented = fragment & 0x2000;
	if (protocol == IPPROTO_AH) {
		protocol = read_u8(r, at + header);
		header += ((uint32_t)read_u8(r, at + header + 1) + 2) * 4;
		if (r->over)
			return judge_missing(r, original);
		if (header > length)
			return judge_oversized(out);
		out->ip_header_bytes = header;
	}
	return decode_transport(r, at + header, protocol, original, tunnels, out);
}

static bool is_extension(uint8_t protocol)
{
	static const uint8_t extensions[] = { IPPROTO_HOPOPTS, IPPROTO_ROUTING, IPPROTO_FRAGMENT, IPPROTO_AH,
					      IPPROTO_DSTOPTS, IPPROTO_MH,	HOST_IDENTITY,	  SHIM6 };

	return memchr(extensions, protocol, sizeof(extensions));
}

/* Skips the IPv6 extension headers; *next: the protocol behind the last one. DECODED_SEGMENT: no error so far. */
static enum decoded skip_extensions(struct bounded_reader *r, size_t at, uint32_t original, uint8_t *next, struct segment *out)
{
	for (int i = 0; is_extension(*next); i++) {
		uint8_t kind = *next, words;
		uint32_t header = out->ip_header_bytes;

		if (i == EXTENSIONS_MAX || (kind == IPPROTO_HOPOPTS && i)) /* hop-by-hop options must come first (RFC 8200, 4.1) */
			return DECODED_MALFORMED;
		if (header + 8 > out->ip_bytes)
			return judge_oversized(out);
		*next = read_u8(r, at + header);
		words = read_u8(r, at + header + 1);
		if (kind == IPPROTO_FRAGMENT) {
			uint16_t fragment = read_be16(r, at + header + 2);

			if (!r->over && fragment & 0xfff8)
				return DECODED_FRAGMENT;
			out->fragmented = fragment & 1;
		}
		if (r->over)
			return judge_missing(r, original);
		out->ip_header_bytes += kind == IPPROTO_FRAGMENT ? 8
					: kind == IPPROTO_AH	 ? ((uint32_t)words + 2) * 4
								 : ((uint32_t)words + 1) * 8;
	}
	return out->ip_header_bytes > out->ip_bytes ? judge_oversized(out) : DECODED_SEGMENT;
}

static enum decoded decode_ipv6(struct bounded_reader *r, size_t at, uint32_t room, uint32_t original, int tunnels,
				struct segment *out)
{
	uint8_t first = read_u8(r, at), next = read_u8(r, at + 6);
	uint32_t length = 40 + (uint32_t)read_be16(r, at + 4);
	enum decoded what;

	read_bytes(r, at + 8, out->address[0], 16);
	read_bytes(r, at + 24, out->address[1], 16);
	if (r->over)
		return judge_missing(r, original);
	if (length == 40) /* a jumbogram, or segmentation offload */
		length = room;
	if (first >> 4 != 6 || length > room)
		return DECODED_MALFORMED;
	out->ipv4 = false;
	out->ip_bytes = length;
	out->ip_header_bytes = 40;
	out->fragmented = false;
	what = skip_extensions(r, at, original, &next, out);
	return what == DECODED_SEGMENT ? decode_transport(r, at + out->ip_header_bytes, next, original, tunnels, out) : what;
}

static enum decoded decode_network(struct bounded_reader *r, size_t at, uint16_t type, uint32_t room, uint32_t original,
				   int tunnels, struct segment *out)
{
	if (type == ETH_P_IP)
		return decode_ipv4(r, at, room, original, tunnels, out);
	if (type == ETH_P_IPV6)
		return decode_ipv6(r, at, room, original, tunnels, out);
	return DECODED_OTHER;
}

/* The family is in the capturing host's byte order, which is not known; the number of IPv6 differs between systems. */
static uint16_t family_ethertype(uint32_t family)
{
	switch (family > 0xffff ? __builtin_bswap32(family) : family) {
	case 2: return ETH_P_IP;
	case 24:
	case 28:
	case 30: /* NetBSD and OpenBSD, FreeBSD, Darwin */ return ETH_P_IPV6;
	default: return ETHERTYPE_NONE;
	}
}

/* Decodes the link layer's header: returns its length, with the EtherType of what follows in *type and its length on the wire in
 * *out. */
static uint32_t decode_link(struct bounded_reader *r, enum link_type link, uint16_t *type, struct segment *out)
{
	bool second = link == LINK_COOKED2;
	uint16_t device;

	out->link_bytes = 0;
	switch (link) {
	case LINK_ETHERNET: *type = read_be16(r, 12); return out->link_bytes = ETH_HLEN;
	case LINK_COOKED:
	case LINK_COOKED2:
		device = read_be16(r, second ? 8 : 2);
		*type = read_be16(r, second ? 0 : 14);
		if (device == ARPHRD_NETLINK || device == ARPHRD_IEEE80211_RADIOTAP || device == ARPHRD_FRAD)
			*type = ETHERTYPE_NONE; /* on these devices, a cooked header's protocol is no EtherType */
		if (device == ARPHRD_ETHER || device == ARPHRD_LOOPBACK)
			out->link_bytes = ETH_HLEN;
		return second ? COOKED2_HEADER : COOKED_HEADER;
	case LINK_LOOPBACK: *type = family_ethertype(read_be32(r, 0)); return LOOPBACK_HEADER;
	default: *type = link == LINK_IPV6 || (link == LINK_IP && read_u8(r, 0) >> 4 == 6) ? ETH_P_IPV6 : ETH_P_IP; return 0;
	}
}

/* The end of the IP packet at `at`, as its header says; 0: it says none. */
static uint32_t find_network_end(struct bounded_reader r, size_t at, uint16_t type)
{
	uint32_t length = type == ETH_P_IP ? read_be16(&r, at + 2) : type == ETH_P_IPV6 ? read_be16(&r, at + 4) : 0;

	return length ? (uint32_t)at + length + (type == ETH_P_IPV6 ? 40 : 0) : 0;
}

enum decoded decode_packet(enum link_type link, const struct packet *p, struct segment *out)
{
	uint32_t original = p->original;
	struct bounded_reader r = { .bytes = p->bytes, .n = p->captured < original ? p->captured : original };
	size_t header, tags;
	uint16_t type;

	header = decode_link(&r, link, &type, out);
	tags = header;
	if (!skip_tags(&r, &header, &type))
		return DECODED_MALFORMED;
	out->link_bytes += (uint32_t)(header - tags);
	if (r.over || r.n < header)
		return judge_missing(&r, original);
	if (p->captured > original) { /* the record's lengths are not to be trusted */
		uint32_t end = find_network_end(r, header, type);

		original = end > original ? end : original;
	}
	out->wire_bytes = original - (uint32_t)header + out->link_bytes;
	return decode_network(&r, header, type, original - (uint32_t)header, original, 0, out);
}
