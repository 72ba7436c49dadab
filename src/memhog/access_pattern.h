/* SPDX-License-Identifier: GPL-3.0-or-later */
/* access_pattern - which page is touched when: an order and a rate, handed out in batches to any number of threads. Pure: time
 * is an argument.
 *
 * Each round touches every page once, in address order or in a random order that is different in each round. And the random data
 * that pages are filled with. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum access_order { ACCESS_SEQ, ACCESS_RANDOM };

struct access_pattern {
	uint64_t pages, seed;
	enum access_order order;
	double page_ns;	     /* time per page, of all threads together; 0: unlimited rate */
	uint64_t next;	     /* number of touches handed out */
	int64_t origin_ns;   /* due time of touch 0, shifted by given_up_ns */
	int64_t given_up_ns; /* time by which the touches fell behind the rate without being made up for */
};

struct touch_batch {
	uint64_t first, count; /* touches number first .. first + count - 1 */
	int64_t due_ns;	       /* due time of the first; 0: now */
};

/* rate: bytes per second, of pages of page_bytes; 0: unlimited. pages > 0. */
void pattern_init(struct access_pattern *t, enum access_order order, uint64_t pages, uint64_t page_bytes, double rate,
		  uint64_t seed, int64_t now_ns);

/* The next batch: the touches of about a millisecond, at most 256 pages. A delay over 100 ms is not made up for, since a hog
 * that was blocked by slow swap would return with a burst; it is added to given_up_ns. Not thread-safe. */
void pattern_take_batch(struct access_pattern *t, int64_t now_ns, struct touch_batch *out);

/* The page of touch number `touch`, and the round it belongs to. */
uint64_t pattern_page(const struct access_pattern *t, uint64_t touch);
uint64_t pattern_round(const struct access_pattern *t, uint64_t touch);

/* Random data for pages, which can neither be compressed nor merged.
 *
 * Words of xorshift64 (Marsaglia, "Xorshift RNGs", 2003, shifts 13, 7, 17) in eight interleaved streams, so that vector
 * instructions can be used. Pages with different keys differ in their first word, except for one key in 2^64. */
#define FILL_PATTERN_STREAMS 8

/* Writes `bytes` (a multiple of 64) at `page` (aligned to 64). */
void fill_write_page(void *page, size_t bytes, uint64_t seed, uint64_t key);

/* Sums all words, in order to read all of the page. */
uint64_t fill_sum_words(const void *page, size_t bytes);
