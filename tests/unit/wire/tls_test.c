// SPDX-License-Identifier: GPL-3.0-or-later
/* tls - what looks like TLS and what does not, ciphers and their seals. */
#include "wire/tls.h"
#include "../unit.h"

TEST(what_begins_as_tls)
{
	static const uint8_t client[] = { 22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3 }, data[] = { 23, 3, 3, 0, 40, 9, 9 };
	static const uint8_t rfb[] = "RFB 003.008\n", x224[] = { 3, 0, 0, 19, 14, 224, 0 }, version[] = { 22, 4, 1, 2, 0, 1, 0 },
			     huge[] = { 22, 3, 1, 0xff, 0, 1, 0 }, finished[] = { 22, 3, 3, 0, 40, 20, 0 };

	assert_true(tls_is_start(client, sizeof(client), false));
	assert_false(tls_is_start(client, 5, false));
	assert_false(tls_is_start(data, sizeof(data), false));
	assert_true(tls_is_start(data, sizeof(data), true));
	assert_false(tls_is_start(rfb, sizeof(rfb), true));
	assert_false(tls_is_start(x224, sizeof(x224), true));
	assert_false(tls_is_start(version, sizeof(version), true));
	assert_false(tls_is_start(huge, sizeof(huge), true));
	assert_false(tls_is_start(finished, sizeof(finished), true));
}

TEST(the_cipher_of_a_server_hello)
{
	uint8_t hello[80] = { 22, 3, 3, 0, 75, 2, 0, 0, 71, 3, 3 };
	bool least = false;

	hello[43] = 3; /* a session's name of three bytes */
	hello[47] = 0xc0;
	hello[48] = 0x30;
	assert_int_equal(tls_server_hello_cipher(hello, sizeof(hello)), 0xc030);
	assert_int_equal(tls_server_hello_cipher(hello, 48), 0);
	hello[5] = 1;
	assert_int_equal(tls_server_hello_cipher(hello, sizeof(hello)), 0);
	assert_int_equal(tls_cipher_overhead(0xc030, &least), 24);
	assert_int_equal(tls_cipher_overhead(0x1303, &least), 17);
	assert_int_equal(tls_cipher_overhead(0xcca8, &least), 16);
	assert_false(least);
	assert_int_equal(tls_cipher_overhead(0xc014, &least), 37);
	assert_true(least);
	assert_int_equal(tls_cipher_overhead(0x0004, &least), 0);
}

/* Two records of 3 and 0 bytes, one after ChangeCipherSpec, in pieces of every length. */
TEST(records_in_any_pieces)
{
	static const uint8_t stream[] = { 23, 3, 3, 0, 3, 'a', 'b', 'c', 20, 3, 3, 0, 1, 1, 22, 3, 3, 0, 0, 99 };

	for (uint32_t piece = 1; piece <= sizeof(stream); piece++) {
		struct tls_counts n = { 0 };
		struct tls_parser t = { .have = 0 };

		for (uint32_t at = 0; at < 19; at += piece)
			tls_count_records(&t, &n, 10, stream + at, piece < 19 - at ? piece : 19 - at,
					  piece < 19 - at ? piece : 19 - at);
		assert_int_equal(n.records, 3);
		assert_int_equal(n.record_bytes, 19);
		assert_int_equal(n.application_records, 1);
		assert_int_equal(n.seal_bytes, 20);
		assert_int_equal(n.broken, 0);
		tls_stop(&t, &n);
		tls_stop(&t, &n);
		assert_int_equal(n.broken, 1);
	}
}

TEST(a_body_that_was_not_kept_does_no_harm_but_a_header_does)
{
	static const uint8_t stream[] = { 23, 3, 3, 0, 100, 'x' };
	struct tls_counts n = { 0 };
	struct tls_parser t = { .have = 0 };

	tls_count_records(&t, &n, 0, stream, sizeof(stream), 105);
	tls_count_records(&t, &n, 0, stream, 3, 105);
	assert_int_equal(n.records, 1);
	assert_int_equal(n.broken, 1);
	assert_int_equal(n.unsealed, 1);
}
