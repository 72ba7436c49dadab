// SPDX-License-Identifier: GPL-3.0-or-later
#include "content.h"
#include "random.h"

/* The compiler makes of it what the CPU has: two words at a time on any of 64 bits. */
typedef uint64_t content_streams __attribute__((vector_size(CONTENT_STREAMS * sizeof(uint64_t))));

/* Four or eight on some, which is chosen when the program is loaded: with 2M pages half of the time was spent here. */
#if defined(__x86_64__) && defined(__GLIBC__) && __has_attribute(target_clones)
#define FOR_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_CPU
#endif

/* One to one, so that states differ where keys do. Stepped by one, and not by the odd number of random.h, since what is
 * stepped over here is other pages' streams. */
static uint64_t stream_state(uint64_t seed, uint64_t key, unsigned stream)
{
	uint64_t s = random_mix(seed + key * CONTENT_STREAMS + stream);

	return s ? s : 1;	/* of 0, xorshift makes nothing but 0 */
}

FOR_EACH_CPU static void fill_streams(content_streams *at, size_t bytes, const content_streams *from)
{
	content_streams s = *from;

	for (size_t n = bytes / sizeof(s); n; n--) {
		*at++ = s;
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
	}
}

void content_fill(void *page, size_t bytes, uint64_t seed, uint64_t key)
{
	content_streams s;

	for (unsigned i = 0; i < CONTENT_STREAMS; i++)
		s[i] = stream_state(seed, key, i);
	fill_streams(page, bytes, &s);
}

FOR_EACH_CPU static uint64_t sum_of(const content_streams *at, size_t bytes)
{
	content_streams sum = { 0 };
	uint64_t all = 0;

	for (size_t n = bytes / sizeof(sum); n; n--)
		sum += *at++;
	for (unsigned i = 0; i < CONTENT_STREAMS; i++)
		all += sum[i];
	return all;
}

uint64_t content_sum(const void *page, size_t bytes)
{
	return sum_of(page, bytes);
}
