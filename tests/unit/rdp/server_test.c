// SPDX-License-Identifier: GPL-3.0-or-later
/* Which server is meant, and which certificates are known. */
#include "rdp/server.h"

#include <errno.h>

#include "../folder.h"

TEST(test_addresses)
{
	static const struct {
		const char *text, *host, *user, *address; /* host NULL: refused */
		int port;
	} cases[] = {
		{ "host", "host", "", "host:3389", 3389 },
		{ "//host", "host", "", "host:3389", 3389 },
		{ "//u@host:33/", "host", "u", "host:33", 33 },
		{ "a@b@host:65535", "host", "a@b", "host:65535", 65535 },
		{ "DOMAIN\\u@host", "host", "DOMAIN\\u", "host:3389", 3389 },
		{ "[::1]", "::1", "", "[::1]:3389", 3389 },
		{ "u@[::1]:3390", "::1", "u", "[::1]:3390", 3390 },
		{ "", NULL, NULL, NULL, 0 },
		{ "//", NULL, NULL, NULL, 0 },
		{ "u@", NULL, NULL, NULL, 0 },
		{ ":3389", NULL, NULL, NULL, 0 },
		{ "host:", NULL, NULL, NULL, 0 },
		{ "host:0", NULL, NULL, NULL, 0 },
		{ "host:65536", NULL, NULL, NULL, 0 },
		{ "host:1x", NULL, NULL, NULL, 0 },
		{ "host::1", NULL, NULL, NULL, 0 },
		{ "::1", NULL, NULL, NULL, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rdp_server s;
		char address[300];

		if (rdp_server_parse(cases[i].text, &s) != (cases[i].host ? 0 : -EINVAL))
			fail_msg("\"%s\"", cases[i].text);
		if (!cases[i].host)
			continue;
		assert_string_equal(s.host, cases[i].host);
		assert_string_equal(s.user, cases[i].user);
		assert_int_equal(s.port, cases[i].port);
		rdp_server_format(&s, address, sizeof(address));
		assert_string_equal(address, cases[i].address);
	}
}

TEST(test_words_that_are_too_long_are_refused)
{
	char text[700];
	struct rdp_server s;

	memset(text, 'a', sizeof(text));
	text[699] = '\0';
	assert_int_equal(rdp_server_parse(text, &s), -EINVAL);
	text[300] = '@';
	text[310] = '\0';
	assert_int_equal(rdp_server_parse(text, &s), -EINVAL);
}

TEST_WITH(make_folder, remove_folder, test_known_certificates)
{
	struct rdp_server s = { .host = "host", .port = 3389 };
	FILE *list = fopen(in_folder("list"), "w");
	char known[96];

	fputs("# a list\nhost:3390 other\nhost:3389 aa:bb\nhost:3389 second\n[::1]:3389 six\nlonghost:3389\n", list);
	fclose(list);
	assert_int_equal(rdp_find_known(in_folder("list"), &s, known, sizeof(known)), 0);
	assert_string_equal(known, "aa:bb");
	s = (struct rdp_server){ .host = "::1", .port = 3389 };
	assert_int_equal(rdp_find_known(in_folder("list"), &s, known, sizeof(known)), 0);
	assert_string_equal(known, "six");
	s.port = 1;
	assert_int_equal(rdp_find_known(in_folder("list"), &s, known, sizeof(known)), 0);
	assert_string_equal(known, "");
	assert_int_equal(rdp_find_known(in_folder("none"), &s, known, sizeof(known)), 0);
	assert_int_equal(rdp_find_known(folder, &s, known, sizeof(known)), -EIO);
}

/* Lists of one line: `n` bytes of 'x', then `tail`. */
static const char *known_after(size_t n, const char *tail)
{
	const struct rdp_server s = { .host = "host", .port = 3389 };
	static char known[RDP_FINGERPRINT];
	FILE *list = fopen(in_folder("list"), "we");

	assert_non_null(list);
	while (n--)
		putc('x', list);
	fputs(tail, list);
	fclose(list);
	assert_int_equal(rdp_find_known(in_folder("list"), &s, known, sizeof(known)), 0);
	return known;
}

TEST_WITH(make_folder, remove_folder, no_part_of_a_line_or_a_word_is_an_entry)
{
	char print[RDP_FINGERPRINT + 16] = "host:3389 ";

	for (size_t n = 1; n < 5000; n++) { /* whatever the size of a buffer */
		assert_string_equal(known_after(n, "host:3389 aa:bb\n"), "");
		assert_string_equal(known_after(n, " host:3389 aa:bb\n"), "");
	}
	assert_string_equal(known_after(0, " host:3389 \t aa:bb remark\r\n"), "aa:bb");
	/* nor the beginning of a fingerprint that is too long */
	memset(print + 10, 'a', RDP_FINGERPRINT - 3);
	assert_int_equal(strlen(known_after(0, print)), RDP_FINGERPRINT - 3);
	strcat(print, "aaa");
	assert_string_equal(known_after(0, print), "");
}

TEST(test_a_certificate_without_a_fingerprint_is_not_that_of_an_unknown_server)
{
	struct rdp_trust t = { .known = "" };

	assert_false(rdp_trust_check(&t, ""));
	assert_false(rdp_trust_check(&t, "aa:bb"));
	assert_string_equal(t.other, "aa:bb");
	strcpy(t.known, "AA:bb");
	assert_true(rdp_trust_check(&t, "aa:bb"));
	t.ignore = true;
	assert_true(rdp_trust_check(&t, "cc"));
}

TEST(test_input_without_a_password_is_refused_unless_the_patch_is_watched)
{
	struct why why = { "" };

	assert_int_equal(rdp_require_password("rdp:host", "file", false, &why), 0);
	assert_int_equal(rdp_require_password("rdp:host", NULL, true, &why), 0);
	assert_string_equal(why.text, "");
	assert_int_equal(rdp_require_password("rdp:host", NULL, false, &why), -1);
	assert_true(strstr(why.text, "rdp:host") && strstr(why.text, "--password-file"));
}

TEST(test_where_the_list_is)
{
	char path[200];

	setenv("THINPROBE_STATE", "/own", 1);
	setenv("XDG_STATE_HOME", "/xdg", 1);
	setenv("HOME", "/home/me", 1);
	assert_int_equal(rdp_find_list(path, sizeof(path)), 0);
	assert_string_equal(path, "/own/known-rdp-servers");
	setenv("THINPROBE_STATE", "", 1);
	assert_int_equal(rdp_find_list(path, sizeof(path)), 0);
	assert_string_equal(path, "/xdg/thinprobe/known-rdp-servers");
	unsetenv("XDG_STATE_HOME");
	assert_int_equal(rdp_find_list(path, sizeof(path)), 0);
	assert_string_equal(path, "/home/me/.local/state/thinprobe/known-rdp-servers");
	unsetenv("HOME");
	assert_int_equal(rdp_find_list(path, sizeof(path)), -ENOENT);
}
