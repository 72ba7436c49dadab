/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sock - addresses, TCP and UDP sockets, all with time limits. All sockets are non-blocking. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct sock_address {
	struct sockaddr_storage addr;
	socklen_t size;
};

/* Resolves HOST:PORT, [ADDRESS]:PORT or, with a default `port` above 0, HOST alone, to at most `most` addresses. `numeric`: no
 * names. Their number, or -EINVAL with the reason in `why`. */
int sock_resolve(const char *text, int port, bool numeric, struct sock_address *out, int most, struct why *why);
void sock_set_port(struct sock_address *p, int port);
int sock_port(const struct sock_address *p);
/* The local and the peer's address of a socket. 0 or -errno. */
int sock_local_address(int fd, struct sock_address *out);
int sock_peer_address(int fd, struct sock_address *out);
bool sock_is_same_host(const struct sock_address *a, const struct sock_address *b);

/* Each returns a descriptor or -errno; -EINTR: a stop signal came. `roomy`: a large receive buffer from the start. */
int sock_listen(const struct sock_address *at, bool roomy);
int sock_bind_udp(const struct sock_address *at);
int sock_connect(const struct sock_address *to, int64_t until_ns, bool roomy);
/* Sets a 4 MB buffer by socket option `forced` (needs CAP_NET_ADMIN), else by `plain`, which the kernel limits. */
void sock_set_buffer(int fd, int plain, int forced);
