// SPDX-License-Identifier: GPL-3.0-or-later
/* arrivals_extract - times between the requests of users.
 *
 * Figure cov_independent: coefficient of variation of as many users who know nothing of each other
 * (superposed.h), from the parameters users and think_s, the run's setting `spread` and the mean
 * response time; unknown where there is no formula. */
#include "engine.h"
#include "superposed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct arrivals {
	enum superposed_think how;
	bool known;
	struct arrivals_cell {
		double sum_ms, n;	/* of the repeats' mean response times */
	} cell[];
};

static void *arrivals_open(const struct run *run, struct why *why)
{
	struct arrivals *a = calloc(1, sizeof(*a) + run->n * sizeof(*a->cell));
	const char *spread = json_get_str(run->json, "settings.spread");

	if (!a) {
		why_no_memory(why);
		return NULL;
	}
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

const struct extractor arrivals_extractor = {
	.name = "arrivals", .open = arrivals_open, .read = arrivals_read, .figure = arrivals_figure,
	.close = free,
};
