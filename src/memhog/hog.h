/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hog - a block of memory that is mapped, filled and then touched repeatedly, by a few threads.
 *
 * The data of pages is in fill_pattern.c, the order of touches in access_pattern.c. */
#pragma once

#include "access_pattern.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOG_PAGE 4096 /* bytes touched at a time, also in huge pages */
#define HOG_HUGE ((size_t)2 << 20)
#define HOG_THREADS_MAX 64

struct hog_cfg {
	int64_t bytes; /* of the mapping; rounded up to whole pages */
	bool huge;     /* huge pages (2 MiB) if the kernel has them; else never huge pages */
	int threads;
	uint64_t seed;
	enum access_order order;
	bool stream; /* touch all words of a page, not one */
	bool write;  /* write to touched words; else read them */
	double rate; /* bytes of touched pages per second; 0: unlimited */
};

struct memory_hog;

/* Maps the memory without filling it. 0 or -errno. */
int hog_new(struct memory_hog **out, const struct hog_cfg *cfg);

/* Starts threads that fill the memory in address order, until it is full or hog_stop() is called. 0 or -errno. */
int hog_start_fill(struct memory_hog *h);
bool hog_fill_ended(const struct memory_hog *h);
int64_t hog_filled_bytes(const struct memory_hog *h); /* bytes filled so far */
/* pages were filled without faults, by userfaultfd; false: some or all were touched */
bool hog_used_uffd(const struct memory_hog *h);
int64_t hog_fill_ns(const struct memory_hog *h); /* duration of the fill; valid once it has ended */

/* Starts threads that touch the filled memory until hog_stop(). 0 or -errno. */
int hog_start_touch(struct memory_hog *h);
int64_t hog_touch_count(const struct memory_hog *h); /* touches so far, of HOG_PAGE bytes each */
int64_t hog_lag_ns(struct memory_hog *h);	     /* delay against the rate (access_pattern.h) */

/* Ends the threads and waits for them; a thread that waits for a page from swap delays this. */
void hog_stop(struct memory_hog *h);
/* The addresses of the memory. */
void hog_get_range(const struct memory_hog *h, uint64_t *start, uint64_t *end);

/* Bytes of this process in swap (VmSwap); -1: not known. */
int64_t hog_swapped_bytes(void);

void hog_free(struct memory_hog *h); /* after hog_stop() */
