/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target - where users go: vnc:HOST:PORT (PORTS: 5901-5910,5920, or displays 1-10,20: vnc_address.h), http://HOST[:PORT]/PATH,
 * https://. Finds the address once. */
#ifndef THINPROBE_VUSERS_TARGET_H
#define THINPROBE_VUSERS_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define TARGET_PORTS 4096

struct target {
	bool http;
	char host[256];			/* without brackets */
	char path[512];			/* of http; "/" where there is none */
	char origin[300];		/* of http: what stands before the path */
	uint16_t port[TARGET_PORTS];
	int ports;			/* users take them in turn */
	struct sockaddr_storage address;	/* of the first port */
	socklen_t address_size;
};

/* 0, -EINVAL (no such target), -EAFNOSUPPORT (found no address), with a line in `why`. */
int target_parse(const char *text, struct target *t, char *why, size_t size);
/* The address with the port of that user. */
void target_address(const struct target *t, uint32_t user, struct sockaddr_storage *out);
/* "127.0.0.1", as numbers. */
void target_number(const struct target *t, char *text, size_t size);

#endif
