/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server_greet - the first half of a connection to an RFB server: the greeting, all of it until a stated time. */
#ifndef THINPROBE_SERVER_GREET_H
#define THINPROBE_SERVER_GREET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVER_NAME_MOST (1 << 20)	/* bytes of a desktop's name; libvncclient refuses longer ones */

/* What a greeting ends with: what the server told of itself, and what it said beyond that. */
struct server_greeted {
	int width, height;
	uint8_t *name;		/* as it came, not terminated; owned */
	size_t name_n;
	uint8_t *ahead;		/* bytes that were read beyond the greeting; owned */
	size_t ahead_n;
};
/* Greets and proves who we are over `fd` (blocking), which stays the caller's. NULL password: none.
 * 0, or -errno with the reason in `why`: -EACCES (refused), -EPROTO, -ETIMEDOUT, -EINTR, -ENOMEM.
 * Nothing is owned then. */
int server_greet(int fd, int port, const char *password, bool shared, int64_t until_ns,
		 struct server_greeted *out, char *why, size_t size);

#endif
