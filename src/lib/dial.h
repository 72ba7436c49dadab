/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dial - connects to TCP servers and Unix sockets within a time limit. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Connects to host and port until `until_ns` (CLOCK_MONOTONIC). Returns a non-blocking socket with TCP_NODELAY, owned by the
 * caller; or -errno with the reason in `why`: -ETIMEDOUT, -EINTR (stop signal), -ENOENT (no such host), others. */
int dial_tcp(const char *host, int port, int64_t until_ns, struct why *why);
/* Looks up the addresses of one host and port for later, when the program can no longer resolve names. */
void dial_look_up(const char *host, int port);
/* Connects a non-blocking socket to a socket address. 0, or -errno as above. */
int dial_socket(int fd, const void *address, socklen_t size, int64_t until_ns);
/* Waits until a descriptor is ready, for `events` of poll(2): 1. 0: not by until_ns (INT64_MAX: no limit). -EINTR: a stop signal,
 * which `heeds_stop` asks for. */
int dial_wait(int fd, short events, int64_t until_ns, bool heeds_stop);
/* The least round trip that TCP saw on this connection in the last minutes; 0: not known, or no TCP. Behind a tunnel or proxy it is
 * that to its near end. */
int64_t dial_least_rtt_ns(int fd);

/* Connects to a Unix socket; a path that begins with "@" is an abstract name. Connecting, reading and writing time out after
 * `patience_s` seconds; 0: non-blocking. *peer (may be NULL): credentials of the listening process. Returns a descriptor or
 * -errno. */
int dial_unix(const char *path, int patience_s, struct ucred *peer);
