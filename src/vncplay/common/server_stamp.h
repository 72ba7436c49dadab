/* SPDX-License-Identifier: GPL-3.0-or-later */
/* server_stamp - when bytes of a TCP connection came to this machine, however late they are read (SO_TIMESTAMPNS). */
#ifndef THINPROBE_SERVER_STAMP_H
#define THINPROBE_SERVER_STAMP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* From now on the kernel notes it. Where it cannot, server_stamp_peek tells when the bytes were read. */
void server_stamp_ask(int fd);

/* recv(), and in *came_ns (in: that of the read before; 0: none) when the last of these bytes came:
 * CLOCK_MONOTONIC, never before the one before, never after now. */
ssize_t server_stamp_recv(int fd, void *bytes, size_t n, int flags, int64_t *came_ns);

#endif
