// SPDX-License-Identifier: GPL-3.0-or-later
/* Logs: against bytes made by hand, both ways. */
#include "vncplay/common/fbs.h"
#define BEFORE_ALL make_folder
#define AFTER_ALL remove_folder
#include "../../../../../tests/unit/folder.h"

#include <errno.h>

#define PATH in_folder("log")

static void put_bytes(const void *bytes, size_t n)
{
	FILE *f = fopen(PATH, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static const char log_bytes[] = "FBS 001.000\n"
				"\0\0\0\5hello\0\0\0\0\0\0\0"
				"\0\0\0\4four\0\0\4\1"
				"\0\0\0\0\0\0\4\2"
				"\0\0\0\3end\0\200\0\0\0";
static char log_of_rfbproxy[sizeof(log_bytes)]; /* the same as FBS 001.001 */
#define LOG (sizeof(log_bytes) - 1)

static const struct {
	const char *text;
	uint32_t ms;
	size_t end; /* bytes of the log up to here */
} blocks[] = { { "hello", 0, 28 }, { "four", 0x401, 40 }, { "", 0x402, 48 }, { "end", 0x80000000u, 60 } };

/* Whole, and cut anywhere: the blocks before are whole, what there is of the last one is told. */
TEST(test_whole_and_cut_logs)
{
	struct fbs_block b;
	const char *why;

	memcpy(log_of_rfbproxy, log_bytes, sizeof(log_bytes));
	log_of_rfbproxy[10] = '1';
	for (size_t n = 0; n <= LOG; n++) {
		struct fbs_reader *f;
		int status, cut;
		size_t i = 0;

		put_bytes(n % 2 ? log_of_rfbproxy : log_bytes, n);
		f = fbs_open(PATH, &why);
		assert_int_equal(f != NULL, n >= 12);
		assert_int_equal(why == NULL, n >= 12);
		if (!f)
			continue;
		assert_int_equal(fbs_file_size(f), n);
		for (; (status = fbs_next_block(f, &b)) == 1; i++) {
			assert_true(i < COUNT(blocks) && n >= blocks[i].end);
			assert_int_equal(b.n, strlen(blocks[i].text));
			assert_memory_equal(b.bytes, blocks[i].text, b.n);
			assert_int_equal(b.ms, blocks[i].ms);
		}
		assert_true(i == COUNT(blocks) || n < blocks[i].end);
		cut = n > (i ? blocks[i - 1].end : 12);
		assert_int_equal(status, cut ? -EPROTO : 0);
		if (n == 20) {
			assert_int_equal(b.n, 4);
			assert_memory_equal(b.bytes, "hell", 4);
		}
		assert_int_equal(fbs_next_block(f, &b), status); /* never goes on */
		fbs_close(f);
	}
}

TEST(test_what_is_no_log)
{
	const char *why;

	put_bytes("FBS 002.000\n", 12);
	assert_null(fbs_open(PATH, &why));
	assert_string_equal(why, "an FBS log of another version than 001.000 and 001.001");
	put_bytes("RFB 003.003\n....", 16);
	assert_null(fbs_open(PATH, &why));
	assert_non_null(strstr(why, "not an FBS log"));
	assert_null(fbs_open("/tmp", &why));
	assert_string_equal(why, "not a file");
	assert_null(fbs_open("/no/such/file", &why));
	assert_null(why);
	assert_int_equal(errno, ENOENT);
}

TEST(test_lengths_that_cannot_be)
{
	static const char *const lengths[] = { "\377\377\377\377", "\200\0\0\0", "\177\377\377\377", "\0\0\0\20" };
	char bytes[12 + 4 + 8] = "FBS 001.000\n";
	struct fbs_block b;
	const char *why;

	for (int i = 0; i < 4; i++) {
		struct fbs_reader *f;

		memcpy(bytes + 12, lengths[i], 4);
		put_bytes(bytes, sizeof(bytes));
		f = fbs_open(PATH, &why);
		assert_non_null(f);
		assert_int_equal(fbs_next_block(f, &b), -EPROTO);
		assert_true(b.n <= 8);
		fbs_close(f);
	}
}

TEST(test_writing)
{
	struct growing_file *w = fbs_create(PATH);
	uint8_t bytes[LOG + 10];
	FILE *f;

	assert_non_null(w);
	assert_int_equal(fbs_write(w, (const uint8_t *)"hello", 5, 0), 0);
	assert_int_equal(fbs_write(w, (const uint8_t *)"four", 4, 0x401), 0);
	assert_int_equal(fbs_write(w, (const uint8_t *)"", 0, 0x402), 0); /* nothing came: nothing is written */
	assert_int_equal(fbs_write(w, (const uint8_t *)"end", 3, 0x80000000u), 0);
	f = fopen(PATH, "rb"); /* before it is finished: killed is usable */
	assert_non_null(f);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), f), LOG - 8);
	fclose(f);
	assert_memory_equal(bytes, log_bytes, 40);
	assert_memory_equal(bytes + 40, log_bytes + 48, LOG - 48);
	assert_int_equal(growing_file_finish(w), 0);
}

/* Much at once comes back as it was, in several blocks; a large log leaves memory behind the reader. */
TEST(test_large)
{
	size_t n = 300001, rounds = 200, at = 0, in_round, resident;
	uint8_t *bytes = malloc(n);
	struct growing_file *w = fbs_create(PATH);
	struct fbs_block b;
	const char *why;
	struct fbs_reader *f;
	FILE *statm;

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(i * i >> 3);
	for (size_t i = 0; i < rounds; i++)
		assert_int_equal(fbs_write(w, bytes, n, (uint32_t)i), 0);
	assert_int_equal(growing_file_finish(w), 0);
	f = fbs_open(PATH, &why);
	assert_non_null(f);
	while (fbs_next_block(f, &b) == 1) {
		in_round = at % n;
		assert_int_equal(b.ms, at / n);
		assert_true(b.n <= n - in_round && b.n <= 65536);
		assert_memory_equal(b.bytes, bytes + in_round, b.n);
		at += b.n;
	}
	assert_int_equal(at, n * rounds);
	statm = fopen("/proc/self/statm", "r");
	assert_int_equal(fscanf(statm, "%*u %*u %zu", &resident), 1); /* pages of files */
	fclose(statm);
	assert_true(resident * (size_t)sysconf(_SC_PAGESIZE) < n * rounds / 2);
	fbs_close(f);
	free(bytes);
}

TEST(test_a_disk_that_is_full)
{
	struct growing_file *w = fbs_create("/dev/full");

	assert_null(w);
	assert_int_equal(errno, ENOSPC);
	assert_null(fbs_create("/no/such/folder/log"));
	assert_int_equal(errno, ENOENT);
}
