/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dues - who is due next, of many: a heap of times, one for each user. Pure. */
#ifndef THINPROBE_VUSERS_DUES_H
#define THINPROBE_VUSERS_DUES_H

#include <stddef.h>
#include <stdint.h>

struct dues {
	struct due {
		int64_t at_ns;
		uint32_t user;
	} *heap;	/* owned; the earliest is the first */
	size_t n, room;
};

/* Room for so many at a time. 0 or -ENOMEM. */
int dues_open(struct dues *d, size_t room);
/* Never more than there is room for. */
void dues_add(struct dues *d, int64_t at_ns, uint32_t user);
int64_t dues_first(const struct dues *d);	/* INT64_MAX: none */
/* The earliest; there is one. Of the same time any. */
struct due dues_take(struct dues *d);
void dues_free(struct dues *d);

#endif
