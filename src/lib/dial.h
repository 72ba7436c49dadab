/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dial - opens a TCP connection within a time limit. */
#pragma once

#include "why.h"

#include <stddef.h>
#include <stdint.h>

/* Connects to host and port until `until_ns` (CLOCK_MONOTONIC). Returns a non-blocking socket with TCP_NODELAY, owned by the
 * caller; or -errno with the reason in `why`: -ETIMEDOUT, -EINTR (stop signal), -ENOENT (no such host), others. */
int dial_tcp(const char *host, int port, int64_t until_ns, struct why *why);
