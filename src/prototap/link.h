/* SPDX-License-Identifier: GPL-3.0-or-later */
/* link - the link types that can be read, by the number that a capture has for them (DLT_*, www.tcpdump.org/linktypes). */
#ifndef PROTOTAP_LINK_H
#define PROTOTAP_LINK_H

#include "decode.h"

#define LINKS_KNOWN "Ethernet, Linux cooked, loopback and raw IP"

struct link {
	int number;
	enum link_type type;
	const char *name;
	const char *editcap;	/* what editcap -T calls it */
};

/* NULL: nothing that we know. */
const struct link *link_of(int number);

/* In words, what wire_bytes are in a capture of this type. */
const char *link_wire_bytes(enum link_type type);

#endif
