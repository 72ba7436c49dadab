// SPDX-License-Identifier: GPL-3.0-or-later
#include "target.h"
#include "clock.h"
#include "dial.h"
#include "rdp/server.h"
#include "vnc_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads a port or, after one colon, a small display number (vnc_address.h). */
static bool parse_port(const char *text, const char **end, int colons, uint16_t *port)
{
	int v = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && v <= 65535; p++)
		v = 10 * v + *p - '0';
	*end = p;
	*port = (uint16_t)vnc_address_port(v, colons);
	return p > text && v <= 65535 && *port;
}

/* Reads "5901-5903,5910", or as displays "1-3,10". False if it is no such list. */
static bool parse_ports(const char *text, int colons, struct target *t)
{
	uint16_t from, to;

	for (t->ports = 0;; text++) {
		if (!parse_port(text, &text, colons, &from))
			return false;
		to = from;
		if (*text == '-' && !parse_port(text + 1, &text, colons, &to))
			return false;
		for (unsigned p = from; p <= to; p++) {
			if (t->ports == TARGET_PORTS)
				return false;
			t->port[t->ports++] = (uint16_t)p;
		}
		if (from > to || (*text && *text != ','))
			return false;
		if (!*text)
			return true;
	}
}

/* Copies the host at the start of `text`, also [::1]. Returns the text behind it, NULL if there is no host. */
static const char *copy_host(const char *text, char *host, size_t size)
{
	bool brackets = *text == '[';
	size_t n = brackets ? strcspn(++text, "]") : strcspn(text, ":/");

	if (!n || n >= size || (brackets && !text[n]))
		return NULL;
	memcpy(host, text, n);
	host[n] = '\0';
	return text + n + brackets;
}

static int parse_http_url(const char *text, struct target *t, struct why *why)
{
	const char *rest = strstr(text, "//") + 2, *end = rest + strcspn(rest, "/");

	t->http = true;
	t->ports = 1;
	t->port[0] = strncmp(text, "https", 5) ? 80 : 443;
	if (strlen(text) >= sizeof(t->origin) || strpbrk(text, " \"\\@#"))
		return why_fail(-EINVAL, why, "not an address such as http://127.0.0.1:8080/");
	snprintf(t->origin, sizeof(t->origin), "%.*s", (int)(end - text), text);
	snprintf(t->path, sizeof(t->path), "%s", *end ? end : "/");
	rest = copy_host(rest, t->host, sizeof(t->host));
	if (rest && *rest == ':' && !parse_port(rest + 1, &rest, 2, &t->port[0]))
		rest = NULL;
	return rest == end ? 0 : why_fail(-EINVAL, why, "not an address such as http://127.0.0.1:8080/");
}

static int parse_rdp(const char *text, struct target *t, struct why *why)
{
	const char *at, *ports;
	int colons;

	text += strspn(text, "/");
	at = strrchr(text, '@');
	t->rdp = true;
	t->ports = 1;
	t->port[0] = RDP_PORT;
	if (at && (size_t)snprintf(t->user, sizeof(t->user), "%.*s", (int)(at - text), text) >= sizeof(t->user))
		return why_fail(-EINVAL, why, "the name of the user is too long");
	text = at ? at + 1 : text;
	ports = vnc_address_split(text, t->host, sizeof(t->host), &colons);
	if (!ports || !*text || *text == ':' || colons > 1 || (colons && !parse_ports(ports, 2, t)))
		return why_fail(-EINVAL, why, "not an address such as rdp:127.0.0.1:3389 or rdp:USER@127.0.0.1:3389-3392");
	return 0;
}

/* As getaddrinfo(), for the first port. */
static int look_up(const struct target *t, struct addrinfo **got)
{
	struct addrinfo want = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	char port[8];

	snprintf(port, sizeof(port), "%u", (unsigned)t->port[0]);
	return getaddrinfo(t->host, port, &want, got);
}

static void set_address(struct target *t, const struct addrinfo *a)
{
	memcpy(&t->address, a->ai_addr, a->ai_addrlen);
	t->address_size = a->ai_addrlen;
}

static int resolve_host(struct target *t, struct why *why)
{
	struct addrinfo *got;
	int err = look_up(t, &got);

	if (err)
		return why_fail(-EAFNOSUPPORT, why, "%s: %s", t->host, gai_strerror(err));
	set_address(t, got);
	freeaddrinfo(got);
	return 0;
}

int target_parse(const char *text, struct target *t, struct why *why)
{
	const char *rest;
	int colons, err = 0;

	*t = (struct target){ 0 };
	if (!strncmp(text, "http://", 7) || !strncmp(text, "https://", 8)) {
		err = parse_http_url(text, t, why);
	} else if (!strncmp(text, "rdp:", 4)) {
		err = parse_rdp(text + 4, t, why);
	} else if (!strncmp(text, "vnc:", 4)) {
		rest = vnc_address_split(text + 4, t->host, sizeof(t->host), &colons);
		if (!rest || !text[4] || !parse_ports(colons ? rest : "0", colons, t))
			err = why_fail(
				-EINVAL, why,
				"not an address such as vnc:127.0.0.1:1 (port 5901), or with several ports vnc:127.0.0.1:5901-5910,5920");
	} else {
		err = why_fail(-EINVAL, why, "a target is vnc:HOST:DISPLAY, vnc:HOST:PORT, rdp:HOST:PORT or http://HOST:PORT/PATH");
	}
	return err ? err : resolve_host(t, why);
}

void target_choose_address(struct target *t)
{
	struct addrinfo *got;
	bool chosen = false;

	if (look_up(t, &got))
		return;
	for (const struct addrinfo *a = got; a && got->ai_next && !chosen; a = a->ai_next) {
		int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

		chosen = fd >= 0 && !dial_socket(fd, a->ai_addr, a->ai_addrlen, clock_now() + NS_PER_S);
		if (chosen)
			set_address(t, a);
		if (fd >= 0)
			close(fd);
	}
	freeaddrinfo(got);
}

void target_user_address(const struct target *t, uint32_t user, struct sockaddr_storage *out)
{
	uint16_t port = htons(t->port[user % (uint32_t)t->ports]);

	*out = t->address;
	if (out->ss_family == AF_INET6)
		((struct sockaddr_in6 *)out)->sin6_port = port;
	else
		((struct sockaddr_in *)out)->sin_port = port;
}

void target_address_text(const struct target *t, char *text, size_t size)
{
	if (getnameinfo((const struct sockaddr *)&t->address, t->address_size, text, (socklen_t)size, NULL, 0, NI_NUMERICHOST))
		*text = '\0';
}
