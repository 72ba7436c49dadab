/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place - puts whole pages into a mapping, with their content, where the kernel lets a process do that (userfaultfd).
 *
 * A page that is touched first is cleared by the kernel, in a fault of its own; one that is placed
 * is copied to, many in one call. Otherwise they are alike: of small size, new on the kernel's list
 * of pages not used lately. (Pages asked for with MADV_POPULATE_WRITE are not: they come as used,
 * and in a memory group with a limit the kernel was seen to find none that it could swap, and to
 * end the process.) */
#ifndef THINPROBE_PLACE_H
#define THINPROBE_PLACE_H

#include <stddef.h>

struct place {
	int fd;		/* -1: cannot be done */
	void *start;
	size_t bytes;
};

/* For a fresh mapping, no page of which may be touched before it is placed: until place_release() whoever does that waits for ever.
 * 0 or -errno: not here, and then nothing is to be released. */
int place_open(struct place *p, void *start, size_t bytes);

/* Whole pages. 0, or -errno: some may have been placed; after place_release() all can be written to
 * as any other. For several threads at once. */
int place_pages(const struct place *p, void *at, const void *from, size_t bytes);

/* Back to an ordinary mapping. As often as you like, of any thread. */
void place_release(const struct place *p);
void place_close(struct place *p);

#endif
