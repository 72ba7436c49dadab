/* SPDX-License-Identifier: GPL-3.0-or-later */
/* door - TCP and UDP sockets by name, and lines with an end in time. All sockets are non-blocking. */
#ifndef THINPROBE_NETLOAD_DOOR_H
#define THINPROBE_NETLOAD_DOOR_H

#include "talk.h"

#include <sys/socket.h>

struct door_place {
	struct sockaddr_storage addr;
	socklen_t size;
};

/* HOST:PORT, [ADDR]:PORT, or (port > 0) HOST alone. 0, or -EINVAL with the reason in `why`. */
int door_find(const char *text, int port, bool numeric, struct door_place *out, char *why, size_t size);
void door_set_port(struct door_place *p, int port);
int door_port(const struct door_place *p);
/* Where this end of a socket is; where the other is. */
int door_here(int fd, struct door_place *out);
int door_there(int fd, struct door_place *out);
bool door_same_host(const struct door_place *a, const struct door_place *b);

/* Descriptors, or -errno. A connection is tried until `until_ns`, or until told to stop (-EINTR). */
int door_listen(const struct door_place *at, bool roomy);	/* roomy: connections with a large window from the start */
int door_udp(const struct door_place *at);	/* bound there; NULL: anywhere, of that family, once it is connected */
int door_connect(const struct door_place *to, int64_t until_ns, bool roomy);
/* More than the limit of an ordinary user where the kernel allows it. */
void door_set_buffer(int fd, int plain, int forced);

/* A connection that carries lines. */
struct door {
	int fd;
	size_t n;
	char text[TALK_LINE];
};

/* 1: a line without its newline, in `line` (of TALK_LINE); 0: nobody is there any more; -ETIMEDOUT,
 * -EINTR (told to stop; only where `heeds_stop`), -EPROTO (what comes is no line), or another
 * -errno. */
int door_hear(struct door *d, char *line, int64_t until_ns, bool heeds_stop);
/* 0 or -errno; waits for at most 5 s. */
int door_say(struct door *d, const char *line);
/* What one end counted, as lines, and back. */
int door_say_side(struct door *d, const struct side *s, int64_t lanes);
int door_hear_side(struct door *d, struct side *s, int64_t lanes, int64_t until_ns, bool heeds_stop);

/* Waits for `events` on a descriptor until a time: 1, 0 (not by then), or -EINTR when told to stop. */
int door_wait(int fd, short events, int64_t until_ns, bool heeds_stop);

#endif
