/* Which server is meant, and which password. */
#include "vncplay/server_dial.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_addresses(void **state)
{
	static const struct {
		const char *text, *host;
		int port;	/* 0: refused */
	} cases[] = {
		{ "host", "host", 5900 }, { "host:0", "host", 5900 }, { "host:1", "host", 5901 }, { "host:99", "host", 5999 }, { "host:100", "host", 100 },
		{ "host:5901", "host", 5901 }, { "host::5901", "host", 5901 }, { "host::80", "host", 80 }, { ":2", "localhost", 5902 },
		{ "127.0.0.1:65535", "127.0.0.1", 65535 }, { "[::1]:1", "::1", 5901 }, { "[::1]::22", "::1", 22 }, { "[::1]", "::1", 5900 },
		{ "host:", NULL, 0 }, { "host::", NULL, 0 }, { "host:x", NULL, 0 }, { "host:1x", NULL, 0 }, { "host:-1", NULL, 0 }, { "host:65536", NULL, 0 },
		{ "host::0", NULL, 0 }, { "::1", "localhost", 1 }, { "fe80::1:2", NULL, 0 }, { "[::1", NULL, 0 }, { "[::1]x", NULL, 0 },
		{ "host:99999999999999999999", NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char host[64];
		int port = 0, err = server_address(cases[i].text, host, sizeof(host), &port);

		if (err != (cases[i].port ? 0 : -EINVAL))
			fail_msg("%s: %d", cases[i].text, err);
		if (err)
			continue;
		assert_string_equal(host, cases[i].host);
		assert_int_equal(port, cases[i].port);
	}
}

static void test_passwords(void **state)
{
	/* the last two as `vncpasswd -f` of TigerVNC 1.12 hides them */
	static const struct {
		const char *bytes;
		size_t n;
		const char *password;	/* "": refused */
	} cases[] = {
		{ "secret\n", 7, "secret" }, { "secret", 6, "secret" }, { "longer than eight\n", 18, "longer t" }, { "two\nlines\n", 10, "two" }, { "eight888", 8, "eight888" },
		{ "", 0, "" }, { "\n", 1, "" }, { "\1\2\3", 3, "" }, { "\x24\xb5\xae\x4c\xe1\x55\x03\xc6", 8, "secret12" },
		{ "\xdb\xd8\x3c\xfd\x72\x7a\x14\x58\x24\xb5\xae\x4c\xe1\x55\x03\xc6", 16, "password" },
	};
	char path[] = "/tmp/vncplay password.XXXXXX", password[SERVER_PASSWORD + 1], why[256];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int err;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, cases[i].bytes, cases[i].n, 0), cases[i].n);
		err = server_password(path, password, why, sizeof(why));
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
	assert_int_equal(server_password(path, password, why, sizeof(why)), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_passwords),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
