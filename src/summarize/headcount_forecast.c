// SPDX-License-Identifier: GPL-3.0-or-later
#include "headcount.h"
#include "mdm.h"
#include "estimate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* What the first third of the curve tells: the rows with at most a third of the first number of users for which the criterion did
 * not hold (or of the most there were, where it held for all), at least three of them, all of which it held for. */
#define ROWS_LEAST 3
#define ROWS_MAX 4096
#define APDEX_T 100.0	/* ms: data/thresholds.tsv, apdex_target */

struct third {
	const struct headcount_step *row[ROWS_MAX];
	size_t n;
	double most;		/* the largest number of users among them */
};

static int by_users(const struct headcount_step *a, const struct headcount_step *b)
{
	return (a->users > b->users) - (a->users < b->users);
}

/* Of one repeat, in ascending order, behind those that are there. */
static void add_third(const struct headcount_system *s, const struct headcount_limit *l, struct third *t)
{
	size_t first = t->n, kept;
	double end = l->reached ? l->beyond : INFINITY, most = 0;

	for (size_t i = 0; i < s->steps && t->n < ROWS_MAX; i++) {
		const struct headcount_step *step = &s->step[i];
		size_t at;

		if (step->repeat != l->repeat)
			continue;
		most = fmax(most, (double)step->users);
		if ((double)step->users >= end || !isfinite(step->of[HEADCOUNT_OWN]) || !isfinite(step->of[HEADCOUNT_KEYS]))
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
static void collect(const struct headcount_system *s, const char *criterion, int64_t repeat, struct third *t)
{
	t->n = 0;
	t->most = 0;
	for (size_t i = 0; i < s->limits; i++)
		if (!strcmp(s->limit[i].criterion, criterion) && (!repeat || s->limit[i].repeat == repeat))
			add_third(s, &s->limit[i], t);
}

static bool line_of(const struct third *t, enum headcount_figure x, enum headcount_figure y, double scale, struct mdm_line *l)
{
	static double xs[ROWS_MAX], ys[ROWS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		double at = x == HEADCOUNT_FIGURES ? (double)t->row[i]->users : t->row[i]->of[x];
		double v = t->row[i]->of[y];

		if (isfinite(at) && isfinite(v)) {
			xs[n] = at;
			ys[n++] = scale * v;
		}
	}
	return mdm_line_fit(xs, ys, n, l);
}

/* What is full first by the line of its use alone, the user at the link or the viewers; those that do not grow are never full. */
static const struct resource {
	const char *name;
	enum headcount_figure figure;
} lines[] = { { "CPU", HEADCOUNT_OWN }, { "viewers", HEADCOUNT_CLIENT }, { "link", HEADCOUNT_LINK } };
enum { LINES = sizeof(lines) / sizeof(*lines) };

struct forecast {
	double most, low, high;		/* users; NAN: none */
	const char *of, *why;		/* what is at its limit then; why there is none */
};

static double bound(const struct mdm *m, const struct mdm_line *l, int side)
{
	return floor(mdm_users(m, mdm_line_reaches(l, 100, side)) + 1e-9);
}

static struct forecast foretell(const struct headcount *h, const struct headcount_system *s, const struct third *t,
				const char *criterion)
{
	struct forecast f = { NAN, NAN, NAN, "", "" };
	struct mdm m = { .servers = s->servers, .rate = h->rate, .typing = h->typing };
	struct mdm_line l;
	double value, ones = 0;
	bool apdex;

	f.why = "fewer than three numbers of users were good";
	if (t->n < ROWS_LEAST || !headcount_criterion(criterion, &apdex, &value) || !(h->typing > 0) || !(h->rate > 0))
		return f;
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i]->users == 1 && isfinite(t->row[i]->of[HEADCOUNT_P95])) {
			m.mean_ms += t->row[i]->of[HEADCOUNT_MEAN];
			m.p95_ms += t->row[i]->of[HEADCOUNT_P95];
			ones++;
		}
	f.why = "one user alone was not measured";
	if (!(ones > 0))
		return f;
	m.mean_ms /= ones;
	m.p95_ms /= ones;
	f.why = "the first third tells nothing: the interval of what a key takes of the CPU holds 0";
	if (!line_of(t, HEADCOUNT_KEYS, HEADCOUNT_OWN, 0.01, &m.cpu) || !(m.cpu.low > 0))
		return f;
	f = (struct forecast){ mdm_most(&m, apdex, value, APDEX_T, 0), mdm_most(&m, apdex, value, APDEX_T, 1),
			       mdm_most(&m, apdex, value, APDEX_T, -1), "CPU", "" };
	for (size_t i = 1; i < LINES; i++) {
		double most;

		if (!line_of(t, HEADCOUNT_KEYS, lines[i].figure, 1, &l) || !(l.low > 0))
			continue;
		most = bound(&m, &l, 0);
		if (most < f.most)
			f = (struct forecast){ most, fmin(f.low, bound(&m, &l, 1)), bound(&m, &l, -1), lines[i].name, "" };
	}
	return f;
}

void headcount_forecast(const struct headcount *h, const struct headcount_system *s, const char *criterion, struct table_out *out)
{
	static struct third third;
	struct figure each = { NAN, NAN, NAN, false };
	struct forecast all;
	size_t n = 0;

	collect(s, criterion, 0, &third);
	row_number(out, "forecast_from", third.n ? third.most : (double)NAN);
	all = foretell(h, s, &third, criterion);
	row_figure(out, "forecast", &(struct figure){ all.most, all.low, all.high, false });
	row_text(out, "forecast_of", all.of);
	row_text(out, "forecast_why", all.why);
	for (size_t i = 0; i < s->limits; i++)
		if (!strcmp(s->limit[i].criterion, criterion)) {
			collect(s, criterion, s->limit[i].repeat, &third);
			h->value[n++] = foretell(h, s, &third, criterion).most;
		}
	/* (without room for the bootstrap there is no interval) */
	estimate(ESTIMATE_MEAN_CI, h->value, NULL, n, h->run->draws, (uint64_t)h->run->seed, &each);
	row_figure(out, "forecast_repeats", &each);
}

/* --- what a key needs ------------------------------------------------------------------------------------------ */

static void slope_row(struct table_out *out, const struct headcount_system *s, const char *criterion, const char *name,
		      const struct mdm_line *l, double scale, const double users[3])
{
	bool memory = !strcmp(name, "memory");

	row_text(out, "system", s->name);
	row_params(out, s->cell);
	row_text(out, "criterion", criterion);
	row_text(out, "name", name);
	row_number(out, "points", (double)l->n);
	row_number(out, "none", memory ? -l->start : l->start);
	row_figure(out, "slope", &(struct figure){ scale * l->slope, scale * l->low, scale * l->high, false });
	row_figure(out, "users", &(struct figure){ users[1], users[2], users[0], false });
	row_end(out);
}

void headcount_slopes(const struct headcount *h, const struct headcount_system *s, const char *criterion, struct table_out *out)
{
	const struct mdm m = { .rate = h->rate, .typing = h->typing };
	static struct third third;
	struct mdm_line l;
	double users[3];

	collect(s, criterion, 0, &third);
	for (size_t i = 0; third.n && i < LINES; i++) {
		if (!line_of(&third, HEADCOUNT_KEYS, lines[i].figure, 1, &l))
			continue;
		for (int side = -1; side <= 1; side++)
			users[side + 1] = l.slope > 0 ? mdm_users(&m, mdm_line_reaches(&l, 100, side)) : (double)NAN;
		/* a CPU's percent for a key a second is 10 ms of its time for a key, for each CPU there is */
		slope_row(out, s, criterion, lines[i].name, &l, i == 0 ? 10 * s->servers : 1, users);
	}
	/* of memory, what a user takes; what is available shrinks */
	if (!third.n || !line_of(&third, HEADCOUNT_FIGURES, HEADCOUNT_AVAILABLE, -1.0 / 1048576, &l))
		return;
	for (int side = -1; side <= 1; side++)
		users[side + 1] = l.slope > 0 ? mdm_line_reaches(&l, 0, side) : (double)NAN;
	slope_row(out, s, criterion, "memory", &l, 1, users);
}
