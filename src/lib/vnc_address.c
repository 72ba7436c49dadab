// SPDX-License-Identifier: GPL-3.0-or-later
#include "vnc_address.h"
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FIRST_PORT 5900 /* of display 0 */
#define DISPLAYS 100

const char *vnc_address_split(const char *text, char *host, size_t size, int *colons)
{
	size_t brackets = *text == '[', n = strcspn(text + brackets, brackets ? "]" : ":");
	const char *from = text + brackets, *rest = from + n + brackets;

	if (n >= size || (brackets && (!n || !from[n])) || (*rest && *rest != ':'))
		return NULL;
	snprintf(host, size, "%.*s", (int)n, from);
	if (!n)
		snprintf(host, size, "localhost");
	*colons = !*rest ? 0 : rest[1] == ':' ? 2 : 1;
	return rest + *colons;
}

int vnc_address_port(int number, int colons)
{
	return colons == 2 || number >= DISPLAYS ? number : FIRST_PORT + number;
}

static int parse_bare_address(const char *text, char *host, size_t size, int *port)
{
	char address[300];
	const char *from = text + strspn(text, "/"), *rest;
	int n = snprintf(address, sizeof(address), "%s", from), colons;
	int64_t number = 0;

	if (n < 1 || (size_t)n >= sizeof(address))
		return -EINVAL;
	if (address[n - 1] == '/')
		address[n - 1] = '\0';
	rest = vnc_address_split(address, host, size, &colons);
	if (!rest)
		return -EINVAL;
	if (colons && (*rest < '0' || *rest > '9' || cli_parse_int(rest, &number) || number > 65535 || (colons == 2 && !number)))
		return -EINVAL;
	*port = vnc_address_port((int)number, colons);
	return 0;
}

int vnc_address_parse(const char *text, char *host, size_t size, int *port)
{
	int err = parse_bare_address(text, host, size, port); /* a host may be called vnc */

	return err && !strncmp(text, "vnc:", 4) ? parse_bare_address(text + 4, host, size, port) : err;
}
