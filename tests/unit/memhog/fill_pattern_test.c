// SPDX-License-Identifier: GPL-3.0-or-later
/* content - against the published generators, a compressor that knows nothing of them, and every page against every other. */
#include <unistd.h>

#include "memhog/fill_pattern.h"
#include "../unit.h"

#define PAGE 4096
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
