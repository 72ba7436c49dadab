/* SPDX-License-Identifier: GPL-3.0-or-later */
/* supervise - a parent that keeps its rights and reads no packets, and children that give up theirs and capture: where the
 * interface disappears, the next child begins when it is there again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Exit statuses of a child: its interface disappeared; the interface is back, but cannot be opened yet. */
#define SUPERVISE_GONE 75
#define SUPERVISE_NOT_YET 76

/* Forks the children. Returns in each child only: false in the first, true in a later one, whose interface is back. The
 * parent passes stop signals on, and exits with the status of the last child. Where the interface is gone at until_ns (0: no such
 * time), it exits, too. */
bool supervise_fork(const char *interface, int64_t until_ns);
