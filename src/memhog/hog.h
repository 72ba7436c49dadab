/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hog - memory that is really there: mapped, filled, touched again and again by a few threads.
 *
 * What goes into a page is content.c's, which page is touched when is turns.c's. */
#ifndef THINPROBE_HOG_H
#define THINPROBE_HOG_H

#include "turns.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOG_PAGE 4096		/* what is touched at a time, whatever the pages behind it */
#define HOG_HUGE ((size_t)2 << 20)
#define HOG_THREADS_MAX 64

struct hog_cfg {
	int64_t bytes;		/* of the mapping; rounded up to whole pages of the kind asked for */
	bool huge;		/* pages of 2 MiB, where the kernel has them to give; else 4 KiB for certain */
	int threads;
	uint64_t seed;
	enum turns_order order;
	bool stream;		/* touch all words of a page, not one */
	bool write;		/* change what is touched */
	double rate;		/* bytes of touched pages per second; 0: as fast as can be */
};

struct hog;

/* Maps; nothing is taken yet. 0 or -errno. */
int hog_new(struct hog **out, const struct hog_cfg *cfg);

/* Fills, in the order of addresses, in threads of its own. hog_filled() tells how far they are;
 * they end at the end of the mapping or soon after hog_stop(). 0 or -errno. */
int hog_fill(struct hog *h);
bool hog_fill_ended(const struct hog *h);
int64_t hog_filled(const struct hog *h);	/* bytes */
bool hog_placed(const struct hog *h);		/* pages came without faults; false: some or all were touched */
int64_t hog_fill_ns(const struct hog *h);	/* from the first thread's start to the last one's end; once it has ended */

/* Touches what was filled, for ever, in threads of its own. 0 or -errno. */
int hog_touch(struct hog *h);
int64_t hog_touched(const struct hog *h);	/* pages */
int64_t hog_given_up_ns(struct hog *h);		/* time by which the rate could not be held */

/* Ends the threads and waits for them; a page that one waits for must come first. */
void hog_stop(struct hog *h);
/* Where the memory is. */
void hog_place(const struct hog *h, uint64_t *start, uint64_t *end);

/* What the process has in swap now, of all its memory (VmSwap), in bytes; -1: not told. */
int64_t hog_swapped(void);

void hog_free(struct hog *h);		/* after hog_stop() */

#endif
