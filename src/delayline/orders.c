// SPDX-License-Identifier: GPL-3.0-or-later
#include "orders.h"
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define RATE_LEAST 1000
#define RATE_MOST 100000000000

int orders_read_rate(const char *text, int64_t *bits)
{
	int64_t value = 0;
	int err = strcmp(text, "none") ? cli_read_bits(text, &value) : 0;

	if (!err && strcmp(text, "none") != 0 && (value < RATE_LEAST || value > RATE_MOST))
		err = -ERANGE;
	if (!err)
		*bits = value;
	return err;
}

int orders_read_loss(const char *text, double *part)
{
	size_t length = strlen(text);
	char number[32];
	double value;
	int err;

	if (length > 0 && text[length - 1] == '%')
		length--;
	if (length == 0 || length >= sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%.*s", (int)length, text);
	err = cli_read_real(number, &value);
	if (err)
		return err;
	if (!(value >= 0 && value <= 100))
		return -ERANGE;
	*part = value / 100;
	return 0;
}

static int read_order_time(const char *text, int64_t *out)
{
	int64_t ns;
	int err = cli_read_ns(text, &ns);

	if (err)
		return err;
	if (ns < 0 || ns > ORDERS_MAX_NS)
		return -ERANGE;
	*out = ns;
	return 0;
}

static int read_order_word(const char *text, const char *const *words, int *out)
{
	for (int i = 0; words[i]; i++) {
		if (!strcmp(text, words[i])) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int read_setting(struct path_cfg *cfg, const char *name, const char *value)
{
	static const char *const order[] = { "kept", "free", NULL };
	int word, err;

	if (!strcmp(name, "rate"))
		return orders_read_rate(value, &cfg->rate_bits);
	if (!strcmp(name, "queue"))
		return read_order_time(value, &cfg->queue_ns);
	if (!strcmp(name, "delay"))
		return read_order_time(value, &cfg->delay_ns);
	if (!strcmp(name, "jitter"))
		return read_order_time(value, &cfg->jitter_ns);
	if (!strcmp(name, "loss"))
		return orders_read_loss(value, &cfg->loss);
	if (!strcmp(name, "shape"))
		return read_order_word(value, path_shapes, &cfg->shape);
	if (strcmp(name, "order") != 0)
		return -EINVAL;
	err = read_order_word(value, order, &word);
	if (!err)
		cfg->reorder = word == 1;
	return err;
}

int orders_read(struct orders *o, const char *line)
{
	char name[16] = "", value[64] = "", rest;
	struct path_cfg cfg;
	int which = ORDERS_FORTH | ORDERS_BACK, err;
	int64_t seed;

	if (!*line)
		return 0;
	if (!strcmp(line, "report")) {
		o->report = true;
		return 0;
	}
	if (!strncmp(line, "forth ", 6) || !strncmp(line, "back ", 5)) {
		which = *line == 'f' ? ORDERS_FORTH : ORDERS_BACK;
		line = strchr(line, ' ') + 1;
	}
	if (sscanf(line, "%15s %63s %c", name, value, &rest) != 2)
		return -EINVAL;
	if (!strcmp(name, "seed")) {
		err = cli_read_int(value, &seed);
		if (err || seed < 0)
			return err ? err : -ERANGE;
		o->seeded = true;
		o->seed = (uint64_t)seed;
		return 0;
	}
	cfg = o->cfg[0];
	err = read_setting(&cfg, name, value);
	if (err)
		return err;
	for (int way = 0; way < 2; way++) {
		if (which & 1 << way)
			read_setting(&o->cfg[way], name, value);
	}
	o->changed |= which;
	return 0;
}
