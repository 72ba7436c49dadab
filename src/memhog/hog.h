/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hog - a block of memory that is mapped, filled and then touched repeatedly, by a few threads.
 *
 * The data of pages and the order of touches are in access_pattern.c. */
#pragma once

#include "access_pattern.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a page of the kernel (4096; 16 or 64 KiB on some arm64 and ppc64el), which are touched at a time, and of a huge page. */
size_t hog_page_bytes(void);
size_t hog_huge_bytes(void);
#define HOG_THREADS_MAX 64

struct hog_cfg {
	int64_t bytes; /* of the mapping; rounded up to whole pages */
	bool huge;     /* huge pages if the kernel has them; else never huge pages */
	int threads;
	uint64_t seed;
	enum access_order order;
	bool stream; /* touch all words of a page, not one */
	bool write;  /* write to touched words; else read them */
	double rate; /* bytes of touched pages per second; 0: unlimited */
};

/* Fills missing pages of a mapping through userfaultfd: the kernel copies many pages in one call, without a fault and a clearing of
 * each. (Not MADV_POPULATE_WRITE: the kernel treats its pages as recently used, and in a memory cgroup with a limit it was seen to
 * find nothing to swap and to kill the process.) */
struct uffd {
	int fd; /* -1: not available */
	void *start;
	size_t bytes;
};

struct memory_hog {
	struct hog_cfg cfg;
	char *room, *base;		  /* start of the mapping; start of the memory, aligned to `huge` */
	size_t mapped, bytes, page, huge; /* page, huge: bytes of a page, of a huge one */
	pthread_t thread[HOG_THREADS_MAX];
	int threads; /* number of running threads */
	atomic_bool stop;
	struct uffd uffd;	    /* fd -1: pages are filled by touching them */
	atomic_bool touching;	    /* filling by userfaultfd is impossible or has failed */
	atomic_size_t next, filled; /* offset of the next chunk to fill; bytes filled */
	atomic_int filling;	    /* number of threads that still fill */
	int64_t fill_start_ns;
	_Atomic int64_t fill_end_ns; /* 0: still filling */
	pthread_mutex_t lock;	     /* protects `pattern` */
	struct access_pattern pattern;
	_Atomic int64_t touched; /* touches so far, of `page` bytes each */
	_Atomic uint64_t seen;	 /* sum of the words read, so that the compiler keeps the reads */
};

/* Maps the memory without filling it. 0 or -errno; -EFBIG: more than addresses of this build can hold. */
int hog_new(struct memory_hog **out, const struct hog_cfg *cfg);

/* Starts threads that fill the memory in address order, until it is full or hog_stop() is called. 0 or -errno. */
int hog_start_fill(struct memory_hog *h);

/* Starts threads that touch the filled memory until hog_stop(). 0 or -errno. */
int hog_start_touch(struct memory_hog *h);

/* Ends the threads and waits for them; a thread that waits for a page from swap delays this. */
void hog_stop(struct memory_hog *h);
void hog_free(struct memory_hog *h); /* after hog_stop() */
