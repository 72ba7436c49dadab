/* SPDX-License-Identifier: GPL-3.0-or-later */
/* join - keys of a train put beside what was seen of them on the wire and in the application. */
#ifndef THINPROBE_SUMMARIZE_JOIN_H
#define THINPROBE_SUMMARIZE_JOIN_H

#include "estimates.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads wire.tsv and echo.tsv of `folder`, each of which may be missing, and fills the stages of `t`, whose keys are read; of a
 * train in `blocks`, its truth, and its keys become those that the wire alone tells. `base`: what the application had counted before
 * the first key, negative if it tells no numbers. 0 or -errno with "FILE: what is wrong with it" in `why`. */
int join_traces(const char *folder, bool blocks, int64_t base, struct train *t, char *why, size_t size);

#endif
