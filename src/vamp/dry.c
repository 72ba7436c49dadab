// SPDX-License-Identifier: GPL-3.0-or-later
/* dry - changes nothing: shows what vamp would throttle, and what vamp itself costs. */
#include "favour.h"

#include <stdio.h>

static int begin(struct favour *f, const struct tag *tag, size_t n)
{
	(void)f, (void)tag, (void)n;
	return 0;
}

static int end(struct favour *f)
{
	(void)f;
	return 0;
}

static void close(struct favour *f)
{
	(void)f;
}

static void tell(const struct favour *f, char *text, size_t size)
{
	(void)f;
	snprintf(text, size, "dry run: nothing is changed");
}

static const struct favour_ops ops = { .name = "dry run", .begin = begin, .end = end, .close = close, .tell = tell };

struct favour *dry_open(void)
{
	static struct favour dry = { &ops, false };

	return &dry;
}
