// SPDX-License-Identifier: GPL-3.0-or-later
#include "access_pattern.h"
#include "clock.h"
#include "random.h"

#define BATCH_NS NS_PER_MS
#define BATCH_PAGES 256
#define BEHIND_NS (100 * NS_PER_MS)

static uint64_t scramble_half(uint64_t half, uint64_t key)
{
	uint64_t state = half ^ key;

	return random_bits(&state);
}

/* A pseudo-random permutation of 0..n-1: a Feistel network of four rounds over the next power of four, repeated until the
 * result is below n (cycle walking; Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). Less than four
 * repetitions on average. */
static uint64_t permute_index(uint64_t n, uint64_t key, uint64_t i)
{
	unsigned bits = 1; /* of each half of the Feistel network */
	uint64_t mask;

	while (bits < 32 && (n - 1) >> (2 * bits))
		bits++;
	mask = (1ull << bits) - 1;
	do {
		uint64_t left = i >> bits, right = i & mask;

		for (uint64_t round = 1; round <= 4; round++) {
			uint64_t was = right;

			right = left ^ (scramble_half(right, key + round * 0x9e3779b97f4a7c15u) & mask);
			left = was;
		}
		i = left << bits | right;
	} while (i >= n);
	return i;
}

void pattern_init(struct access_pattern *t, enum access_order order, uint64_t pages, uint64_t page_bytes, double rate,
		  uint64_t seed, int64_t now_ns)
{
	*t = (struct access_pattern){ .pages = pages, .seed = seed, .order = order, .origin_ns = now_ns };
	if (rate > 0)
		t->page_ns = (double)page_bytes * NS_PER_S / rate;
}

void pattern_take_batch(struct access_pattern *t, int64_t now_ns, struct touch_batch *out)
{
	double many = t->page_ns > 0 ? BATCH_NS / t->page_ns : BATCH_PAGES;

	*out = (struct touch_batch){ .first = t->next, .count = many < 1 ? 1 : many > BATCH_PAGES ? BATCH_PAGES : (uint64_t)many };
	t->next += out->count;
	if (t->page_ns <= 0)
		return;
	out->due_ns = t->origin_ns + (int64_t)((double)out->first * t->page_ns);
	if (now_ns - out->due_ns > BEHIND_NS) {
		int64_t late = now_ns - out->due_ns;

		t->origin_ns += late;
		t->given_up_ns += late;
		out->due_ns = now_ns;
	}
}

uint64_t pattern_round(const struct access_pattern *t, uint64_t touch)
{
	return touch / t->pages;
}

uint64_t pattern_page(const struct access_pattern *t, uint64_t touch)
{
	uint64_t i = touch % t->pages, key = t->seed ^ pattern_round(t, touch);

	return t->order == ACCESS_SEQ ? i : permute_index(t->pages, random_bits(&key), i);
}

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
