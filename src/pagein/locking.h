/* SPDX-License-Identifier: GPL-3.0-or-later */
/* locking - locks all processes of an application in memory, or none, and tells what it came to. */
#ifndef PAGEIN_LOCKING_H
#define PAGEIN_LOCKING_H

#include "rec.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LOCKING_WHY 300

/* `lock` false: unlocks them. 0, or -1 with a line in `why`: then none is locked by us, and `out` is not whole. */
int locking_all(const pid_t *pid, size_t n, bool lock, struct rec *out, char why[LOCKING_WHY]);

#endif
