/* SPDX-License-Identifier: GPL-3.0-or-later */
/* supervise - a parent that keeps its rights and reads no packets, and children that give up theirs and capture: where the
 * interface disappears, the next child begins when it is there again. */
#pragma once

#include <stdbool.h>

/* Exit statuses of a child: its interface disappeared; the interface is back, but cannot be opened yet. */
#define SUPERVISE_GONE 75
#define SUPERVISE_NOT_YET 76

/* Returns in each child, in the first one with false, in a later one with true; the parent passes stop signals on, and ends with
 * the exit status of the last child. Without processes to spare: false, in this process. */
bool supervise_fork(const char *interface);
