// SPDX-License-Identifier: GPL-3.0-or-later
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cells_same_cost(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) < 1e-6;
}

struct cell *cells_find(struct run *run, const struct cell_name *name)
{
	struct cell *c;

	for (size_t i = 0; i < run->n; i++) {
		c = &run->cell[i];
		if (c->sinks == name->sinks && !strcmp(c->app, name->app) && !strcmp(c->protocol, name->protocol) &&
		    !strcmp(c->setting, name->setting) && !strcmp(c->part, name->part) && cells_same_cost(c->asked_cost_ms, name->cost_ms))
			return c;
	}
	if (run->n == run->room) {
		size_t room = run->room ? run->room * 2 : 16;
		struct cell *grown = reallocarray(run->cell, room, sizeof(*grown));

		if (!grown)
			return NULL;
		run->cell = grown;
		run->room = room;
	}
	c = &run->cell[run->n];
	*c = (struct cell){ .sinks = name->sinks, .asked_cost_ms = name->cost_ms, .foreign_max = NAN, .steal_max = NAN, .disturbed_max = NAN, .busy_mean = NAN,
			    .probe_max = NAN, .capture_max = NAN, .capture_dropped = NAN, .cost_ms = NAN, .period_ms = NAN,
			    .schedule_jitter_ms = { NAN, NAN, NAN }, .same_group = -1 };
	c->protocol = strdup(name->protocol);
	c->app = strdup(name->app);
	c->setting = strdup(name->setting);
	c->part = strdup(name->part);
	if (!c->protocol || !c->app || !c->setting || !c->part) {
		free(c->protocol);
		free(c->app);
		free(c->setting);
		free(c->part);
		return NULL;
	}
	run->n++;
	return c;
}

static int by_name(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;
	int order = strcmp(x->protocol, y->protocol);

	order = order ? order : strcmp(x->part, y->part);
	order = order ? order : strcmp(x->setting, y->setting);
	order = order ? order : strcmp(x->app, y->app);
	order = order ? order : (x->asked_cost_ms > y->asked_cost_ms) - (x->asked_cost_ms < y->asked_cost_ms);
	return order ? order : (x->sinks > y->sinks) - (x->sinks < y->sinks);
}

void cells_sort(struct run *run)
{
	if (run->n)
		qsort(run->cell, run->n, sizeof(*run->cell), by_name);
}
