/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ports - which side of a connection is the server: the one that runs the applications.
 *
 * That side owns the port, but for X11, where the display, in front of the user, does (TCP ports 6000 to 6063, or as named). */
#ifndef PROTOTAP_PORTS_H
#define PROTOTAP_PORTS_H

#include "decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum port_use { PORT_NONE, PORT_SERVER, PORT_DISPLAY };	/* who owns it: nobody asked for it, the server, an X display */

#define PORTS_SPANS_MAX 64

struct ports {
	uint8_t use[65536];	/* enum port_use */
	struct port_span {
		uint16_t from, to;
	} span[PORTS_SPANS_MAX];
	size_t spans;		/* 0: no port was asked for */
};

/* Adds "5900,x11:6091,3389-3399,server:6000": 0 or -EINVAL, -E2BIG. A bare port from 6000 to 6063 is an X display's. */
int ports_add(struct ports *p, const char *text);

/* A filter expression of pcap-filter(7) that lets these ports through, and what hides them: later fragments and IPv6 with
 * extension headers. 0 or -E2BIG. */
int ports_filter(const struct ports *p, char *text, size_t size);

enum server_by { BY_PORT, BY_ADDRESS, BY_SYN, BY_LOWER_PORT };
extern const char *const server_by_names[];

/* Whether a segment is of interest, and if so, from its flow's first packet: which end (0 source, 1 destination) is the
 * server, and how that was found out. `server` is an address to look for, or NULL. */
bool ports_server(const struct ports *p, const uint8_t *server, const struct segment *s, int *end, enum server_by *by);

#endif
