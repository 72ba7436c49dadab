// SPDX-License-Identifier: GPL-3.0-or-later
#include "sock.h"
#include "cli.h"
#include "dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BUFFER (4 << 20) /* bytes of a large socket buffer */

/* --- places ---------------------------------------------------------------------------------------------------- */

static int split_address(const char *text, int port, char *host, size_t size, int64_t *number)
{
	const char *colon = strrchr(text, ':'), *end = colon;

	*number = port;
	if (text[0] == '[') {
		end = strchr(text, ']');
		if (!end || (end[1] && end[1] != ':'))
			return -EINVAL;
		colon = end[1] ? end + 1 : NULL;
		text++;
	} else if (port && colon && strchr(text, ':') != colon) {
		colon = NULL; /* an IPv6 address without a port */
		end = text + strlen(text);
	}
	if (!end)
		end = text + strlen(text);
	if (colon && cli_parse_int(colon + 1, number))
		return -EINVAL;
	if (*number < 1 || *number > 65535 || end == text || (size_t)(end - text) >= size)
		return -EINVAL;
	memcpy(host, text, (size_t)(end - text));
	host[end - text] = '\0';
	return 0;
}

int sock_resolve(const char *text, int port, bool numeric, struct sock_address *out, int most, struct why *why)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICSERV | (numeric ? AI_NUMERICHOST | AI_PASSIVE : 0) },
			*found;
	char host[256], service[16];
	int64_t number;
	int err, n = 0;

	if (split_address(text, port, host, sizeof(host), &number)) {
		why_say(why, port ? "give an address, or an address and a port as ADDRESS:PORT"
				  : "give HOST:PORT, such as 10.0.0.2:5210 or [::1]:5210");
		return -EINVAL;
	}
	snprintf(service, sizeof(service), "%d", (int)number);
	err = getaddrinfo(host, service, &hints, &found);
	if (err)
		return why_fail(-EINVAL, why, "%s", err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err));
	for (struct addrinfo *a = found; a && n < most; a = a->ai_next, n++) {
		memset(&out[n], 0, sizeof(*out));
		memcpy(&out[n].addr, a->ai_addr, a->ai_addrlen);
		out[n].size = a->ai_addrlen;
	}
	freeaddrinfo(found);
	return n;
}

static in_port_t *sock_port_field(struct sock_address *p)
{
	return p->addr.ss_family == AF_INET6 ? &((struct sockaddr_in6 *)&p->addr)->sin6_port
					     : &((struct sockaddr_in *)&p->addr)->sin_port;
}

void sock_set_port(struct sock_address *p, int port)
{
	*sock_port_field(p) = htons((in_port_t)port);
}

int sock_port(const struct sock_address *p)
{
	struct sock_address copy = *p;

	return ntohs(*sock_port_field(&copy));
}

int sock_local_address(int fd, struct sock_address *out)
{
	out->size = sizeof(out->addr);
	return getsockname(fd, (struct sockaddr *)&out->addr, &out->size) ? -errno : 0;
}

int sock_peer_address(int fd, struct sock_address *out)
{
	out->size = sizeof(out->addr);
	return getpeername(fd, (struct sockaddr *)&out->addr, &out->size) ? -errno : 0;
}

bool sock_is_same_host(const struct sock_address *a, const struct sock_address *b)
{
	if (a->addr.ss_family != b->addr.ss_family)
		return false;
	if (a->addr.ss_family == AF_INET6)
		return !memcmp(&((const struct sockaddr_in6 *)&a->addr)->sin6_addr,
			       &((const struct sockaddr_in6 *)&b->addr)->sin6_addr, sizeof(struct in6_addr));
	return ((const struct sockaddr_in *)&a->addr)->sin_addr.s_addr == ((const struct sockaddr_in *)&b->addr)->sin_addr.s_addr;
}

/* --- sockets --------------------------------------------------------------------------------------------------- */

static int sock_create(const struct sock_address *at, int type)
{
	int fd = socket(at->addr.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static int close_failed(int fd, int err)
{
	close(fd);
	return err;
}

void sock_set_buffer(int fd, int plain, int forced)
{
	if (setsockopt(fd, SOL_SOCKET, forced, &(int){ BUFFER }, sizeof(int)))
		setsockopt(fd, SOL_SOCKET, plain, &(int){ BUFFER }, sizeof(int));
}

int sock_listen(const struct sock_address *at, bool roomy)
{
	int fd = sock_create(at, SOCK_STREAM);

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
	if (roomy) /* a receiver that waits for its CPU must not stop the sender */
		sock_set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE);
	if (bind(fd, (const struct sockaddr *)&at->addr, at->size) || listen(fd, 128))
		return close_failed(fd, -errno);
	return fd;
}

int sock_bind_udp(const struct sock_address *at)
{
	int fd = sock_create(at, SOCK_DGRAM);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&at->addr, at->size))
		return close_failed(fd, -errno);
	return fd;
}

int sock_connect(const struct sock_address *to, int64_t until_ns, bool roomy)
{
	int fd = sock_create(to, SOCK_STREAM), err;

	if (fd < 0)
		return fd;
	if (roomy)
		sock_set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE);
	err = dial_socket(fd, &to->addr, to->size, until_ns);
	return err ? close_failed(fd, err) : fd;
}
