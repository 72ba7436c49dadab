// SPDX-License-Identifier: GPL-3.0-or-later
/* vnc_password - the cipher against its printed vectors, files as vncpasswd writes them, and
 * answers to a challenge as another implementation gives them. */
#include "des.h"
#include "vnc_password.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void the_cipher_is_the_standard_s(void **state)
{
	static const struct {
		uint8_t key[8], plain[8], hidden[8];
	} cases[] = {
		/* FIPS 81, table B1 ("Now is the time for all ") */
		{ { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef }, "Now is t", { 0x3f, 0xa4, 0x0e, 0x8a, 0x98, 0x4d, 0x48, 0x15 } },
		{ { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef }, "he time ", { 0x6a, 0x27, 0x17, 0x87, 0xab, 0x88, 0x83, 0xf9 } },
		{ { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef }, "for all ", { 0x89, 0x3d, 0x51, 0xec, 0x4b, 0x56, 0x3b, 0x53 } },
		/* NBS 500-20: of zeros and ones, and one more that many hold theirs against */
		{ { 0 }, { 0 }, { 0x8c, 0xa6, 0x4d, 0xe9, 0xc1, 0xb1, 0x23, 0xa7 } },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		  { 0x73, 0x59, 0xb2, 0x16, 0x3e, 0x4e, 0xdc, 0x58 } },
		{ { 0x13, 0x34, 0x57, 0x79, 0x9b, 0xbc, 0xdf, 0xf1 }, { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef },
		  { 0x85, 0xe8, 0x13, 0x54, 0x0f, 0x0a, 0xb4, 0x05 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint8_t block[8];

		des_block(cases[i].key, cases[i].plain, block, false);
		assert_memory_equal(block, cases[i].hidden, 8);
		des_block(cases[i].key, block, block, true);
		assert_memory_equal(block, cases[i].plain, 8);
	}
}

static void challenges_are_answered_as_others_do(void **state)
{
	/* as openssl enc -des-ecb -nopad -K has them, whose key is the password with the bits of each byte the other way round */
	static const uint8_t secret[] = { 0x75, 0x24, 0x40, 0xee, 0x2b, 0xfc, 0xc2, 0xa0, 0xd9, 0x01, 0x3f, 0xd2, 0x03, 0x71, 0xe2, 0x3b };
	static const uint8_t longer[] = { 0xce, 0xe6, 0x8e, 0xa5, 0xa4, 0xc8, 0xf3, 0x81, 0xaf, 0xaf, 0x5d, 0x76, 0xaf, 0x68, 0x32, 0xfe };
	uint8_t answer[VNC_CHALLENGE];

	(void)state;
	vnc_password_answer("secret", (const uint8_t *)"0123456789abcdef", answer);
	assert_memory_equal(answer, secret, VNC_CHALLENGE);
	vnc_password_answer("longer than eight", (const uint8_t *)"0123456789abcdef", answer);
	assert_memory_equal(answer, longer, VNC_CHALLENGE);
}

static void files_of_vncpasswd_and_of_text(void **state)
{
	/* the last two as `vncpasswd -f` of TigerVNC 1.12 hides them */
	static const struct {
		const char *bytes;
		size_t n;
		const char *password;	/* "": refused */
	} cases[] = {
		{ "secret\n", 7, "secret" }, { "secret", 6, "secret" }, { "longer than eight\n", 18, "longer t" },
		{ "two\nlines\n", 10, "two" }, { "eight888", 8, "eight888" },
		{ "", 0, "" }, { "\n", 1, "" }, { "\1\2\3", 3, "" }, { "\x24\xb5\xae\x4c\xe1\x55\x03\xc6", 8, "secret12" },
		{ "\xdb\xd8\x3c\xfd\x72\x7a\x14\x58\x24\xb5\xae\x4c\xe1\x55\x03\xc6", 16, "password" },
	};
	char path[] = "/tmp/vnc password.XXXXXX", password[VNC_PASSWORD + 1], why[256];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int err;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, cases[i].bytes, cases[i].n, 0), cases[i].n);
		err = vnc_password_read(path, password, why, sizeof(why));
		if (!*cases[i].password) {
			assert_int_equal(err, -EINVAL);
			assert_non_null(strstr(why, "holds no password"));
			continue;
		}
		assert_int_equal(err, 0);
		assert_string_equal(password, cases[i].password);
	}
	close(fd);
	unlink(path);
	assert_int_equal(vnc_password_read(path, password, why, sizeof(why)), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cipher_is_the_standard_s),
		cmocka_unit_test(challenges_are_answered_as_others_do),
		cmocka_unit_test(files_of_vncpasswd_and_of_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
