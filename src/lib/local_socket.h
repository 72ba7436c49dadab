/* SPDX-License-Identifier: GPL-3.0-or-later */
/* local_socket - connects to Unix sockets. */
#ifndef THINPROBE_LOCAL_SOCKET_H
#define THINPROBE_LOCAL_SOCKET_H

#include <sys/socket.h>

/* A path that begins with "@" is an abstract name. With `patience_s`, connecting, reading and writing wait for at most so many
 * seconds; with 0 nothing waits. *peer (or NULL): who made the socket. A descriptor, or -errno. */
int local_connect(const char *path, int patience_s, struct ucred *peer);

#endif
