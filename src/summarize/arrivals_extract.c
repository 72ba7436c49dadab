// SPDX-License-Identifier: GPL-3.0-or-later
/* arrivals_extract - times between the requests of users.
 *
 * Figure cov_independent: coefficient of variation of as many users who know nothing of each other
 * (superposed.h), from the parameters users and think_s, the run's setting `spread` and the mean
 * response time; unknown where there is no formula.
 * Rows: from arrivals.tsv of each cell's first complete repeat, what `arrivals --sources` made of the
 * requests of the first user, of the first two, and so on. */
#include "engine.h"
#include "rows_in.h"
#include "superposed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct arrivals {
	const struct run *run;
	enum superposed_think how;
	bool known;
	struct arrivals_cell {
		double sum_ms, n;	/* of the repeats' mean response times */
	} cell[];
};

static void *arrivals_open(const struct run *run, struct why *why)
{
	struct arrivals *a = run_state(run, sizeof(*a), sizeof(*a->cell), why);
	const char *spread = json_get_str(run->json, "settings.spread");

	if (!a)
		return NULL;
	a->known = spread && (!strcmp(spread, "uniform") || !strcmp(spread, "exp"));
	a->how = a->known && !strcmp(spread, "uniform") ? SUPERPOSED_UNIFORM : SUPERPOSED_EXP;
	return a;
}

static int arrivals_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct arrivals_cell *cell = &((struct arrivals *)state)->cell[c->index];
	const struct json *j;
	double mean;
	int err = repeat_json(r, "vusers.json", &j, why);

	if (!err && j && json_get_real(j, "result.response_ms.mean", &mean)) {
		cell->sum_ms += mean;
		cell->n++;
	}
	return err;
}

static int arrivals_figure(void *state, const struct cell *c, const char *path, struct figure *out)
{
	const struct arrivals *a = state;
	double response_s = a->cell[c->index].sum_ms / a->cell[c->index].n / 1e3;

	if (strcmp(path, "cov_independent") != 0)
		return -ENOENT;
	out->value = a->known ? superposed_cov(a->how, cell_number(c, "users"), cell_number(c, "think_s"), response_s) : (double)NAN;
	return 0;
}

struct arrivals_points {
	const struct cell *cell;
	struct table_out *out;
};

static int arrivals_point(void *context, char *const *text)
{
	static const char *const columns[] = { "users", "cov", "cov_low", "cov_high" };
	const struct arrivals_points *p = context;
	char *end;

	if (strcmp(text[0], "sources") != 0)
		return 0;
	row_params(p->out, p->cell);
	for (size_t i = 0; i < 4; i++) {
		double v = strtod(text[i + 1], &end);

		if (*end)
			return -EPROTO;
		row_number(p->out, columns[i], *text[i + 1] ? v : (double)NAN);
	}
	row_end(p->out);
	return 0;
}

static int arrivals_points(FILE *in, void *into, unsigned long *line)
{
	static const char *const columns[] = { "kind", "x", "y", "low", "high", NULL };

	return rows_in_read(in, "arrivals/1", columns, 5, arrivals_point, into, line);
}

static int arrivals_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	const struct run *run = ((const struct arrivals *)state)->run;
	int err = 0;

	(void)table;
	for (size_t i = 0; !err && i < run->n; i++) {
		struct arrivals_points into = { &run->cell[i], out };

		if (into.cell->n)
			err = repeat_rows(&into.cell->repeat[0], "arrivals.tsv", false, arrivals_points, &into, why);
	}
	return err;
}

const struct extractor arrivals_extractor = {
	.name = "arrivals", .open = arrivals_open, .read = arrivals_read, .figure = arrivals_figure,
	.rows = arrivals_rows, .close = free,
};
