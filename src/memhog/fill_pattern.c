// SPDX-License-Identifier: GPL-3.0-or-later
#include "fill_pattern.h"
#include "random.h"

/* A vector type: the compiler uses the vector instructions of the CPU. */
typedef uint64_t fill_streams __attribute__((vector_size(FILL_PATTERN_STREAMS * sizeof(uint64_t))));

/* Compiled for several instruction sets, one of which is chosen at load time: with 2 MiB pages half of the time was spent here. */
#if defined(__x86_64__) && defined(__GLIBC__) && __has_attribute(target_clones) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_CPU
#endif

/* The initial state of a stream; different for each key and stream, since random_mix() is a bijection. */
static uint64_t start_stream(uint64_t seed, uint64_t key, unsigned stream)
{
	uint64_t s = random_mix(seed + key * FILL_PATTERN_STREAMS + stream);

	return s ? s : 1; /* xorshift would stay at 0 */
}

FOR_EACH_CPU static void write_streams(fill_streams *at, size_t bytes, const fill_streams *from)
{
	fill_streams s = *from;

	for (size_t n = bytes / sizeof(s); n; n--) {
		*at++ = s;
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
	}
}

void fill_write_page(void *page, size_t bytes, uint64_t seed, uint64_t key)
{
	fill_streams s;

	for (unsigned i = 0; i < FILL_PATTERN_STREAMS; i++)
		s[i] = start_stream(seed, key, i);
	write_streams(page, bytes, &s);
}

FOR_EACH_CPU static uint64_t sum_words(const fill_streams *at, size_t bytes)
{
	fill_streams sum = { 0 };
	uint64_t all = 0;

	for (size_t n = bytes / sizeof(sum); n; n--)
		sum += *at++;
	for (unsigned i = 0; i < FILL_PATTERN_STREAMS; i++)
		all += sum[i];
	return all;
}

uint64_t fill_sum_words(const void *page, size_t bytes)
{
	return sum_words(page, bytes);
}
