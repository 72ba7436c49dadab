/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory - what the processes of an application have in memory, from /proc/PID/smaps_rollup. */
#ifndef STARTUP_MEMORY_H
#define STARTUP_MEMORY_H

#include "tree.h"

struct memory {
	int64_t resident_bytes;
	int64_t proportional_bytes;	/* what several have counts in equal shares */
	int64_t private_bytes;		/* private dirty, and swapped out */
	int64_t swapped_bytes;
};

/* All -1 where one of the processes may not be asked (a program with more rights than ours). */
void memory_look(const struct tree *t, struct memory *out);

#endif
