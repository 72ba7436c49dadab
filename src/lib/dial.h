/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dial - the socket of a TCP connection, in a stated time. */
#ifndef THINPROBE_DIAL_H
#define THINPROBE_DIAL_H

#include <stddef.h>
#include <stdint.h>

/* A descriptor that does not block and sends small pieces at once; or -errno with the reason in
 * `why`: -ETIMEDOUT, -EINTR (proc_stop), -ENOENT (no such host), others. The caller's. */
int dial(const char *host, int port, int64_t until_ns, char *why, size_t size);

#endif
