/* SPDX-License-Identifier: GPL-3.0-or-later */
/* push - brings the processes out of memory, by whichever method, until the kernel's account says so. */
#ifndef PAGEIN_PUSH_H
#define PAGEIN_PUSH_H

#include "evict.h"
#include "reading.h"

/* Out of memory and at rest, as far as that goes in cfg->evict_ns: what it came to is in *r. A hog is running afterwards only with
 * cfg->keep_hog. 0, -EINTR when we are to stop, -EIO with a line in `why`. */
int push_out(const struct cycle_cfg *cfg, struct cycle_run *run, struct evict_hog *hog, struct reading *r, char why[CYCLE_WHY]);

#endif
