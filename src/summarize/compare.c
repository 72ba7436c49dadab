// SPDX-License-Identifier: GPL-3.0-or-later
#include "compare.h"
#include "holm.h"
#include "cells.h"
#include "interval.h"
#include "sample.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The cell of the default that differs in nothing but the setting. */
static const struct cell *base_of(const struct run *run, const struct cell *c)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct cell *b = &run->cell[i];

		if (!strcmp(b->setting, COMPARE_BASE) && !strcmp(b->part, c->part) && !strcmp(b->app, c->app) &&
		    !strcmp(b->protocol, c->protocol) && b->sinks == c->sinks &&
		    cells_same_cost(b->asked_cost_ms, c->asked_cost_ms))
			return b;
	}
	return NULL;
}

/* Median latency of one train; NAN where it is none: overloaded, or among keys without an echo. */
static double median(const struct train *t)
{
	struct sample s = { 0 };
	struct sample_stat m;
	double v = NAN;

	for (size_t k = 0; k < t->keys.n && !t->overloaded; k++) {
		int64_t ns;
		bool later;

		if (key_latency(&t->keys.key[k], false, &ns, &later))
			(later ? sample_add_censored : sample_add)(&s, ns);
	}
	if (s.n && !s.lost) {
		m = sample_quantile(&s, 0.5);
		v = m.above ? NAN : m.value;
	}
	sample_free(&s);
	return v;
}

static int compare_one(const struct cell *c, const struct cell *base, struct compared *out)
{
	enum series s = run_series(c, SERIES_LATENCY), b = base ? run_series(base, SERIES_LATENCY) : SERIES_LATENCY;
	double *ratio = calloc(c->n[s] ? c->n[s] : 1, sizeof(*ratio)), sum = 0;
	struct interval i;

	*out = (struct compared){ .cell = c, .ratio = NAN, .low = NAN, .high = NAN, .p = NAN };
	if (!ratio)
		return -ENOMEM;
	for (size_t t = 0; t < c->n[s] && base; t++) {
		for (size_t u = 0; u < base->n[b]; u++) {
			double r;

			if (base->train[b][u].repeat != c->train[s][t].repeat)
				continue;
			r = log(median(&c->train[s][t]) / median(&base->train[b][u]));
			if (isfinite(r)) {
				ratio[out->pairs++] = r;
				sum += r;
			}
			break;
		}
	}
	if (out->pairs)
		out->ratio = exp(sum / (double)out->pairs);
	if (out->pairs >= COMPARE_PAIRS && interval_t(ratio, out->pairs, &i)) {
		out->low = exp(i.low);
		out->high = exp(i.high);
		out->p = interval_t_p(ratio, out->pairs);
	}
	free(ratio);
	return 0;
}

static enum verdict verdict(const struct compared *c)
{
	if (!isfinite(c->p))
		return VERDICT_TOO_FEW;
	if (c->p < 1 - INTERVAL_LEVEL)
		return c->ratio < 1 ? VERDICT_BETTER : VERDICT_WORSE;
	return c->high > COMPARE_NOISY * c->low ? VERDICT_NOISY : VERDICT_NONE;
}

int compare_settings(const struct run *run, struct compared **out, size_t *n)
{
	double *p = calloc(run->n ? run->n : 1, sizeof(*p));
	int err = 0;

	*n = 0;
	*out = calloc(run->n ? run->n : 1, sizeof(**out));
	if (!*out || !p)
		err = -ENOMEM;
	for (size_t i = 0; i < run->n && !err; i++) {
		const struct cell *c = &run->cell[i];

		if (*c->setting && strcmp(c->setting, COMPARE_BASE) != 0)
			err = compare_one(c, base_of(run, c), &(*out)[(*n)++]);
	}
	/* each part has a verdict of its own */
	for (size_t i = 0; i < *n && !err;) {
		size_t end = i;

		while (end < *n && !strcmp((*out)[end].cell->part, (*out)[i].cell->part))
			end++;
		for (size_t k = i; k < end; k++)
			p[k] = (*out)[k].p;
		err = holm_adjust(p + i, end - i);
		for (size_t k = i; k < end; k++) {
			(*out)[k].p = p[k];
			(*out)[k].verdict = verdict(&(*out)[k]);
		}
		i = end;
	}
	free(p);
	if (err) {
		free(*out);
		*out = NULL;
	}
	return err;
}

int compare_write(const char *folder, const struct run *run, size_t *rows)
{
	static const char *const columns[] = { "part", "setting", "app", "cost_ms", "sinks", "pairs", "ratio", "ratio_low", "ratio_high", "p", "verdict", NULL };
	static const char *const words[] = { "too few runs", "better", "worse", "no difference shown", "too noisy" };
	struct compared *c;
	struct whole w;
	int err = compare_settings(run, &c, rows);

	if (err)
		return err;
	if (!*rows) {
		char path[4200];

		free(c);
		snprintf(path, sizeof(path), "%s/compare.tsv", folder);
		return unlink(path) && errno != ENOENT ? -errno : 0;
	}
	err = whole_open(&w, folder, "compare.tsv", "compare/1", columns);
	if (err) {
		free(c);
		return err;
	}
	for (size_t i = 0; i < *rows; i++) {
		rows_str(w.rows, c[i].cell->part);
		rows_str(w.rows, c[i].cell->setting);
		rows_str(w.rows, c[i].cell->app);
		whole_number(w.rows, c[i].cell->asked_cost_ms, 3);
		rows_int(w.rows, c[i].cell->sinks);
		rows_int(w.rows, (int64_t)c[i].pairs);
		whole_number(w.rows, c[i].ratio, 4);
		whole_number(w.rows, c[i].low, 4);
		whole_number(w.rows, c[i].high, 4);
		whole_number(w.rows, c[i].p, 6);
		rows_str(w.rows, words[c[i].verdict]);
		rows_end(w.rows);
	}
	free(c);
	return whole_close(&w);
}
