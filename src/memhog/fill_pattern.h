/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fill_pattern - random data for pages, which can neither be compressed nor merged. Pure.
 *
 * Words of xorshift64 (Marsaglia, "Xorshift RNGs", 2003, shifts 13, 7, 17) in eight interleaved streams, so that vector
 * instructions can be used. Pages with different keys differ in their first word, except for one key in 2^64. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FILL_PATTERN_STREAMS 8

/* Writes `bytes` (a multiple of 64) at `page` (aligned to 64). */
void fill_write_page(void *page, size_t bytes, uint64_t seed, uint64_t key);

/* Sums all words, in order to read all of the page. */
uint64_t fill_sum_words(const void *page, size_t bytes);
