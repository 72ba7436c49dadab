// SPDX-License-Identifier: GPL-3.0-or-later
#include "idle.h"
#include "interval.h"
#include "means.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_MS 60000.0

static const struct idle_system *without(const struct idle_run *run)
{
	for (size_t s = 0; s < run->systems; s++)
		if (!run->system[s].sessions)
			return &run->system[s];
	return NULL;
}

static const char *const summary_columns[] = {
	"system", "sessions", "state", "repeats", "failed", "marked", "seconds",
	"lost_ms_per_min", "lost_ms_per_min_low", "lost_ms_per_min_high", "own_ms_per_min", "own_ms_per_min_low", "own_ms_per_min_high",
	"kernel_ms_per_min", "kernel_ms_per_min_low", "kernel_ms_per_min_high", "above_ms_per_min", "above_ms_per_min_low", "above_ms_per_min_high",
	"foreign_ms_per_min", "itself_ms_per_min", "ended_ms_per_min", "unexplained_ms_per_min", "tick_ms_per_min", "all_ms_per_min", "accounted_ms_per_min",
	"events_per_min", "longest_ms", "foreign_percent_max", "steal_percent_max", "wakeups",
	"bound_1ms_percent", "bound_1ms_percent_low", "bound_1ms_percent_high", "bound_all_1ms_percent", "measured_1ms_percent", "measured_1ms_percent_low", "measured_1ms_percent_high",
	"bound_5ms_percent", "bound_5ms_percent_low", "bound_5ms_percent_high", "bound_all_5ms_percent", "measured_5ms_percent", "measured_5ms_percent_low", "measured_5ms_percent_high",
	"bound_10ms_percent", "bound_10ms_percent_low", "bound_10ms_percent_high", "bound_all_10ms_percent", "measured_10ms_percent", "measured_10ms_percent_low", "measured_10ms_percent_high",
	"bound_50ms_percent", "bound_50ms_percent_low", "bound_50ms_percent_high", "bound_all_50ms_percent", "measured_50ms_percent", "measured_50ms_percent_low", "measured_50ms_percent_high",
	"bound_100ms_percent", "bound_100ms_percent_low", "bound_100ms_percent_high", "bound_all_100ms_percent", "measured_100ms_percent", "measured_100ms_percent_low", "measured_100ms_percent_high",
	NULL,
};

/* What a column of a cell says in each complete repeat. */
static double *at(struct idle_cell *c, size_t offset)
{
	return (double *)(void *)((char *)c + offset);
}

static void collect(const struct idle_run *run, const struct idle_system *s, size_t offset, double factor, struct means *v)
{
	v->n = 0;
	for (int64_t r = 0; r < run->repeats; r++)
		if (s->cell[r].complete)
			means_add(v, *at(&s->cell[r], offset) * factor);
}

static double plain_mean(const struct idle_run *run, const struct idle_system *s, size_t offset, struct means *v)
{
	collect(run, s, offset, 1, v);
	return means_of(v);
}

static double largest(const struct idle_run *run, const struct idle_system *s, size_t offset, struct means *v)
{
	double most = NAN;

	collect(run, s, offset, 1, v);
	for (size_t i = 0; i < v->n; i++)
		most = fmax(most, v->v[i]);
	return most;
}

/* The bound is a mean over repeats; the measured waits of all repeats are counted together. */
static void write_waits(struct rows *t, const struct idle_run *run, const struct idle_system *s, int w, struct means *v)
{
	size_t at_wait = (size_t)w * sizeof(double);
	struct interval i = { NAN, NAN };
	double n = 0, waited = 0;

	collect(run, s, offsetof(struct idle_cell, bound) + at_wait, 100, v);
	means_write(t, v, 0, 4, run->seed);
	collect(run, s, offsetof(struct idle_cell, bound_all) + at_wait, 100, v);
	whole_number(t, means_of(v), 4);
	for (int64_t r = 0; r < run->repeats; r++) {
		const struct idle_cell *c = &s->cell[r];

		if (!c->complete || !(c->wakeups > 0) || !isfinite(c->waited[w]))
			continue;
		n += c->wakeups;
		waited += c->waited[w];
	}
	if (n > 0)
		interval_share((size_t)llround(waited), (size_t)llround(n), &i);
	whole_number(t, n > 0 ? 100 * waited / n : (double)NAN, 4);
	whole_number(t, 100 * i.low, 4);
	whole_number(t, 100 * i.high, 4);
}

static void write_system(struct rows *t, const struct idle_run *run, const struct idle_system *s, struct means *v)
{
	static const size_t intervals[] = { offsetof(struct idle_cell, system), offsetof(struct idle_cell, class[LOST_OWN]), offsetof(struct idle_cell, class[LOST_KERNEL]) };
	static const size_t means[] = { offsetof(struct idle_cell, class[LOST_FOREIGN]), offsetof(struct idle_cell, class[LOST_ITSELF]),
					offsetof(struct idle_cell, class[LOST_ENDED]), offsetof(struct idle_cell, class[LOST_UNEXPLAINED]), offsetof(struct idle_cell, tick),
					offsetof(struct idle_cell, all), offsetof(struct idle_cell, accounted), offsetof(struct idle_cell, events) };
	const struct idle_system *none = without(run);
	int64_t complete = 0, marked = 0;
	double seconds = 0, wakeups = 0;

	for (int64_t r = 0; r < run->repeats; r++) {
		complete += s->cell[r].complete;
		marked += s->cell[r].complete && s->cell[r].marked;
		seconds += s->cell[r].complete ? s->cell[r].wall_s : 0;
		wakeups += s->cell[r].complete && s->cell[r].wakeups > 0 ? s->cell[r].wakeups : 0;
	}
	rows_str(t, s->name);
	rows_int(t, s->sessions);
	rows_str(t, complete ? "measured" : "failed");
	rows_int(t, complete);
	rows_int(t, run->repeats - complete);
	rows_int(t, marked);
	whole_number(t, seconds, 1);
	for (size_t i = 0; i < sizeof(intervals) / sizeof(*intervals); i++) {
		collect(run, s, intervals[i], 1, v);
		means_write(t, v, 0, 4, run->seed);
	}
	v->n = 0;
	for (int64_t r = 0; none && none != s && r < run->repeats; r++)
		if (s->cell[r].complete && none->cell[r].complete)
			means_add(v, s->cell[r].system - none->cell[r].system);
	means_write(t, v, -INFINITY, 4, run->seed);
	for (size_t i = 0; i < sizeof(means) / sizeof(*means); i++)
		whole_number(t, plain_mean(run, s, means[i], v), 4);
	whole_number(t, largest(run, s, offsetof(struct idle_cell, longest_ms), v), 4);
	whole_number(t, largest(run, s, offsetof(struct idle_cell, foreign_percent), v), 3);
	whole_number(t, largest(run, s, offsetof(struct idle_cell, steal_percent), v), 3);
	rows_int(t, llround(wakeups));
	for (int w = 0; w < IDLE_WAITS; w++)
		write_waits(t, run, s, w, v);
	rows_end(t);
}

static const char *const slope_columns[] = {
	"system", "what", "repeats", "sessions_max", "slope_ms_per_min", "slope_ms_per_min_low", "slope_ms_per_min_high", "slope_cpu_percent", NULL,
};

/* One line per repeat, through the machine without a session and every number of sessions of the one protocol. */
static void write_slope(struct rows *t, const struct idle_run *run, const char *what, size_t offset, double *x, double *y, struct means *v)
{
	int64_t most = 0;

	v->n = 0;
	for (int64_t r = 0; r < run->repeats; r++) {
		size_t n = 0;

		for (size_t i = 0; i < run->systems; i++) {
			const struct idle_system *s = &run->system[i];

			if ((s->sessions && strcmp(s->name, run->protocol)) || !s->cell[r].complete || !isfinite(*at(&s->cell[r], offset)))
				continue;
			x[n] = (double)s->sessions;
			y[n++] = *at(&s->cell[r], offset);
			if (s->sessions > most)
				most = s->sessions;
		}
		if (n)
			means_add(v, means_slope(x, y, n, NULL));
	}
	if (!v->n)
		return;
	rows_str(t, run->protocol);
	rows_str(t, what);
	rows_int(t, (int64_t)v->n);
	rows_int(t, most);
	means_write(t, v, -INFINITY, 4, run->seed);
	whole_number(t, 100 * means_of(v) / MINUTE_MS, 5);
	rows_end(t);
}

int idle_tables(const char *folder, const struct idle_run *run, const char **file)
{
	struct means v = { calloc((size_t)run->repeats + 1, sizeof(double)), 0 };
	double *x = calloc(run->systems + 1, sizeof(*x)), *y = calloc(run->systems + 1, sizeof(*y));
	struct whole summary, slope;
	int err = v.v && x && y ? 0 : -ENOMEM;

	*file = "summary.tsv";
	err = err ? err : whole_open(&summary, folder, "summary.tsv", "idle/1", summary_columns);
	if (!err) {
		for (size_t s = 0; s < run->systems; s++)
			write_system(summary.rows, run, &run->system[s], &v);
		err = whole_close(&summary);
	}
	if (!err) {
		*file = "slope.tsv";
		err = whole_open(&slope, folder, "slope.tsv", "idle-slope/1", slope_columns);
	}
	if (!err) {
		write_slope(slope.rows, run, "system", offsetof(struct idle_cell, system), x, y, &v);
		write_slope(slope.rows, run, "own", offsetof(struct idle_cell, class[LOST_OWN]), x, y, &v);
		write_slope(slope.rows, run, "kernel", offsetof(struct idle_cell, class[LOST_KERNEL]), x, y, &v);
		err = whole_close(&slope);
	}
	free(v.v);
	free(x);
	free(y);
	return err;
}
