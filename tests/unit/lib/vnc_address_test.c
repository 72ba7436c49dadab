// SPDX-License-Identifier: GPL-3.0-or-later
/* Which server is meant. */
#include "vnc_address.h"

#include <errno.h>

#include "../unit.h"

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
