// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyze.h"
#include "ascending.h"
#include "memory.h"

#define ABSORB 2	   /* a piece merges into a neighbour of at least this many times its weight */
#define ABSORB_DRAW 8	   /* the same where as many runs separate the two as show them together */
#define PRESENT 0.25	   /* least share of a paint's mass that a run must show to have the paint */
#define PRESENT_SHARED 0.7 /* the same where the run shows it together with the response to another input */
#define APART_US 300000
#define EDGE 0.03 /* share of the mass that is ignored at the beginning and at the end of a paint */

static int compare_pieces(const void *a, const void *b, void *whose)
{
	const struct common_changes *s = whose;
	size_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (s->change[x].cause != s->change[y].cause)
		return s->change[x].cause < s->change[y].cause ? -1 : 1;
	for (int r = 0; r < s->runs; r++) {
		uint32_t ax = s->at[x * (size_t)s->runs + (size_t)r], ay = s->at[y * (size_t)s->runs + (size_t)r];

		if (ax != ay)
			return ax < ay ? -1 : 1;
	}
	return 0;
}

static int compare_times(const void *a, const void *b)
{
	const struct paint_piece *x = a, *y = b;

	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	return (x->since_us > y->since_us) - (x->since_us < y->since_us);
}

static double median(double *v, size_t n)
{
	if (!n)
		return 0;
	qsort(v, n, sizeof(*v), ascending_double);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static int64_t update_time_us(const struct analyzed_run *run, int r, uint32_t at)
{
	return run[r].replay->tiles.update[at].us;
}

static void set_piece_time(const struct analyzed_run *run, int runs, struct paint_piece *p, double *scratch)
{
	size_t n = 0;

	for (int r = 0; r < runs; r++)
		if (p->at[r] != ALIGN_NONE && run[r].stimulus[p->cause].press_us >= 0)
			scratch[n++] = (double)(update_time_us(run, r, p->at[r]) - run[r].stimulus[p->cause].press_us);
	p->since_us = median(scratch, n);
}

static void collect_pieces(const struct analyzed_run *run, int runs, struct common_changes *s, struct paint_pieces *out)
{
	double *scratch = memory_new((size_t)runs, sizeof(*scratch));
	uint32_t *order = memory_new(s->n, sizeof(*order));
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, s->n, sizeof(*order), compare_pieces, s);
	for (size_t i = 0; i < s->n; i++)
		n += !i || compare_pieces(&order[i - 1], &order[i], s) != 0;
	out->piece = memory_new(n, sizeof(*out->piece));
	out->at = memory_new(n * (size_t)runs, sizeof(*out->at));
	for (size_t i = 0; i < s->n; i++) {
		struct paint_piece *p;

		if (!i || compare_pieces(&order[i - 1], &order[i], s) != 0) {
			p = &out->piece[out->n];
			p->at = out->at + out->n++ * (size_t)runs;
			p->cause = s->change[order[i]].cause;
			memcpy(p->at, s->at + order[i] * (size_t)runs, (size_t)runs * sizeof(*p->at));
			set_piece_time(run, runs, p, scratch);
		}
		p = &out->piece[out->n - 1];
		p->tiles++;
		p->mass += s->change[order[i]].seen ? 0.5 : 1;
	}
	free(order);
	free(scratch);
	qsort(out->piece, out->n, sizeof(*out->piece), compare_times);
}

static bool piece_belongs(const struct paint_piece *small, const struct paint_piece *large, int runs)
{
	int agree = 0, differ = 0;

	if (large->mass < ABSORB * small->mass)
		return false;
	for (int r = 0; r < runs; r++) {
		if (small->at[r] == ALIGN_NONE || large->at[r] == ALIGN_NONE)
			continue;
		agree += small->at[r] == large->at[r];
		differ += small->at[r] != large->at[r];
	}
	return agree && (agree > differ || (agree == differ && large->mass >= ABSORB_DRAW * small->mass));
}

/* Merges small pieces that the alignment split off into the piece that most runs have them in. */
static void merge_pieces(struct paint_pieces *p, int runs)
{
	size_t from = 0, n = 0;

	if (runs < 2)
		return;
	for (size_t i = 0; i < p->n; i++) {
		struct paint_piece *small = &p->piece[i], *into = NULL;

		while (p->piece[from].cause < small->cause - ALIGN_REACH)
			from++;
		for (size_t j = from; j < p->n && p->piece[j].cause <= small->cause + ALIGN_REACH; j++)
			if (j != i && p->piece[j].tiles && piece_belongs(small, &p->piece[j], runs) &&
			    (!into || p->piece[j].mass > into->mass))
				into = &p->piece[j];
		if (!into)
			continue;
		into->mass += small->mass;
		into->tiles += small->tiles;
		small->tiles = 0;
	}
	for (size_t i = 0; i < p->n; i++)
		if (p->piece[i].tiles)
			p->piece[n++] = p->piece[i];
	p->n = n;
}

static void find_main_pieces(const struct analyzed_run *run, int runs, struct paint_pieces *p)
{
	p->owner = memory_new((size_t)runs, sizeof(*p->owner));
	for (int r = 0; r < runs; r++)
		p->owner[r] = memory_new(run[r].replay->tiles.n_updates, sizeof(**p->owner));
	for (size_t i = 0; i < p->n; i++)
		for (int r = 0; r < runs; r++) {
			uint32_t at = p->piece[i].at[r];

			if (at != ALIGN_NONE && p->owner[r][at].mass < p->piece[i].mass)
				p->owner[r][at] = (struct main_piece){ p->piece[i].cause, p->piece[i].mass };
		}
}

void paint_group_pieces(const struct analyzed_run *run, int runs, struct common_changes *changes, struct paint_pieces *out)
{
	*out = (struct paint_pieces){ .runs = runs };
	collect_pieces(run, runs, changes, out);
	merge_pieces(out, runs);
	find_main_pieces(run, runs, out);
}

void paint_pieces_free(struct paint_pieces *p)
{
	for (int r = 0; r < p->runs; r++)
		free(p->owner[r]);
	free(p->owner);
	free(p->piece);
	free(p->at);
	*p = (struct paint_pieces){ 0 };
}

/* Whether a piece was shown within RESPONSE_GAP_US of the paint so far, in three quarters of the runs that have both. */
static bool piece_follows(const struct analyzed_run *run, const struct paint_pieces *p, const struct paint_piece *next,
			  const struct paint_burst *paint)
{
	int soon = 0, both = 0;

	for (int r = 0; r < p->runs; r++) {
		int64_t t;

		if (next->at[r] == ALIGN_NONE || paint->shown_us[r] == RESPONSE_NONE)
			continue;
		t = update_time_us(run, r, next->at[r]);
		both++;
		soon += t - paint->whole_us[r] <= RESPONSE_GAP_US && paint->shown_us[r] - t <= RESPONSE_GAP_US;
	}
	return both && 4 * soon >= 3 * both;
}

struct timed_piece {
	int64_t us;
	double mass;
	uint32_t at;
};

static int compare_strips(const void *a, const void *b)
{
	const struct timed_piece *x = a, *y = b;

	return (x->us > y->us) - (x->us < y->us);
}

/* Picks the heaviest cluster of strips, clusters being separated by more than APART_US. *strip moves to its first; returns
 * their number. */
static size_t pick_heaviest_cluster(struct timed_piece **strip, size_t n)
{
	size_t best = 0, best_n = 0;
	double most = -1;

	for (size_t i = 0, next; i < n; i = next) {
		double mass = (*strip)[i].mass;

		for (next = i + 1; next < n && (*strip)[next].us - (*strip)[next - 1].us <= APART_US; next++)
			mass += (*strip)[next].mass;
		if (mass > most) {
			most = mass;
			best = i;
			best_n = next - i;
		}
	}
	*strip += best;
	return best_n;
}

/* Sets when run r showed the first and the last strip, ignoring EDGE of the mass at either end. Returns the mass that the run
 * showed. */
static double find_piece_times(const struct paint_pieces *p, struct paint_burst *out, int r, struct timed_piece *strip, size_t n)
{
	double mass = 0, so_far = 0, had;

	qsort(strip, n, sizeof(*strip), compare_strips);
	n = pick_heaviest_cluster(&strip, n);
	for (size_t i = 0; i < n; i++)
		mass += strip[i].mass;
	had = mass;
	for (size_t i = 0; i < n; i++) {
		so_far += strip[i].mass;
		if (out->shown_us[r] == RESPONSE_NONE && so_far >= EDGE * mass) {
			out->shown_us[r] = strip[i].us;
			/* an incomplete paint within the response to another input may be only remains of that response */
			if (mass < PRESENT_SHARED * out->mass && p->owner[r][strip[i].at].cause > out->cause &&
			    p->owner[r][strip[i].at].mass > mass)
				had = 0;
		}
		if (so_far >= (1 - EDGE) * mass && out->whole_us[r] == RESPONSE_NONE)
			out->whole_us[r] = strip[i].us;
	}
	return had;
}

static double find_burst_times(const struct analyzed_run *run, const struct paint_pieces *p, struct paint_burst *out, int r)
{
	struct timed_piece *strip = memory_new(out->n, sizeof(*strip));
	double mass = 0;
	size_t n = 0;

	out->shown_us[r] = out->whole_us[r] = RESPONSE_NONE;
	for (size_t i = out->first; i < out->first + out->n; i++)
		if (p->piece[i].at[r] != ALIGN_NONE)
			strip[n++] = (struct timed_piece){ update_time_us(run, r, p->piece[i].at[r]), p->piece[i].mass,
							   p->piece[i].at[r] };
	if (n)
		mass = find_piece_times(p, out, r, strip, n);
	free(strip);
	return mass;
}

void paint_gather_burst(const struct analyzed_run *run, const struct paint_pieces *p, size_t first, struct paint_burst *out)
{
	int present = 0, could = 0;

	out->first = first;
	out->cause = p->piece[first].cause;
	out->mass = 0;
	out->tiles = 0;
	for (int r = 0; r < p->runs; r++)
		out->shown_us[r] = out->whole_us[r] = RESPONSE_NONE; /* times of the first and the last piece so far */
	out->n = 0;
	for (size_t i = first; i < p->n && p->piece[i].cause == out->cause; i++) {
		struct paint_piece next = p->piece[i];

		if (out->n && !piece_follows(run, p, &next, out))
			continue;
		/* move it next to the paint's other pieces */
		memmove(&p->piece[first + out->n + 1], &p->piece[first + out->n], (i - first - out->n) * sizeof(next));
		p->piece[first + out->n++] = next;
		out->mass += next.mass;
		out->tiles += next.tiles;
		for (int r = 0; r < p->runs; r++) {
			int64_t t = next.at[r] == ALIGN_NONE ? RESPONSE_NONE : update_time_us(run, r, next.at[r]);

			if (t == RESPONSE_NONE)
				continue;
			if (out->shown_us[r] == RESPONSE_NONE || t < out->shown_us[r])
				out->shown_us[r] = t;
			if (t > out->whole_us[r]) /* (RESPONSE_NONE is less than any time) */
				out->whole_us[r] = t;
		}
	}
	for (int r = 0; r < p->runs; r++) {
		double mass = find_burst_times(run, p, out, r);

		could += run[r].stimulus[out->cause].press_us >= 0;
		if (run[r].stimulus[out->cause].press_us < 0 || mass < PRESENT * out->mass)
			out->shown_us[r] = out->whole_us[r] = RESPONSE_NONE;
		else
			present++;
	}
	out->share = could ? (double)present / could : 0;
}
