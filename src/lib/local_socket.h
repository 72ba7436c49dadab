/* SPDX-License-Identifier: GPL-3.0-or-later */
/* local_socket - connects to Unix sockets. */
#pragma once

#include <sys/socket.h>

/* Connects to a Unix socket; a path that begins with "@" is an abstract name. Connecting, reading and writing time out after
 * `patience_s` seconds; 0: non-blocking. *peer (may be NULL): credentials of the listening process. Returns a descriptor or
 * -errno. */
int dial_unix(const char *path, int patience_s, struct ucred *peer);
