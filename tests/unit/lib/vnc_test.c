// SPDX-License-Identifier: GPL-3.0-or-later
/* vnc - files as vncpasswd writes them, answers to a challenge as another implementation gives them, and which server is meant. */
#include "vnc_address.h"
#include "vnc_password.h"
#include "../unit.h"

#include <errno.h>
#include <unistd.h>

TEST(challenges_are_answered_as_others_do)
{
	/* as openssl enc -des-ecb -nopad -K has them, whose key is the password with the bits of each byte the other way round */
	static const uint8_t secret[] = { 0x75, 0x24, 0x40, 0xee, 0x2b, 0xfc, 0xc2, 0xa0,
					  0xd9, 0x01, 0x3f, 0xd2, 0x03, 0x71, 0xe2, 0x3b };
	static const uint8_t longer[] = { 0xce, 0xe6, 0x8e, 0xa5, 0xa4, 0xc8, 0xf3, 0x81,
					  0xaf, 0xaf, 0x5d, 0x76, 0xaf, 0x68, 0x32, 0xfe };
	/* NBS 500-20: zeros under a key of zeros, one of DES's weak keys */
	static const uint8_t zeros[] = { 0x8c, 0xa6, 0x4d, 0xe9, 0xc1, 0xb1, 0x23, 0xa7,
					 0x8c, 0xa6, 0x4d, 0xe9, 0xc1, 0xb1, 0x23, 0xa7 };
	uint8_t answer[VNC_CHALLENGE], nothing[VNC_CHALLENGE] = { 0 };

	vnc_password_answer("secret", (const uint8_t *)"0123456789abcdef", answer);
	assert_memory_equal(answer, secret, VNC_CHALLENGE);
	vnc_password_answer("longer than eight", (const uint8_t *)"0123456789abcdef", answer);
	assert_memory_equal(answer, longer, VNC_CHALLENGE);
	vnc_password_answer("", nothing, answer);
	assert_memory_equal(answer, zeros, VNC_CHALLENGE);
}

TEST(files_of_vncpasswd_and_of_text)
{
	/* the last two as `vncpasswd -f` of TigerVNC 1.12 hides them */
	static const struct {
		const char *bytes;
		size_t n;
		const char *password; /* "": refused */
	} cases[] = {
		{ "secret\n", 7, "secret" },
		{ "secret", 6, "secret" },
		{ "longer than eight\n", 18, "longer than eight" },
		{ "two\nlines\n", 10, "two" },
		{ "eight888", 8, "eight888" },
		{ "", 0, "" },
		{ "\n", 1, "" },
		{ "\1\2\3", 3, "" },
		{ "\x24\xb5\xae\x4c\xe1\x55\x03\xc6", 8, "secret12" },
		{ "\xdb\xd8\x3c\xfd\x72\x7a\x14\x58\x24\xb5\xae\x4c\xe1\x55\x03\xc6", 16, "password" },
	};
	char path[] = "/tmp/vnc password.XXXXXX", password[VNC_PASSWORD_TEXT];
	struct why why;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int err;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, cases[i].bytes, cases[i].n, 0), cases[i].n);
		err = vnc_password_read(path, password, &why);
		if (!*cases[i].password) {
			assert_int_equal(err, -EINVAL);
			assert_non_null(strstr(why.text, "holds no password"));
			continue;
		}
		assert_int_equal(err, 0);
		assert_string_equal(password, cases[i].password);
	}
	close(fd);
	unlink(path);
	assert_int_equal(vnc_password_read(path, password, &why), -ENOENT);
}

/* --- which server is meant --- */

TEST(test_addresses)
{
	static const struct {
		const char *text, *host;
		int port; /* 0: refused */
	} cases[] = {
		{ "host", "host", 5900 },
		{ "host:0", "host", 5900 },
		{ "host:1", "host", 5901 },
		{ "host:99", "host", 5999 },
		{ "host:100", "host", 100 },
		{ "host:5901", "host", 5901 },
		{ "host::5901", "host", 5901 },
		{ "host::80", "host", 80 },
		{ ":2", "localhost", 5902 },
		{ "127.0.0.1:65535", "127.0.0.1", 65535 },
		{ "[::1]:1", "::1", 5901 },
		{ "[::1]::22", "::1", 22 },
		{ "[::1]", "::1", 5900 },
		{ "host:", NULL, 0 },
		{ "host::", NULL, 0 },
		{ "host:x", NULL, 0 },
		{ "host:1x", NULL, 0 },
		{ "host:-1", NULL, 0 },
		{ "host:65536", NULL, 0 },
		{ "host::0", NULL, 0 },
		{ "::1", "localhost", 1 },
		{ "fe80::1:2", NULL, 0 },
		{ "[::1", NULL, 0 },
		{ "[::1]x", NULL, 0 },
		{ "host:99999999999999999999", NULL, 0 },
		{ "", NULL, 0 },
		{ "vnc:host:1", "host", 5901 },
		{ "vnc:host::1", "host", 1 },
		{ "vnc::2", "vnc", 2 },
		{ "vnc:2", "vnc", 5902 },
		{ "vnc:[::1]:5901", "::1", 5901 },
		{ "vnc:host:x", NULL, 0 },
		{ "vnc://host:1/", "host", 5901 },
		{ "//host:5901", "host", 5901 },
		{ "//[::1]/", "::1", 5900 },
		{ "vnc://", NULL, 0 },
		{ "//host:1x/", NULL, 0 },
		{ "[]:1", NULL, 0 },
		{ "host:+1", NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char host[64];
		int port = 0, err = vnc_address_parse(cases[i].text, host, sizeof(host), &port);

		if (err != (cases[i].port ? 0 : -EINVAL))
			fail_msg("%s: %d", cases[i].text, err);
		if (err)
			continue;
		assert_string_equal(host, cases[i].host);
		assert_int_equal(port, cases[i].port);
	}
}
