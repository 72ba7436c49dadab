// SPDX-License-Identifier: GPL-3.0-or-later
#include "values.h"
#include "interval.h"
#include "memory.h"

#include <errno.h>

#define SHARES 16 /* most quantiles */

struct value_list {
	struct value_group {
		char *name;
		double *value, mean, squares;
		size_t n, above;
	} * group;
	size_t n;
};

static void add_value(struct value_list *l, const char *name, double value, double above)
{
	struct value_group *g = l->group;
	double off;

	while (g < l->group + l->n && strcmp(g->name, name) != 0)
		g++;
	if (g == l->group + l->n) {
		memory_more(l->group, l->n);
		g = &l->group[l->n++];
		*g = (struct value_group){ .name = must_alloc(strdup(name)) };
	}
	memory_more(g->value, g->n);
	g->value[g->n++] = value;
	g->above += value > above;
	off = value - g->mean;
	g->mean += off / (double)g->n;
	g->squares += off * (value - g->mean);
}

static int read_values(FILE *in, struct value_list *l, double above, unsigned long *line)
{
	char text[256], *tab, *end;

	for (*line = 1; fgets(text, sizeof(text), in); ++*line) {
		double value = (tab = strchr(text, '\t')) ? strtod(tab + 1, &end) : (double)NAN;

		if (!tab || end == tab + 1 || *end != '\n' || !isfinite(value))
			return -EPROTO;
		*tab = '\0';
		add_value(l, text, value, above);
	}
	return ferror(in) ? -EIO : 0;
}

/* The number of shares in the list; 0: it is none of shares from 0 to 1, or too long. */
static size_t parse_shares(const char *list, double share[static SHARES])
{
	size_t n = 0;
	char *end;

	for (const char *at = list; n < SHARES; at = end + 1) {
		share[n] = strtod(at, &end);
		if (end == at || (*end && *end != ',') || !(share[n++] >= 0 && share[n - 1] <= 1))
			return 0;
		if (!*end)
			return n;
	}
	return 0;
}

int values_summarize(FILE *in, const struct values_question *q, struct rec_report *out, unsigned long *line)
{
	struct value_list l = { .n = 0 };
	double share[SHARES];
	size_t shares = parse_shares(q->quantiles, share);
	int err = shares ? read_values(in, &l, q->above, line) : -EINVAL;
	char key[32];

	rec_begin_array(out, "groups");
	for (struct value_group *g = l.group; g < l.group + l.n; g++) {
		double n = (double)g->n;

		rec_begin_object(out, NULL);
		rec_add_str(out, "group", g->name);
		rec_add_int(out, "n", (int64_t)g->n);
		rec_add_reals(out, { "mean", g->mean, 6 }, { "sd", n > 1 ? sqrt(g->squares / (n - 1)) : (double)NAN, 6 });
		if (!isnan(q->above))
			rec_add_real(out, "above_percent", 100 * (double)g->above / n, 6);
		for (size_t i = 0; i < shares; i++) {
			snprintf(key, sizeof(key), "p%g", 100 * share[i]);
			rec_add_real(out, key, interval_quantile(g->value, g->n, share[i]), 6);
		}
		rec_end(out);
		free(g->name);
		free(g->value);
	}
	rec_end(out);
	free(l.group);
	return err;
}
