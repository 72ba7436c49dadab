// SPDX-License-Identifier: GPL-3.0-or-later
/* turns - every page once a round, in the order asked for, at the rate asked for; the clock is a number. */
#include "clock.h"
#include "../unit.h"
#include "memhog/access_pattern.h"

#include <math.h>
#include <unistd.h>

#define PAGE 4096

static const size_t sizes[] = { 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 100, 1000, 4096, 4097, 65537 };

TEST(a_round_touches_every_page_once)
{
	for (int order = ACCESS_SEQ; order <= ACCESS_RANDOM; order++) {
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			struct access_pattern t;
			char *touched = calloc(1, sizes[s]);

			assert_non_null(touched);
			pattern_init(&t, (enum access_order)order, sizes[s], PAGE, 0, 99, 0);
			for (uint64_t i = 0; i < 3 * sizes[s]; i++) {
				uint64_t page = pattern_page(&t, i);

				assert_true(page < sizes[s]);
				assert_int_equal(touched[page], i / sizes[s]);
				touched[page]++;
				assert_int_equal(pattern_round(&t, i), i / sizes[s]);
			}
			free(touched);
		}
	}
}

TEST(in_order_is_in_order)
{
	struct access_pattern t;

	pattern_init(&t, ACCESS_SEQ, 1000, PAGE, 0, 1, 0);
	for (uint64_t i = 0; i < 2500; i++)
		assert_int_equal(pattern_page(&t, i), i % 1000);
}

/* Of a random order of n the steps have a mean of (n + 1)/3, half of them go up, and few pages keep their neighbour. */
TEST(a_random_order_is_one_and_another_one_each_round)
{
	const uint32_t N = 10000;
	struct access_pattern t, other;
	uint64_t same = 0, same_seed = 0;

	pattern_init(&t, ACCESS_RANDOM, N, PAGE, 0, 5, 0);
	pattern_init(&other, ACCESS_RANDOM, N, PAGE, 0, 6, 0);
	for (uint64_t round = 0; round < 3; round++) {
		uint64_t up = 0, near = 0;
		double steps = 0;

		for (uint64_t i = 1; i < N; i++) {
			double step = (double)pattern_page(&t, round * N + i) - (double)pattern_page(&t, round * N + i - 1);

			steps += fabs(step);
			up += step > 0;
			near += fabs(step) < 2;
		}
		assert_true(fabs(steps / (N - 1) - (N + 1) / 3.0) < 0.03 * N); /* sd of the mean: 0.0024 N */
		assert_true((double)up > 0.47 * N && (double)up < 0.53 * N);   /* sd 0.003 N */
		assert_true(near < 20);					       /* expected: 2 */
	}
	for (uint64_t i = 0; i < N; i++) {
		same += pattern_page(&t, i) == pattern_page(&t, N + i);
		same_seed += pattern_page(&t, i) == pattern_page(&other, i);
	}
	assert_true(same < 12 && same_seed < 12); /* expected: 1 */
}

/* Two who take turns get each touch once. */
TEST(turns_follow_each_other_without_gap)
{
	static const double rates[] = { 0, 4096, 1e6, 123456789, 1e12 };

	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++) {
		struct access_pattern t;
		struct touch_batch turn;
		uint64_t next = 0;

		pattern_init(&t, ACCESS_SEQ, 77, PAGE, rates[r], 1, 1000);
		for (int i = 0; i < 1000; i++) {
			pattern_take_batch(&t, 1000, &turn);
			assert_int_equal(turn.first, next);
			assert_true(turn.count >= 1 && turn.count <= 256);
			next += turn.count;
		}
	}
}

/* n pages of 4096 bytes at R bytes per second take 4096 n / R seconds. */
TEST(touches_are_due_at_the_rate)
{
	static const double rates[] = { 4096, 40960, 1e6, 1e8, 1e10 };
	const int64_t start = 5 * NS_PER_S;

	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++) {
		struct access_pattern t;
		struct touch_batch turn;
		int64_t now = start;

		pattern_init(&t, ACCESS_SEQ, 1000, PAGE, rates[r], 1, start);
		for (int i = 0; i < 3000; i++) {
			pattern_take_batch(&t, now, &turn);
			assert_true(fabs((double)(turn.due_ns - start) - (double)turn.first * PAGE / rates[r] * 1e9) < 2);
			/* a turn is no burst: a millisecond's work, or one page */
			assert_true(turn.count == 1 || (double)turn.count * PAGE / rates[r] <= 1e-3 * (1 + 1e-9));
			now = turn.due_ns > now ? turn.due_ns : now;
		}
		assert_int_equal(t.given_up_ns, 0);
	}
}

/* At 1000 pages/s: late by 50 ms, it catches up; late by 2 s, it gives up what it missed, counts it and goes on at the rate. */
TEST(what_is_very_late_is_not_made_up_for)
{
	struct access_pattern t;
	struct touch_batch turn;
	int64_t now = 0;
	uint64_t before;

	pattern_init(&t, ACCESS_SEQ, 1000, PAGE, 1000.0 * PAGE, 1, 0);
	pattern_take_batch(&t, 0, &turn);
	now = 50 * NS_PER_MS;
	while (turn.due_ns <= now)
		pattern_take_batch(&t, now, &turn);
	assert_int_equal(turn.first, 51);
	assert_int_equal(t.given_up_ns, 0);
	now = turn.due_ns + 2 * NS_PER_S;
	before = turn.first;
	pattern_take_batch(&t, now, &turn);
	assert_int_equal(turn.first, before + 1);
	assert_true(llabs(t.given_up_ns - 2 * NS_PER_S) <= 2 * NS_PER_MS);
	assert_true(turn.due_ns == now);
	pattern_take_batch(&t, now, &turn);
	assert_true(llabs(turn.due_ns - now - NS_PER_MS) <= 2);
}

TEST(without_a_rate_nothing_is_due_or_late)
{
	struct access_pattern t;
	struct touch_batch turn;

	pattern_init(&t, ACCESS_RANDOM, 10, PAGE, 0, 1, 0);
	for (int i = 0; i < 10; i++) {
		pattern_take_batch(&t, i * NS_PER_DAY, &turn);
		assert_int_equal(turn.due_ns, 0);
		assert_int_equal(turn.count, 256);
	}
	assert_int_equal(t.given_up_ns, 0);
}

/* --- the content: against the published generators, a compressor, and every page against every other --- */

#define WORDS (PAGE / sizeof(uint64_t))

static uint64_t *pages(size_t n)
{
	uint64_t *p = aligned_alloc(64, n * PAGE);

	assert_non_null(p);
	return p;
}

/* The first output of SplitMix64 from state 0, which has added its odd number once, as its authors publish it. */
TEST(the_first_word_is_splitmix)
{
	uint64_t *p = pages(1);

	fill_write_page(p, PAGE, 0x9e3779b97f4a7c15u, 0);
	assert_true(p[0] == 0xe220a8397b1dcdafu);
	/* keys are eight states apart */
	fill_write_page(p, PAGE, 0x9e3779b97f4a7c15u - 8 * 1234567, 1234567);
	assert_true(p[0] == 0xe220a8397b1dcdafu);
	/* the one state of which xorshift makes nothing but zeroes is not used */
	fill_write_page(p, PAGE, 0, 0);
	assert_true(p[0] != 0);
	free(p);
}

/* xorshift64 as printed by Marsaglia. */
static uint64_t xorshift64(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

TEST(every_word_follows_the_one_eight_before_it)
{
	uint64_t *p = pages(1), known = 88172645463325252u;

	assert_true(xorshift64(&known) == 8748534153485358512u); /* the known first output from the paper's seed */
	fill_write_page(p, PAGE, 42, 7);
	for (size_t i = 8; i < WORDS; i++) {
		uint64_t x = p[i - 8];

		assert_true(xorshift64(&x) == p[i]);
	}
	for (size_t i = 0; i < 8; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(p[i] != p[k]);
	free(p);
}

TEST(the_sum_is_of_all_words)
{
	uint64_t *p = pages(1), sum = 0;

	fill_write_page(p, PAGE, 1, 2);
	for (size_t i = 0; i < WORDS; i++)
		sum += p[i];
	assert_true(fill_sum_words(p, PAGE) == sum);
	p[WORDS - 1]++;
	assert_true(fill_sum_words(p, PAGE) == sum + 1);
	free(p);
}

static int by_content(const void *a, const void *b)
{
	return memcmp(*(uint64_t *const *)a, *(uint64_t *const *)b, PAGE);
}

/* What KSM looks for: of 8,192 pages, written with neighbouring keys and with the keys of a second round, no two are equal. */
TEST(no_two_pages_are_equal)
{
	enum { N = 8192 };
	uint64_t *p = pages(N), **sorted = calloc(N, sizeof(*sorted));

	assert_non_null(sorted);
	for (size_t i = 0; i < N; i++) {
		sorted[i] = p + i * WORDS;
		fill_write_page(sorted[i], PAGE, 3, i < N / 2 ? i : i - N / 2 + 1000000);
	}
	qsort(sorted, N, sizeof(*sorted), by_content);
	for (size_t i = 1; i < N; i++)
		assert_true(memcmp(sorted[i - 1], sorted[i], PAGE) < 0);
	free(sorted);
	free(p);
}

/* What `command` makes of the file, in bytes; -1: no such command. */
static long compressed(const char *command, const char *path)
{
	char line[256];
	long bytes = -1;
	FILE *pipe;

	snprintf(line, sizeof(line), "command -v %.8s >/dev/null && %s <%s | wc -c", command, command, path);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	if (fscanf(pipe, "%ld", &bytes) != 1)
		bytes = -1;
	pclose(pipe);
	return bytes;
}

TEST(no_compressor_makes_it_smaller)
{
	static const char *const commands[] = { "gzip -9", "xz -9", "zstd -19", "lz4 -9", "bzip2" };
	enum { N = 64 };
	char path[] = "/tmp/content_test.XXXXXX";
	int fd = mkstemp(path), ran = 0;
	uint64_t *p = pages(N);
	FILE *out = fdopen(fd, "w");

	assert_non_null(out);
	for (size_t i = 0; i < N; i++)
		fill_write_page(p + i * WORDS, PAGE, 5, i);
	assert_int_equal(fwrite(p, PAGE, N, out), N);
	fclose(out);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		long bytes = compressed(commands[i], path);

		if (bytes < 0)
			continue;
		ran++;
		if (bytes < (long)N * PAGE)
			print_message("%s: %ld of %d bytes\n", commands[i], bytes, N * PAGE);
		assert_true(bytes >= (long)N * PAGE);
	}
	unlink(path);
	free(p);
	if (!ran)
		skip();
}
