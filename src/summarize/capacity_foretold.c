// SPDX-License-Identifier: GPL-3.0-or-later
#include "capacity.h"
#include "capacity_model.h"
#include "means.h"
#include "whole.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* What the first third of the curve tells: the rows with at most a third of the first number of users for which the criterion did not hold (or of the most
 * there were, where it held for all), at least three of them, all of which it held for. */
#define ROWS_LEAST 3
#define ROWS_MAX 4096
#define APDEX_T 100.0	/* ms: data/thresholds.tsv, apdex_target */

struct third {
	const struct capacity_step *row[ROWS_MAX];
	size_t n;
	double most;		/* the largest number of users among them */
};

static int by_users(const struct capacity_step *a, const struct capacity_step *b)
{
	return (a->users > b->users) - (a->users < b->users);
}

/* Of one repeat, in ascending order, behind those that are there. */
static void add_third(const struct capacity_system *s, const struct capacity_limit *l, struct third *t)
{
	size_t first = t->n, kept;
	double end = l->reached ? l->beyond : INFINITY, most = 0;

	for (size_t i = 0; i < s->steps && t->n < ROWS_MAX; i++) {
		const struct capacity_step *step = &s->step[i];
		size_t at;

		if (step->repeat != l->repeat)
			continue;
		most = fmax(most, (double)step->users);
		if ((double)step->users >= end || !isfinite(step->of[CAPACITY_OWN]) || !isfinite(step->of[CAPACITY_KEYS]))
			continue;
		for (at = t->n++; at > first && by_users(t->row[at - 1], step) > 0; at--)
			t->row[at] = t->row[at - 1];
		t->row[at] = step;
	}
	if (!l->reached)
		end = most;
	kept = first;
	while (kept < t->n && (kept - first < ROWS_LEAST || (double)t->row[kept]->users * 3 <= end))
		kept++;
	t->n = kept - first < ROWS_LEAST ? first : kept;
	if (t->n > first)
		t->most = fmax(t->most, (double)t->row[t->n - 1]->users);
}

/* All repeats together, or one (0: all). */
static void collect(const struct capacity_system *s, const char *criterion, int64_t repeat, struct third *t)
{
	t->n = 0;
	t->most = 0;
	for (size_t i = 0; i < s->limits; i++)
		if (!strcmp(s->limit[i].criterion, criterion) && (!repeat || s->limit[i].repeat == repeat))
			add_third(s, &s->limit[i], t);
}

static bool line_of(const struct third *t, enum capacity_figure x, enum capacity_figure y, double scale, struct capacity_line *l)
{
	static double xs[ROWS_MAX], ys[ROWS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		double at = x == CAPACITY_FIGURES ? (double)t->row[i]->users : t->row[i]->of[x], v = t->row[i]->of[y];

		if (isfinite(at) && isfinite(v)) {
			xs[n] = at;
			ys[n++] = scale * v;
		}
	}
	return capacity_line_fit(xs, ys, n, l);
}

/* What is full first by the line of its use alone, the user at the link or the viewers; those that do not grow are never full. */
static const struct resource {
	const char *name;
	enum capacity_figure figure;
} lines[] = { { "CPU", CAPACITY_OWN }, { "viewers", CAPACITY_CLIENT }, { "link", CAPACITY_LINK } };
enum { LINES = sizeof(lines) / sizeof(*lines) };

struct forecast {
	double most, low, high;		/* users; NAN: none */
	const char *of, *why;		/* what is at its limit then; why there is none */
};

static double bound(const struct capacity_model *m, const struct capacity_line *l, int side)
{
	return floor(capacity_model_users(m, capacity_line_reaches(l, 100, side)) + 1e-9);
}

static struct forecast foretell(const struct capacity_run *run, const struct capacity_system *s, const struct third *t, const char *criterion)
{
	struct forecast f = { NAN, NAN, NAN, "", "" };
	struct capacity_model m = { .servers = s->servers, .rate = run->rate, .typing = run->typing };
	struct capacity_line l;
	double value, ones = 0;
	bool apdex;

	f.why = "fewer than three numbers of users were good";
	if (t->n < ROWS_LEAST || !capacity_criterion(criterion, &apdex, &value) || !(run->typing > 0) || !(run->rate > 0))
		return f;
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i]->users == 1 && isfinite(t->row[i]->of[CAPACITY_P95])) {
			m.mean_ms += t->row[i]->of[CAPACITY_MEAN];
			m.p95_ms += t->row[i]->of[CAPACITY_P95];
			ones++;
		}
	f.why = "one user alone was not measured";
	if (!(ones > 0))
		return f;
	m.mean_ms /= ones;
	m.p95_ms /= ones;
	f.why = "the first third tells nothing: the interval of what a key takes of the CPU holds 0";
	if (!line_of(t, CAPACITY_KEYS, CAPACITY_OWN, 0.01, &m.cpu) || !(m.cpu.low > 0))
		return f;
	f = (struct forecast){ capacity_model_most(&m, apdex, value, APDEX_T, 0), capacity_model_most(&m, apdex, value, APDEX_T, 1),
			       capacity_model_most(&m, apdex, value, APDEX_T, -1), "CPU", "" };
	for (size_t i = 1; i < LINES; i++) {
		double most;

		if (!line_of(t, CAPACITY_KEYS, lines[i].figure, 1, &l) || !(l.low > 0))
			continue;
		most = bound(&m, &l, 0);
		if (most < f.most)
			f = (struct forecast){ most, fmin(f.low, bound(&m, &l, 1)), bound(&m, &l, -1), lines[i].name, "" };
	}
	return f;
}

void capacity_write_forecast(struct rows *t, const struct capacity_run *run, const struct capacity_system *s, const char *criterion, struct means *m)
{
	static struct third third;
	struct forecast all;
	double from;

	collect(s, criterion, 0, &third);
	from = third.n ? third.most : (double)NAN;
	all = foretell(run, s, &third, criterion);
	whole_number(t, all.most, 0);
	whole_number(t, all.low, 0);
	whole_number(t, all.high, 0);
	m->n = 0;
	for (size_t i = 0; i < s->limits; i++)
		if (!strcmp(s->limit[i].criterion, criterion)) {
			collect(s, criterion, s->limit[i].repeat, &third);
			means_add(m, foretell(run, s, &third, criterion).most);
		}
	means_write(t, m, 0, 2, run->seed);
	rows_str(t, all.of);
	rows_str(t, all.why);
	whole_number(t, from, 0);
}

/* --- what a key needs ------------------------------------------------------------------------------------------ */

static const char *const slope_columns[] = { "system", "criterion", "name", "points", "none", "slope", "slope_low", "slope_high", "users", "users_low", "users_high", NULL };

static void write_slope(struct rows *t, const struct capacity_system *s, const char *criterion, const char *name, const struct capacity_line *l, double start, double scale,
			double users, double least, double most)
{
	rows_str(t, s->name);
	rows_str(t, criterion);
	rows_str(t, name);
	rows_int(t, (int64_t)l->n);
	whole_number(t, start, 4);
	whole_number(t, scale * l->slope, 4);
	whole_number(t, scale * l->low, 4);
	whole_number(t, scale * l->high, 4);
	whole_number(t, users, 1);
	whole_number(t, least, 1);
	whole_number(t, most, 1);
	rows_end(t);
}

static void slopes_of(struct rows *t, const struct capacity_run *run, const struct capacity_system *s, const char *criterion, const struct third *third)
{
	const struct capacity_model m = { .rate = run->rate, .typing = run->typing };
	struct capacity_line l;

	for (size_t i = 0; i < LINES; i++) {
		double users[3];

		if (!line_of(third, CAPACITY_KEYS, lines[i].figure, 1, &l))
			continue;
		for (int side = -1; side <= 1; side++)
			users[side + 1] = l.slope > 0 ? capacity_model_users(&m, capacity_line_reaches(&l, 100, side)) : (double)NAN;
		/* a CPU's percent for a key a second is 10 ms of its time for a key, for each CPU there is */
		write_slope(t, s, criterion, lines[i].name, &l, l.start, i == 0 ? 10 * s->servers : 1, users[1], users[2], users[0]);
	}
	/* of memory, what a user takes; what is available shrinks */
	if (line_of(third, CAPACITY_FIGURES, CAPACITY_AVAILABLE, -1.0 / 1048576, &l)) {
		double users[3];

		for (int side = -1; side <= 1; side++)
			users[side + 1] = l.slope > 0 ? capacity_line_reaches(&l, 0, side) : (double)NAN;
		write_slope(t, s, criterion, "memory", &l, -l.start, 1, users[1], users[2], users[0]);
	}
}

int capacity_write_slopes(const char *folder, const struct capacity_run *run)
{
	static struct third third;
	struct whole w;
	int err = whole_open(&w, folder, "slope.tsv", "capacity-slope/1", slope_columns);

	if (err)
		return err;
	for (size_t i = 0; i < run->systems; i++) {
		const struct capacity_system *s = &run->system[i];

		for (size_t k = 0; k < s->limits; k++)
			if (!capacity_seen_before(s, k)) {
				collect(s, s->limit[k].criterion, 0, &third);
				if (third.n)
					slopes_of(w.rows, run, s, s->limit[k].criterion, &third);
			}
	}
	return whole_close(&w);
}
