/* SPDX-License-Identifier: GPL-3.0-or-later */
/* content - what fills a page: data that neither compresses nor merges. Pure.
 *
 * Words of xorshift64 (Marsaglia, "Xorshift RNGs", 2003, shifts 13, 7, 17), eight streams side by
 * side, so that a CPU that works on several words at a time can. No two pages are equal that differ
 * in their key: their first words differ, but for one key in 2^64. */
#ifndef THINPROBE_CONTENT_H
#define THINPROBE_CONTENT_H

#include <stddef.h>
#include <stdint.h>

#define CONTENT_STREAMS 8

/* Fills `bytes` (a multiple of 64) at `page` (aligned to 64). */
void content_fill(void *page, size_t bytes, uint64_t seed, uint64_t key);

/* The sum of its words: reads all of it. */
uint64_t content_sum(const void *page, size_t bytes);

#endif
