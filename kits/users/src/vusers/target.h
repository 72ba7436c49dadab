/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target - the address of the server: vnc:HOST:PORTS (5901-5910,5920, or displays 1-10,20: vnc_address.h), http://HOST[:PORT]/PATH
 * or https://, rdp:[USER@]HOST[:PORTS]. The name of the host is resolved once. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define TARGET_PORTS 4096

struct target {
	bool http, rdp;
	char user[256];	  /* of an RDP server; "": none was given */
	char host[256];	  /* without brackets */
	char path[512];	  /* of an http URL; "/" if the URL has none */
	char origin[300]; /* of an http URL: scheme, host and port, the text before the path */
	uint16_t port[TARGET_PORTS];
	int ports;			 /* number of ports; users are spread over them in turn */
	struct sockaddr_storage address; /* the resolved host, with the first port */
	socklen_t address_size;
};

/* 0; or with a line in `why` -EINVAL (no target), -EAFNOSUPPORT (the host has no address). */
int target_parse(const char *text, struct target *t, struct why *why);
/* Of several addresses of the host, takes the first at which somebody listens; if nobody does, the address stays. */
void target_choose_address(struct target *t);
/* The address to which a user connects: the host with the port of that user. */
void target_user_address(const struct target *t, uint32_t user, struct sockaddr_storage *out);
/* The numeric address of the host: "127.0.0.1". */
void target_address_text(const struct target *t, char *text, size_t size);
