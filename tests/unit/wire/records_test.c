// SPDX-License-Identifier: GPL-3.0-or-later
/* Classic pcap files made by hand, in both byte orders; and the same reader beside libpcap, over many small changes to them.
 * (pcapng: tests/golden/make_captures.py.) */
#include "../unit.h"
#include "../../fuzz/records_fuzz.c"
#include "wire/capture.h"

#define CHANGES 20000

/* A file in the making. */
static struct {
	uint8_t bytes[1 << 20];
	size_t n;
	bool big; /* endian */
} file;

static FILE *stream;

static void put(uint32_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		file.bytes[file.n++] = (uint8_t)(v >> 8 * (file.big ? bytes - 1 - i : i));
}

static void put_words(const uint32_t *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(word[i], 4);
}

static void begin(bool big, uint32_t magic, uint32_t minor, uint32_t snaplen)
{
	file.n = 0;
	file.big = big;
	put(magic, 4);
	put(2, 2);
	put(minor, 2);
	put(0, 4);
	put(0, 4);
	put(snaplen, 4);
	put(1, 4);
}

static void record(uint32_t s, uint32_t fraction, uint32_t captured, uint32_t original)
{
	put(s, 4);
	put(fraction, 4);
	put(captured, 4);
	put(original, 4);
	for (uint32_t i = 0; i < captured && file.n < sizeof(file.bytes); i++)
		file.bytes[file.n++] = (uint8_t)(i + captured);
}

static struct record_reader *open_made(void)
{
	struct why why;
	struct record_reader *r;

	stream = open_input(file.bytes, file.n);
	r = records_open(stream, &why);
	assert_true(r || !*why.text || file.n < 24);
	return r;
}

static void close_made(struct record_reader *r)
{
	records_close(r);
	fclose(stream);
}

static void expect(struct record_reader *r, int64_t time_ns, uint32_t captured, uint32_t original, uint32_t first)
{
	struct packet p;

	assert_int_equal(records_next(r, &p), 1);
	assert_int_equal(p.time_ns, time_ns);
	assert_int_equal(p.captured, captured);
	assert_int_equal(p.original, original);
	for (uint32_t i = 0; i < captured; i++)
		assert_int_equal(p.bytes[i], (uint8_t)(i + first));
}

TEST(damage_is_told_and_stays)
{
	static const size_t cuts[] = { 1, 60, 61, 75 };
	struct record_reader *r;
	struct packet p;

	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		begin(false, 0xa1b2c3d4, 4, 65535);
		record(1, 0, 10, 10);
		record(2, 0, 60, 60);
		file.n -= cuts[i];
		r = open_made();
		expect(r, 1000000000, 10, 10, 10);
		assert_int_equal(records_next(r, &p), -1);
		assert_non_null(strstr(records_facts(r)->error.text, "truncated"));
		assert_int_equal(records_next(r, &p), -1);
		close_made(r);
	}
}

TEST(nanoseconds_are_told_by_the_fraction_of_the_first_packet)
{
	struct record_reader *r;

	begin(false, 0xa1b2c3d4, 4, 65535);
	record(1, 1000001, 10, 10);
	record(2, 999999999, 10, 10);
	record(3, 5, 10, 10);
	r = open_made();
	expect(r, 1001000001, 10, 10, 10);
	expect(r, 2999999999, 10, 10, 10);
	expect(r, 3000000005, 10, 10, 10);
	close_made(r);
}

TEST(a_later_fraction_over_a_second_is_damage_and_changes_no_other_time)
{
	static const uint32_t damaged[] = { 1000001, 999999999, 1000000000, 0xffffffff };
	struct record_reader *r;
	struct packet p;

	for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
		begin(i % 2, 0xa1b2c3d4, 4, 65535);
		record(1, 999999, 10, 10);
		record(1, 1000000, 10, 10); /* rounded up */
		record(2, damaged[i], 10, 10);
		record(3, 5, 10, 10);
		r = open_made();
		expect(r, 1999999000, 10, 10, 10);
		expect(r, 2000000000, 10, 10, 10);
		assert_int_equal(records_next(r, &p), -1);
		assert_non_null(strstr(records_facts(r)->error.text, "parts of a second"));
		close_made(r);
	}
}

TEST(a_length_that_cannot_be_is_no_reason_to_ask_for_memory)
{
	static const uint32_t lengths[] = { 262145, 0x7fffffff, 0x80000000, 0xffffffff };
	struct record_reader *r;
	struct packet p;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		begin(true, 0xa1b2c3d4, 4, 262144);
		record(1, 0, lengths[i], lengths[i]);
		r = open_made();
		assert_int_equal(records_next(r, &p), -1);
		assert_non_null(strstr(records_facts(r)->error.text, "more than 262144"));
		close_made(r);
	}
	begin(true, 0xa1b2c3d4, 4, 262144);
	record(1, 0, 262144, 262144);
	r = open_made();
	expect(r, 1000000000, 262144, 262144, 0);
	close_made(r);
}

/* pcapng: an interface whose clock has whole seconds, and a time of 2^63 of them. */
TEST(a_time_that_cannot_be_is_the_latest_one)
{
	static const uint32_t section[] = { 0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff, 28 };
	static const uint32_t interface[] = { 1, 32, 1, 65535, 9 | 1 << 16, 0, 0, 32 };
	static const uint32_t packet[] = { 6, 32, 0, 0x80000000, 0, 0, 60, 32 };
	struct record_reader *r;

	file.n = 0;
	file.big = false;
	put_words(section, COUNT(section));
	put_words(interface, COUNT(interface));
	put_words(packet, COUNT(packet));
	r = open_made();
	assert_non_null(r);
	expect(r, PACKET_FAR_S * 1000000000, 0, 60, 0);
	close_made(r);
}

TEST(other_files_are_left_to_libpcap)
{
	begin(false, 0xa1b2cd34, 4, 65535); /* records with more fields (Kuznetzov) */
	assert_null(open_made());
	begin(false, 0xa1b2c3d4, 3, 65535); /* lengths may be swapped */
	assert_null(open_made());
	assert_int_equal(getc(stream), 0xd4); /* it begins where it began */
	begin(false, 0xa1b2c3d4, 4, 65535);
	file.n--;
	assert_null(open_made());
}

TEST(packets_of_a_pcap_file_are_no_blocks)
{
	static const uint32_t blocks[] = { 1, 20, 1, 0, 20, 1, 20, 1, 0, 20, 1, 20, 1, 0, 20, 6, 36, 0, 0, 0, 4, 4, 0, 36 };
	struct why why;

	begin(false, 0xa1b2c3d4, 4, 65535);
	file.bytes[20] = 105; /* 802.11, which is not read */
	record(1, 2, 4, 4);
	put_words(blocks, COUNT(blocks));
	assert_null(capture_open_file(open_input(file.bytes, file.n), "it", &why));
	assert_non_null(strstr(why.text, "has link type"));
}

/* As in a live capture, whose packets are in a variable that had another value before. */
TEST(packets_that_libpcap_reads_are_of_the_first_file)
{
	struct packet p;
	struct capture *c;
	struct why why;

	begin(false, 0xa1b2c3d4, 3, 65535);
	record(1, 2, 60, 60);
	c = capture_open_file(open_input(file.bytes, file.n), "it", &why);
	assert_non_null(c);
	memset(&p, 0xff, sizeof(p));
	assert_int_equal(capture_next(c, &p), 1);
	assert_int_equal(p.captured, 60);
	assert_int_equal(p.file, 0);
	capture_close(c);
}

/* The fuzz target under any compiler, always the same. */
TEST(as_libpcap_whatever_is_in_the_file)
{
	static uint8_t copy[1 << 12];
	uint32_t dice = 1;

	for (int i = 0; i < CHANGES; i++) {
		size_t n;

		begin(i & 1, i & 2 ? 0xa1b23c4d : 0xa1b2c3d4, 4, i & 4 ? 50 : 65535);
		for (uint32_t k = 0; k < 5; k++)
			record(1000 + k, k * 1000, 40 + (k * 37 + (uint32_t)i) % 50, 90);
		copy[0] = (uint8_t)i;
		n = 1 + file.n - (size_t)(i % 7 ? 0 : i / 7 % 100);
		memcpy(copy + 1, file.bytes, n - 1);
		for (int changes = i % 5; changes-- > 0;) {
			dice = dice * 1664525 + 1013904223;
			copy[1 + (dice >> 8) % (n - 1)] = (uint8_t)(dice >> 3);
		}
		LLVMFuzzerTestOneInput(copy, n);
	}
}
