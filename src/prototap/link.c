// SPDX-License-Identifier: GPL-3.0-or-later
#include "link.h"

#include <stddef.h>

/* Raw IP is 101 in files, which libpcap gives out as 12; OpenBSD writes 14. */
static const struct link links[] = {
	{ 1, LINK_ETHERNET, "EN10MB", "ether" },
	{ 113, LINK_COOKED, "LINUX_SLL", "linux-sll" },
	{ 276, LINK_COOKED2, "LINUX_SLL2", "linux-sll2" },
	{ 0, LINK_LOOPBACK, "NULL", "null" },
	{ 108, LINK_LOOPBACK, "LOOP", "loop" },
	{ 12, LINK_IP, "RAW", "rawip" },
	{ 14, LINK_IP, "RAW", "rawip" },
	{ 101, LINK_IP, "RAW", "rawip" },
	{ 228, LINK_IPV4, "IPV4", "rawip4" },
	{ 229, LINK_IPV6, "IPV6", "rawip6" },
};

const struct link *link_of(int number)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (links[i].number == number)
			return &links[i];
	return NULL;
}

const char *link_wire_bytes(enum link_type type)
{
	switch (type) {
	case LINK_ETHERNET:
		return "frame lengths";
	case LINK_COOKED: case LINK_COOKED2:
		return "IP packets and, where the device has one, 14 bytes of Ethernet header: a cooked capture keeps none";
	default:
		return "IP packets: nothing is around them there";
	}
}
