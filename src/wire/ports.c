// SPDX-License-Identifier: GPL-3.0-or-later
#include "ports.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X11_FIRST 6000
#define X11_LAST 6063

const char *const server_by_names[] = { "port", "address", "syn", "lower-port", "greeting" };

/* Reads a port from 1 to 65535; returns the text behind it, or NULL. */
static const char *parse_port(const char *text, uint32_t *out)
{
	char *end = NULL;
	unsigned long n = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;

	*out = (uint32_t)n;
	return n >= 1 && n <= 65535 ? end : NULL;
}

static bool skip_prefix(const char **text, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*text, word, n) != 0)
		return false;
	*text += n;
	return true;
}

int ports_parse_list(struct server_ports *p, const char *text)
{
	do {
		bool display = skip_prefix(&text, "x11:"), server = !display && skip_prefix(&text, "server:");
		uint32_t from, to;

		text = parse_port(text, &from);
		if (!text)
			return -EINVAL;
		to = from;
		if (*text == '-') {
			text = parse_port(text + 1, &to);
			if (!text || to < from)
				return -EINVAL;
		}
		if (p->spans == PORTS_SPANS_MAX)
			return -E2BIG;
		p->span[p->spans++] = (struct port_span){ (uint16_t)from, (uint16_t)to };
		for (uint32_t i = from; i <= to; i++)
			p->use[i] = display || (!server && i >= X11_FIRST && i <= X11_LAST) ? PORT_DISPLAY : PORT_SERVER;
	} while (*text == ',' && text++);
	return *text ? -EINVAL : 0;
}

int ports_write_filter(const struct server_ports *p, char *text, size_t size)
{
	static const char hidden[] =
		" or (ip[6:2] & 0x1fff != 0 and (ip proto 6 or ip proto 17))"
		" or (ip6 and (ip6[6] == 0 or ip6[6] == 43 or ip6[6] == 44 or ip6[6] == 51 or ip6[6] == 60 or ip6[6] == 135))";
	size_t n = 0;

	for (size_t i = 0; i < p->spans; i++) {
		int added = snprintf(text + n, size - n, p->span[i].from == p->span[i].to ? "%sport %d" : "%sportrange %d-%d",
				     i ? " or " : "", p->span[i].from, p->span[i].to);

		if (added < 0 || (size_t)added >= size - n)
			return -E2BIG;
		n += (size_t)added;
	}
	if (sizeof(hidden) > size - n)
		return -E2BIG;
	memcpy(text + n, hidden, sizeof(hidden));
	return 0;
}

/* X11 does not use UDP: a UDP port belongs to its server. */
static enum port_use segment_port_use(const struct server_ports *p, const struct segment *s, int end)
{
	enum port_use use = p->use[s->port[end]];

	return use == PORT_DISPLAY && s->transport == TRANSPORT_UDP ? PORT_SERVER : use;
}

static bool is_display_port(const struct server_ports *p, const struct segment *s, int end)
{
	enum port_use use = segment_port_use(p, s, end);

	if (use != PORT_NONE)
		return use == PORT_DISPLAY;
	return s->transport == TRANSPORT_TCP && s->port[end] >= X11_FIRST && s->port[end] <= X11_LAST;
}

/* Without a port that tells: the server is the end that was connected to; for X11, the other end. */
static int guess_server_end(const struct server_ports *p, const struct segment *s, enum server_clue *by)
{
	int owner;

	*by = s->flags & TCP_SYN ? BY_SYN : BY_LOWER_PORT;
	if (*by == BY_SYN)
		owner = s->flags & TCP_ACK ? 0 : 1;
	else
		owner = s->port[0] < s->port[1] ? 0 : 1;
	return is_display_port(p, s, owner) ? 1 - owner : owner;
}

bool ports_find_server(const struct server_ports *p, const uint8_t *server, const struct segment *s, int *end, enum server_clue *by)
{
	enum port_use source = segment_port_use(p, s, 0), destination = segment_port_use(p, s, 1);

	if (p->spans && !source && !destination)
		return false;
	if (server) {
		*by = BY_ADDRESS;
		if (!memcmp(s->address[0], server, 16))
			*end = 0;
		else if (!memcmp(s->address[1], server, 16))
			*end = 1;
		else
			return false;
		/* If both ends are on one host, the address does not tell them apart. */
		if (memcmp(s->address[0], s->address[1], 16) != 0)
			return true;
	}
	*by = BY_PORT;
	if (source && !destination)
		*end = source == PORT_SERVER ? 0 : 1;
	else if (destination && !source)
		*end = destination == PORT_SERVER ? 1 : 0;
	else
		*end = guess_server_end(p, s, by); /* neither port was asked for, or both were */
	return true;
}
