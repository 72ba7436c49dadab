// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyze.h"
#include "memory.h"

#define MASS_HALF 2.5	      /* a paint of this mass has half of the greatest worth */
#define WEAK 0.5	      /* share of the best paint's worth below which a paint is not the response */
#define ALONE 0.5	      /* factor of the confidence when there is only one run */
#define HOVER_US 400000	      /* longest response time of a movement */
#define HOVER_SPREAD_US 50000 /* by how much it may differ between runs, besides 1.5 times the fastest run */
#define LONG_US 1000000 /* a paint later than this after a press, and within JUST_US of a movement, is the movement's response */
#define JUST_US 250000

struct response_finder {
	const struct analyzed_run *run;
	int runs;
	const struct paint_pieces *pieces;
	struct responses *out;
	struct paint_burst *paint; /* the paints after one input */
	size_t n_paints;
	int64_t *times; /* storage of their times */
	int64_t *moved; /* for each run: index of the last movement before a paint */
};

static double paint_weight(const struct paint_burst *p)
{
	return p->share * p->mass / (p->mass + MASS_HALF);
}

/* Gathers the paints after one input, whose first piece is `first`. Returns the first piece of the next input. */
static size_t collect_paints(struct response_finder *f, size_t first)
{
	size_t n = first;
	int32_t cause = f->pieces->piece[first].cause;

	while (n < f->pieces->n && f->pieces->piece[n].cause == cause)
		n++;
	for (f->n_paints = 0; first < n; first += f->paint[f->n_paints++].n) {
		struct paint_burst *p = &f->paint[f->n_paints];

		p->shown_us = f->times + f->n_paints * 2 * (size_t)f->runs;
		p->whole_us = p->shown_us + f->runs;
		paint_gather_burst(f->run, f->pieces, first, p);
	}
	return n;
}

struct response *responses_add(struct responses *out, int runs)
{
	struct response *a;

	memory_more(out->item, out->n);
	a = &out->item[out->n++];
	*a = (struct response){ .press_us = memory_new(4 * (size_t)runs, sizeof(*a->press_us)) };
	a->release_us = a->press_us + runs;
	a->complete_us = a->release_us + runs;
	a->shown_us = a->complete_us + runs;
	for (int i = 0; i < 4 * runs; i++)
		a->press_us[i] = RESPONSE_NONE;
	return a;
}

static void mark_updates(struct response_finder *f, const struct paint_burst *p)
{
	for (size_t i = p->first; i < p->first + p->n; i++)
		for (int r = 0; r < f->runs; r++)
			if (f->pieces->piece[i].at[r] != ALIGN_NONE)
				f->run[r].used[f->pieces->piece[i].at[r]] = 1;
}

static const struct paint_burst *find_response_paint(const struct response_finder *f, double *best)
{
	*best = 0;
	for (size_t i = 0; i < f->n_paints; i++)
		if (paint_weight(&f->paint[i]) > *best)
			*best = paint_weight(&f->paint[i]);
	for (size_t i = 0; i < f->n_paints; i++)
		if (paint_weight(&f->paint[i]) > 0 && paint_weight(&f->paint[i]) >= WEAK * *best)
			return &f->paint[i];
	return NULL;
}

/* The paint that responds to the release, where `first` came before the release in all runs that have both: a button looks pressed,
 * and then acts. Paints lighter than WEAK times `best_weight`, that of the heaviest paint, don't count. NULL: none. */
static const struct paint_burst *find_release_paint(const struct response_finder *f, const struct paint_burst *first,
						    double best_weight)
{
	for (const struct paint_burst *p = first + 1; p < f->paint + f->n_paints; p++) {
		int before = 0, after = 0, both = 0;

		if (paint_weight(p) < WEAK * best_weight)
			continue;
		for (int r = 0; r < f->runs; r++) {
			int64_t release = f->run[r].stimulus[p->cause].release_us;

			if (p->shown_us[r] == RESPONSE_NONE || first->shown_us[r] == RESPONSE_NONE || release < 0)
				continue;
			both++;
			before += first->shown_us[r] < release;
			after += p->shown_us[r] >= release;
		}
		if (both && before == both && after == both)
			return p;
	}
	return NULL;
}

static double rate_confidence(const struct response_finder *f, const struct paint_burst *p, double rival)
{
	double own = paint_weight(p);

	return p->share * (0.5 + 0.5 * p->mass / (p->mass + 1)) * (own / (own + rival / 2)) * (f->runs < 2 ? ALONE : 1);
}

static double best_earlier_weight(const struct response_finder *f, const struct paint_burst *chosen)
{
	double best = 0;

	for (const struct paint_burst *p = f->paint; p < chosen; p++) /* earlier paints that were too weak */
		best = paint_weight(p) > best ? paint_weight(p) : best;
	return best;
}

/* From an input to a paint. (A time that the log rounded down to ms may come before the input.) */
static int64_t since_input(int64_t shown_us, int64_t sent_us)
{
	return shown_us < sent_us && shown_us > sent_us - 1000 ? 0 : shown_us - sent_us;
}

static void add_press_response(struct response_finder *f, const struct paint_burst *p, double best)
{
	const struct paint_burst *later = find_release_paint(f, p, best);
	struct response *a = responses_add(f->out, f->runs);

	a->at_us = -1;
	for (int r = 0; r < f->runs; r++) {
		const struct stimulus *s = &f->run[r].stimulus[p->cause];
		const struct paint_burst *of = later ? later : p;

		if (p->shown_us[r] == RESPONSE_NONE)
			continue;
		a->kind = s->kind;
		a->input = s->n;
		if (a->at_us < 0)
			a->at_us = s->press_us;
		a->shown_us[r] = p->shown_us[r];
		a->press_us[r] = since_input(p->shown_us[r], s->press_us);
		a->complete_us[r] = since_input(p->whole_us[r], s->press_us);
		if (s->release_us >= 0 && of->shown_us[r] != RESPONSE_NONE)
			a->release_us[r] = of->shown_us[r] - s->release_us;
	}
	a->confidence = rate_confidence(f, p, best_earlier_weight(f, p));
	a->tiles = p->tiles;
	mark_updates(f, p);
	if (later)
		mark_updates(f, later);
}

static int64_t find_last_move(const struct analyzed_run *run, int64_t before_us)
{
	size_t from = 0, to = run->replay->moves;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (run->replay->move[middle].at_us < before_us)
			from = middle + 1;
		else
			to = middle;
	}
	return (int64_t)from - 1;
}

static const struct sent_input *find_move(const struct analyzed_run *run, int n, int64_t near)
{
	for (; near >= 0; near--)
		if (run->replay->move[near].n <= n)
			return run->replay->move[near].n == n ? &run->replay->move[near] : NULL;
	return NULL;
}

/* Number of the movement that a paint follows closely in all runs that have the paint; -1: none. Sets f->moved. */
static int find_causing_move(const struct response_finder *f, const struct paint_burst *p, int64_t most_us)
{
	int n = INT32_MAX;
	int64_t least = INT64_MAX, most = 0;

	for (int r = 0; r < f->runs; r++) {
		if (p->shown_us[r] == RESPONSE_NONE)
			continue;
		f->moved[r] = find_last_move(&f->run[r], p->shown_us[r]);
		if (f->moved[r] < 0)
			return -1;
		if (f->run[r].replay->move[f->moved[r]].n < n)
			n = f->run[r].replay->move[f->moved[r]].n;
	}
	for (int r = 0; r < f->runs; r++) {
		const struct sent_input *m = p->shown_us[r] == RESPONSE_NONE ? NULL : find_move(&f->run[r], n, f->moved[r]);
		int64_t us;

		if (p->shown_us[r] == RESPONSE_NONE)
			continue;
		if (!m || m->at_us < f->run[r].stimulus[p->cause].press_us)
			return -1;
		us = p->shown_us[r] - m->at_us;
		least = us < least ? us : least;
		most = us > most ? us : most;
	}
	return n == INT32_MAX || most > most_us || most - least > HOVER_SPREAD_US + 3 * least / 2 ? -1 : n;
}

/* Whether a paint is long after the press and just after a movement, in all runs that have it. */
static bool is_move_response(const struct response_finder *f, const struct paint_burst *p)
{
	for (int r = 0; r < f->runs; r++)
		if (p->shown_us[r] != RESPONSE_NONE && p->shown_us[r] - f->run[r].stimulus[p->cause].press_us < LONG_US)
			return false;
	return find_causing_move(f, p, JUST_US) >= 0;
}

static void add_move_response(struct response_finder *f, const struct paint_burst *p)
{
	int n = find_causing_move(f, p, HOVER_US);
	struct response *a;

	if (n < 0 || (f->runs > 1 && p->share * f->runs < 2) || p->share < 0.5)
		return;
	for (size_t i = f->out->n; i-- > 0 && i + 256 > f->out->n;)
		if (f->out->item[i].kind == STIMULUS_MOVE && f->out->item[i].input == n)
			return;
	a = responses_add(f->out, f->runs);
	a->kind = STIMULUS_MOVE;
	a->input = n;
	a->at_us = -1;
	for (int r = 0; r < f->runs; r++) {
		const struct sent_input *m = p->shown_us[r] == RESPONSE_NONE ? NULL : find_move(&f->run[r], n, f->moved[r]);

		if (!m)
			continue;
		if (a->at_us < 0)
			a->at_us = m->at_us;
		a->shown_us[r] = p->shown_us[r];
		a->press_us[r] = since_input(p->shown_us[r], m->at_us);
		a->complete_us[r] = since_input(p->whole_us[r], m->at_us);
	}
	a->confidence = rate_confidence(f, p, 0) / 2;
	a->tiles = p->tiles;
	mark_updates(f, p);
}

static int compare_inputs(const void *a, const void *b)
{
	const struct response *x = a, *y = b;

	return (x->input > y->input) - (x->input < y->input);
}

void responses_find(const struct analyzed_run *run, int runs, struct common_changes *changes, struct responses *out)
{
	struct paint_pieces pieces;
	struct response_finder f = { .run = run, .runs = runs, .pieces = &pieces, .out = out };

	*out = (struct responses){ 0 };
	paint_group_pieces(run, runs, changes, &pieces);
	f.moved = memory_new((size_t)runs, sizeof(*f.moved));
	f.paint = memory_new(pieces.n, sizeof(*f.paint));
	f.times = memory_new(pieces.n * 2 * (size_t)runs, sizeof(*f.times));
	for (size_t at = 0; at < pieces.n;) {
		const struct paint_burst *first;
		double best;

		at = collect_paints(&f, at);
		first = find_response_paint(&f, &best);
		if (first && (run[0].stimulus[first->cause].kind == STIMULUS_MOVE || is_move_response(&f, first)))
			first = NULL;
		if (first)
			add_press_response(&f, first, best);
		for (const struct paint_burst *p = first ? first + 1 : f.paint; p < f.paint + f.n_paints; p++)
			if (paint_weight(p) > 0)
				add_move_response(&f, p);
	}
	free(f.moved);
	free(f.paint);
	free(f.times);
	paint_pieces_free(&pieces);
	if (out->n)
		qsort(out->item, out->n, sizeof(*out->item), compare_inputs);
}

void responses_free(struct responses *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->item[i].press_us);
	free(a->item);
	*a = (struct responses){ 0 };
}
