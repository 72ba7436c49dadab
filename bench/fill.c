// SPDX-License-Identifier: GPL-3.0-or-later
/* fill - what memhog's fill is held against: a plain loop, the kernel's part of it alone, and what the memory itself allows.
 *
 * usage: fill plain|touch|write|copy|read BYTES [4K|2M]     writes how long it took, in ns
 * plain: xorshift64 words, one after the other, into a fresh mapping; from before mmap to the last word.
 * touch: one word in each page of a fresh mapping: the kernel finds and clears each page in a fault.
 * write, copy, read: all words of memory that is there already, the fastest of three passes, as in
 * STREAM (copy: bytes read and written, half of BYTES each).
 * Pages are of 4 KiB or of 2 MiB, whatever the machine's default. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define HUGE_PAGE ((uintptr_t)2 << 20)
#define WORD 64

typedef uint64_t words __attribute__((vector_size(WORD)));

static volatile uint64_t sink;

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Aligned to large pages, so that either kind is what it can be. */
static char *fresh(size_t bytes, int huge)
{
	char *at = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED) {
		fprintf(stderr, "fill: cannot map %zu bytes: %s\n", bytes, strerror(errno));
		exit(1);
	}
	at = (char *)(((uintptr_t)at + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
	madvise(at, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return at;
}

static void plain(char *memory, size_t bytes)
{
	uint64_t x = 88172645463325252u, *word = (uint64_t *)(void *)memory;

	for (size_t i = 0; i < bytes / sizeof(x); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		word[i] = x;
	}
}

static void touch(char *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 4096)
		memory[i] = 1;
}

static void pass(char how, char *memory, size_t bytes)
{
	words *at = (words *)(void *)memory, value = { 1 };
	size_t n = bytes / WORD;

	if (how == 'w')
		for (size_t i = 0; i < n; i++)
			at[i] = value + i;
	else if (how == 'c')
		memcpy(memory, memory + n / 2 * WORD, n / 2 * WORD);
	else
		for (size_t i = 0; i < n; i++)
			value += at[i];
	__asm__ volatile("" ::"r"(memory) : "memory");
	sink = value[0] ^ value[7];
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	size_t bytes = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) / HUGE_PAGE * HUGE_PAGE : 0;
	int huge = argc > 3 && !strcmp(argv[3], "2M");
	int64_t best = INT64_MAX, begin = now_ns();
	char *memory;

	if (!bytes || !strstr(" plain touch write copy read ", how)) {
		fputs("usage: fill plain|touch|write|copy|read BYTES [4K|2M]   (BYTES: from 2 MiB on)\n", stderr);
		return 2;
	}
	memory = fresh(bytes, huge);
	if (how[0] == 'p') {
		plain(memory, bytes);
		best = now_ns() - begin;
	} else if (how[0] == 't') {
		touch(memory, bytes);
		best = now_ns() - begin;
	} else {
		plain(memory, bytes);
		for (int i = 0; i < 3; i++) {
			begin = now_ns();
			pass(how[0], memory, bytes);
			best = now_ns() - begin < best ? now_ns() - begin : best;
		}
	}
	printf("%lld\n", (long long)best);
	return 0;
}
