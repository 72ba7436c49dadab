/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ports - which end of a connection is the server, the host of the applications.
 *
 * The server owns the port, except with X11, where the display in front of the user does (TCP ports 6000 to 6063, or as given). */
#pragma once

#include "decode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum port_use { PORT_NONE, PORT_SERVER, PORT_DISPLAY }; /* owner of a port: not asked for, the server, an X display */

#define PORTS_SPANS_MAX 64

struct server_ports {
	uint8_t use[65536]; /* enum port_use */
	struct port_span {
		uint16_t from, to;
	} span[PORTS_SPANS_MAX];
	size_t spans; /* 0: no port was asked for */
};

/* Adds ports such as "5900,x11:6091,3389-3399,server:6000"; a bare port from 6000 to 6063 is an X display's. 0; -EINVAL; -E2BIG. */
int ports_parse_list(struct server_ports *p, const char *text);

/* Writes a pcap-filter(7) expression for these ports that also passes packets with hidden ports: later fragments, and IPv6 with
 * extension headers. 0 or -E2BIG. */
int ports_write_filter(const struct server_ports *p, char *text, size_t size);

enum server_clue { BY_PORT, BY_ADDRESS, BY_SYN, BY_LOWER_PORT, BY_GREETING }; /* how the server was identified */
extern const char *const server_by_names[];

/* Whether the connection of this segment was asked for; if so, from the connection's first packet, which end is the server (0
 * source, 1 destination). `server`: address to look for, or NULL. */
bool ports_find_server(const struct server_ports *p, const uint8_t *server, const struct segment *s, int *end,
		       enum server_clue *by);
