// SPDX-License-Identifier: GPL-3.0-or-later
#include "pace.h"
#include "cli.h"

#include <errno.h>
#include <string.h>

int pace_parse_rate(const char *text, int64_t *bits)
{
	int64_t value = 0;
	int err = strcmp(text, "none") ? cli_parse_rate(text, &value) : 0;

	if (!err && strcmp(text, "none") != 0 && value < PACE_LEAST_BITS)
		err = -ERANGE;
	if (!err)
		*bits = value;
	return err;
}

static int parse_delay(const char *text, int64_t *ns)
{
	int64_t value;
	int err = cli_parse_ns(text, &value);

	if (err)
		return err;
	if (value < 0 || value > PACE_MAX_NS)
		return -ERANGE;
	*ns = value;
	return 0;
}

int pace_apply_command(struct disk_delays *pace, const char *line)
{
	const struct {
		const char *word;
		int (*read)(const char *text, int64_t *value);
		int64_t *to, *also;
	} commands[] = {
		{ "read-delay", parse_delay, &pace->read_ns, NULL },
		{ "write-delay", parse_delay, &pace->write_ns, NULL },
		{ "delay", parse_delay, &pace->read_ns, &pace->write_ns },
		{ "read-rate", pace_parse_rate, &pace->read_bits, NULL },
		{ "write-rate", pace_parse_rate, &pace->write_bits, NULL },
		{ "rate", pace_parse_rate, &pace->read_bits, &pace->write_bits },
	};
	const char *value = line + strcspn(line, " ");
	size_t length = (size_t)(value - line);

	if (!*line)
		return 0;
	if (!*value)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		int err;

		if (strlen(commands[i].word) != length || strncmp(line, commands[i].word, length) != 0)
			continue;
		err = commands[i].read(value + 1, commands[i].to);
		if (!err && commands[i].also)
			*commands[i].also = *commands[i].to;
		return err;
	}
	return -EINVAL;
}

int64_t pace_delay_ns(const struct disk_delays *pace, bool write, int64_t bytes)
{
	int64_t bits = write ? pace->write_bits : pace->read_bits;

	return (write ? pace->write_ns : pace->read_ns) + (bits ? bytes * 8 * 1000000000LL / bits : 0);
}
