// SPDX-License-Identifier: GPL-3.0-or-later
#include "pace.h"
#include "cli.h"

#include <errno.h>
#include <string.h>

int pace_order(struct pace *pace, const char *line)
{
	static const struct { const char *word; int which; } orders[] = { { "read-delay", 1 }, { "write-delay", 2 }, { "delay", 3 } };
	const char *value = line + strcspn(line, " ");
	int64_t ns;
	int err;

	if (!*line)
		return 0;
	if (!*value)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
		if (strlen(orders[i].word) != (size_t)(value - line) || strncmp(line, orders[i].word, (size_t)(value - line)) != 0)
			continue;
		err = cli_read_ns(value + 1, &ns);
		if (err)
			return err;
		if (ns < 0 || ns > PACE_MAX_NS)
			return -ERANGE;
		if (orders[i].which & 1)
			pace->read_ns = ns;
		if (orders[i].which & 2)
			pace->write_ns = ns;
		return 0;
	}
	return -EINVAL;
}
