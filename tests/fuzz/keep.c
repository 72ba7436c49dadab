// SPDX-License-Identifier: GPL-3.0-or-later
#include "keep.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST (16u << 10) /* bytes of a block that is kept */
#define LARGEST (4u << 20)
#define BLOCKS 96 /* no more are kept */

static struct kept_block {
	uint8_t *at;
	size_t size;
	bool used, clean;
} block[BLOCKS];
static int blocks, next = -1;
static uint8_t *lowest = (uint8_t *)UINTPTR_MAX, *highest;

#define NOTED 65536
static struct noted {
	void *at;
	bool file;
} noted[NOTED];
static int notes = -1; /* -1: nothing is noted */

void *__real_malloc(size_t n);
FILE *__real_fopen(const char *path, const char *mode);
int __real_fclose(FILE *f);
ssize_t __real_getdelim(char **text, size_t *room, int end, FILE *in);
ssize_t __wrap_getdelim(char **text, size_t *room, int end, FILE *in);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
char *__wrap_strdup(const char *text);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_fclose(FILE *f);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void __wrap_free(void *p);
const char *__asan_default_options(void);

/* Little is kept from use again: within one input it is enough, and caches stay warm. */
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1:malloc_context_size=3:detect_stack_use_after_return=0";
}

static void *note(void *p, bool file)
{
	if (p && notes >= 0 && notes < NOTED)
		noted[notes++] = (struct noted){ p, file };
	return p;
}

static void *strike(void *p)
{
	for (int i = notes - 1; i >= 0; i--)
		if (noted[i].at == p) {
			noted[i] = noted[--notes];
			break;
		}
	return p;
}

static struct kept_block *find_block(const void *p)
{
	if ((const uint8_t *)p < lowest || (const uint8_t *)p > highest)
		return NULL;
	for (int i = 0; i < blocks; i++)
		if (block[i].at == p)
			return &block[i];
	return NULL;
}

void keep_mark_clean(void *p)
{
	struct kept_block *b = find_block(p);

	if (b)
		b->clean = true;
}

static struct kept_block *take_block(size_t n)
{
	struct kept_block *b;

	for (int i = 0; i < blocks; i++)
		if (block[i].size == n && !block[i].used)
			return &block[i];
	next = (next + 1) % BLOCKS;
	b = &block[next];
	if (b->used)
		return NULL;
	__real_free(b->at);
	*b = (struct kept_block){ .at = __real_malloc(n), .size = n };
	if (!b->at)
		return NULL;
	blocks = next + 1 > blocks ? next + 1 : blocks;
	lowest = b->at < lowest ? b->at : lowest;
	highest = b->at > highest ? b->at : highest;
	return b;
}

void *__wrap_malloc(size_t n)
{
	struct kept_block *b = n >= SMALLEST && n <= LARGEST ? take_block(n) : NULL;

	if (!b)
		return note(__real_malloc(n), false);
	b->used = true;
	b->clean = false;
	return note(b->at, false);
}

void *__wrap_calloc(size_t n, size_t size)
{
	size_t all;
	struct kept_block *b;

	if (__builtin_mul_overflow(n, size, &all))
		return NULL;
	b = all >= SMALLEST && all <= LARGEST ? take_block(all) : NULL;
	if (!b)
		return note(__real_calloc(n, size), false);
	if (!b->clean)
		memset(b->at, 0, all);
	b->used = true;
	b->clean = false;
	return note(b->at, false);
}

void *__wrap_realloc(void *p, size_t n)
{
	struct kept_block *b = find_block(p);
	void *grown;

	if (!b)
		return note(__real_realloc(strike(p), n), false);
	grown = __wrap_malloc(n);
	if (!grown)
		return NULL;
	memcpy(grown, p, b->size < n ? b->size : n);
	__wrap_free(p);
	return grown;
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	return __builtin_mul_overflow(n, size, &all) ? NULL : __wrap_realloc(p, all);
}

void __wrap_free(void *p)
{
	struct kept_block *b = find_block(p);

	strike(p);
	if (b)
		b->used = false;
	else
		__real_free(p);
}

char *__wrap_strdup(const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = __wrap_malloc(n);

	return copy ? memcpy(copy, text, n) : NULL;
}

int __wrap_asprintf(char **out, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(out, format, args);
	va_end(args);
	if (n >= 0)
		note(*out, false);
	return n;
}

ssize_t __wrap_getdelim(char **text, size_t *room, int end, FILE *in)
{
	ssize_t n;

	strike(*text);
	n = __real_getdelim(text, room, end, in);
	note(*text, false);
	return n;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return note(__real_fopen(path, mode), true);
}

int __wrap_fclose(FILE *f)
{
	return __real_fclose(strike(f));
}

void keep_track(bool begin)
{
	while (notes > 0) {
		struct noted last = noted[notes - 1];

		if (last.file)
			__wrap_fclose(last.at);
		else
			__wrap_free(last.at);
	}
	notes = begin ? 0 : -1;
}

/* For targets without cli.c: what memory.h calls when there is none left. */
void die(int status, const char *format, ...) __attribute__((weak, noreturn));
void die(int status, const char *format, ...)
{
	(void)status;
	(void)format;
	abort();
}
