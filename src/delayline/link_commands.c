// SPDX-License-Identifier: GPL-3.0-or-later
#include "link_commands.h"
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RATE_LEAST 1000
#define RATE_MOST 100000000000

int parse_link_rate(const char *text, int64_t *bits)
{
	int64_t value = 0;
	int err = strcmp(text, "none") ? cli_parse_rate(text, &value) : 0;

	if (!err && strcmp(text, "none") != 0 && (value < RATE_LEAST || value > RATE_MOST))
		err = -ERANGE;
	if (!err)
		*bits = value;
	return err;
}

int parse_link_loss(const char *text, double *probability)
{
	double percent;
	int err = cli_parse_percent(text, &percent);

	if (!err && !(percent >= 0 && percent <= 100))
		err = -ERANGE;
	if (!err)
		*probability = percent / 100;
	return err;
}

static int parse_link_time(const char *text, int64_t *out)
{
	int64_t ns;
	int err = cli_parse_ns(text, &ns);

	if (!err && (ns < 0 || ns > LINK_TIME_MAX_NS))
		err = -ERANGE;
	if (!err)
		*out = ns;
	return err;
}

static int find_link_word(const char *text, const char *const *words, int *out)
{
	for (int i = 0; words[i]; i++) {
		if (!strcmp(text, words[i])) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_link_setting(struct link_settings *cfg, const char *name, const char *value)
{
	static const char *const order[] = { "kept", "free", NULL };
	const struct {
		const char *name;
		int64_t *ns;
	} times[] = {
		{ "queue", &cfg->queue_ns },
		{ "delay", &cfg->delay_ns },
		{ "jitter", &cfg->jitter_ns },
	};
	int word, err;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (!strcmp(name, times[i].name))
			return parse_link_time(value, times[i].ns);
	if (!strcmp(name, "rate"))
		return parse_link_rate(value, &cfg->rate_bits);
	if (!strcmp(name, "loss"))
		return parse_link_loss(value, &cfg->loss);
	if (!strcmp(name, "shape"))
		return find_link_word(value, jitter_shapes, &cfg->shape);
	if (strcmp(name, "order") != 0)
		return -EINVAL;
	err = find_link_word(value, order, &word);
	if (!err)
		cfg->reorder = word == 1;
	return err;
}

int parse_link_command(struct link_changes *o, const char *line)
{
	char name[16] = "", value[64] = "", rest;
	struct link_settings cfg;
	int which = LINK_FORTH | LINK_BACK, err;
	int64_t seed;

	if (!*line)
		return 0;
	if (!strcmp(line, "report")) {
		o->report = true;
		return 0;
	}
	if (!strncmp(line, "forth ", 6) || !strncmp(line, "back ", 5)) {
		which = *line == 'f' ? LINK_FORTH : LINK_BACK;
		line = strchr(line, ' ') + 1;
	}
	if (sscanf(line, "%15s %63s %c", name, value, &rest) != 2)
		return -EINVAL;
	if (!strcmp(name, "seed")) {
		err = cli_parse_int(value, &seed);
		if (err || seed < 0)
			return err ? err : -ERANGE;
		o->seeded = true;
		o->seed = (uint64_t)seed;
		return 0;
	}
	cfg = o->cfg[0];
	err = parse_link_setting(&cfg, name, value);
	if (err)
		return err;
	for (int way = 0; way < 2; way++) {
		if (which & 1 << way)
			parse_link_setting(&o->cfg[way], name, value);
	}
	o->changed |= which;
	return 0;
}
