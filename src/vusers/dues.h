/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dues - who is due next, of many: a heap of times, one for each user. Pure. */
#ifndef THINPROBE_VUSERS_DUES_H
#define THINPROBE_VUSERS_DUES_H

#include <stddef.h>
#include <stdint.h>

struct due_heap {
	struct due {
		int64_t at_ns;
		uint32_t user;
	} *heap;	/* owned; the earliest is the first */
	size_t n, room;
};

/* Room for so many at a time. 0 or -ENOMEM. */
int due_heap_open(struct due_heap *d, size_t room);
/* Never more than there is room for. */
void due_heap_add(struct due_heap *d, int64_t at_ns, uint32_t user);
int64_t due_heap_first(const struct due_heap *d);	/* INT64_MAX: none */
/* The earliest; there is one. Of the same time any. */
struct due due_heap_take(struct due_heap *d);
void due_heap_free(struct due_heap *d);

#endif
