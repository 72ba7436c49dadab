// SPDX-License-Identifier: GPL-3.0-or-later
#include "number_list.h"
#include "cli.h"
#include "memory.h"

#include <errno.h>
#include <math.h>

int number_parse_time(const char *text, double *out)
{
	int64_t ns;
	int err = cli_parse_ns(text, &ns);

	if (!err && ns < 0)
		err = -ERANGE;
	if (!err)
		*out = (double)ns / 1e9;
	return err;
}

static int add_value(struct number_list *l, double value)
{
	if (l->n >= NUMBER_LIST_MOST)
		return -ERANGE;
	memory_more(l->value, l->n);
	l->value[l->n++] = value;
	return 0;
}

static int add_range(struct number_list *l, double from, double to, double step)
{
	double steps = floor((to - from) / step + 1e-9); /* tolerance, as 0.1 is no exact double */
	int err = 0;

	if (!(step > 0) || !(to >= from) || !(steps < NUMBER_LIST_MOST))
		return -ERANGE;
	for (double i = 0; !err && i <= steps; i++)
		err = add_value(l, from + i * step);
	return err;
}

static int parse_part(struct number_list *l, char *text, number_list_reader *one)
{
	double value[3];
	int n = 0, err = 0;

	for (char *word; !err && (word = strsep(&text, ":")); n++)
		err = n == 3 ? -EINVAL : one(word, &value[n]);
	if (err)
		return err;
	return n == 1 ? add_value(l, value[0]) : n == 3 ? add_range(l, value[0], value[1], value[2]) : -EINVAL;
}

int number_list_parse(const char *text, number_list_reader *one, struct number_list *out)
{
	struct number_list l = { 0 };
	char *copy = must_alloc(strdup(text)), *rest = copy, *word;
	int err = 0;

	while (!err && (word = strsep(&rest, ",")))
		err = parse_part(&l, word, one);
	free(copy);
	free(err ? l.value : out->value);
	*out = err ? *out : l;
	return err;
}
