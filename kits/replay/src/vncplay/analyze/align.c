// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyze.h"
#include "memory.h"

struct aligned_change { /* a change, in one run or in the common sequence */
	uint64_t content, change;
	int32_t after;	   /* number of the last input before the change, least over the runs that have it */
	uint32_t since_ms; /* time since that input, in run `run` */
	uint32_t ms;
	uint8_t run; /* index of the run in which since_ms and ms were measured */
	uint8_t seen;
	uint32_t slot; /* pool[slot * runs + run] is the update of each run that has the change */
};

struct change_pair {
	uint32_t i, j;
	int64_t total;
	int32_t before; /* the previous pair of the chain; -1: none */
};

struct aligned_changes {
	struct aligned_change *item;
	size_t n;
};

struct aligner {
	int runs;
	const uint32_t *const *press_ms;
	struct aligned_changes common, run_list, joined;
	uint32_t *pool;
	size_t n_slots;
	struct change_pair *pair;
	size_t n_pairs;
	int32_t *best; /* Fenwick tree over j: index of the pair with the greatest total up to j; -1: none */
	int32_t *mate; /* for each item of the common sequence, the paired item of the run; -1: none */
};

struct aligner *aligner_new(int runs, const uint32_t *const *press_ms)
{
	struct aligner *a = memory_new(1, sizeof(*a));

	a->runs = runs;
	a->press_ms = press_ms;
	return a;
}

void aligner_free(struct aligner *a)
{
	free(a->common.item);
	free(a->run_list.item);
	free(a->joined.item);
	free(a->pair);
	free(a->best);
	free(a->mate);
	free(a->pool);
	free(a);
}

void common_changes_free(struct common_changes *s)
{
	free(s->change);
	free(s->at);
	*s = (struct common_changes){ 0 };
}

static void add_change(struct aligned_changes *l, const struct aligned_change *one)
{
	memory_more(l->item, l->n);
	l->item[l->n++] = *one;
}

static uint32_t *slot_updates(const struct aligner *a, const struct aligned_change *x)
{
	return a->pool + (size_t)x->slot * (size_t)a->runs;
}

static uint32_t add_slot(struct aligner *a)
{
	size_t size = (size_t)a->runs * sizeof(*a->pool);

	a->pool = memory_grow(a->pool, a->n_slots, size);
	memset(a->pool + a->n_slots * (size_t)a->runs, 0xff, size);
	return (uint32_t)a->n_slots++;
}

static void collect_changes(struct aligner *a, int run, const struct tile_changes *t, struct aligned_changes *out)
{
	out->n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct tile_change *c = &t->change[i];
		struct aligned_change one = { .content = c->content,
					      .change = c->change,
					      .after = c->after,
					      .ms = c->ms,
					      .run = (uint8_t)run,
					      .seen = c->seen };

		if (c->masked || c->after < 0)
			continue;
		one.since_ms = c->ms - a->press_ms[run][c->after];
		one.slot = add_slot(a);
		add_change(out, &one);
		slot_updates(a, &one)[run] = c->update;
	}
}

/* Score of pairing two changes: the number of pairs counts most, then nearness in inputs, then in time. */
static int64_t score_pair(const struct aligner *a, const struct aligned_change *x, const struct aligned_change *y)
{
	int32_t apart = abs(x->after - y->after), first = x->after < y->after ? x->after : y->after;
	int64_t dx = (int64_t)x->ms - a->press_ms[x->run][first], dy = (int64_t)y->ms - a->press_ms[y->run][first],
		d = dx > dy ? dx - dy : dy - dx;

	return (x->content == y->content ? 16000 : 15000) - 3000 * (int64_t)apart - (d / 4 < 2000 ? d / 4 : 2000);
}

static void reset_indices(int32_t **list, size_t n)
{
	*list = must_alloc(reallocarray(*list, n, sizeof(**list)));
	memset(*list, 0xff, n * sizeof(**list));
}

static int32_t find_best_pair(const struct aligner *a, size_t j) /* the best pair of an item below j */
{
	int32_t best = -1;

	for (size_t k = j; k > 0; k &= k - 1)
		if (a->best[k] >= 0 && (best < 0 || a->pair[a->best[k]].total > a->pair[best].total))
			best = a->best[k];
	return best;
}

static void update_tree(struct aligner *a, int32_t p, size_t n)
{
	for (size_t k = a->pair[p].j + 1; k <= n; k += k & (~k + 1))
		if (a->best[k] < 0 || a->pair[a->best[k]].total < a->pair[p].total)
			a->best[k] = p;
}

/* Finds the monotone chain of pairs with the greatest total and sets `mate` to it. */
static void find_best_chain(struct aligner *a)
{
	size_t from = 0;
	int32_t end = -1;

	reset_indices(&a->best, a->run_list.n + 1);
	reset_indices(&a->mate, a->common.n + 1);
	a->n_pairs = 0;
	for (size_t i = 0; i < a->common.n; i++) {
		const struct aligned_change *x = &a->common.item[i];
		size_t of_i = a->n_pairs;

		while (from < a->run_list.n && a->run_list.item[from].after < x->after - 2 * ALIGN_REACH)
			from++;
		for (size_t j = from; j < a->run_list.n && a->run_list.item[j].after <= x->after + ALIGN_REACH; j++) {
			const struct aligned_change *y = &a->run_list.item[j];
			int32_t before;

			if ((y->content != x->content && y->change != x->change) || y->after < x->after - ALIGN_REACH)
				continue;
			before = find_best_pair(a, j);
			memory_more(a->pair, a->n_pairs);
			a->pair[a->n_pairs++] =
				(struct change_pair){ .i = (uint32_t)i,
						      .j = (uint32_t)j,
						      .before = before,
						      .total = score_pair(a, x, y) + (before < 0 ? 0 : a->pair[before].total) };
		}
		for (size_t p = of_i; p < a->n_pairs; p++) {
			update_tree(a, (int32_t)p, a->run_list.n);
			if (end < 0 || a->pair[p].total > a->pair[end].total)
				end = (int32_t)p;
		}
	}
	for (; end >= 0; end = a->pair[end].before)
		a->mate[a->pair[end].i] = (int32_t)a->pair[end].j;
}

static bool change_precedes(const struct aligned_change *x, const struct aligned_change *y)
{
	return x->after != y->after ? x->after < y->after : x->since_ms < y->since_ms;
}

/* Merges the run's changes into the common sequence; a pair becomes one item. */
static void merge_run(struct aligner *a, int run)
{
	size_t j = 0;
	struct aligned_changes old;

	a->joined.n = 0;
	for (size_t i = 0; i <= a->common.n; i++) {
		struct aligned_change *x = i < a->common.n ? &a->common.item[i] : NULL;
		size_t mate = !x ? a->run_list.n : a->mate[i] >= 0 ? (size_t)a->mate[i] : SIZE_MAX;

		for (; j < a->run_list.n && j < mate && (mate != SIZE_MAX || change_precedes(&a->run_list.item[j], x)); j++) {
			if (mate == SIZE_MAX) { /* stop before an item that is paired with a later item of the common sequence */
				size_t k = i + 1;

				while (k < a->common.n && a->mate[k] < 0)
					k++;
				if (k < a->common.n && (size_t)a->mate[k] <= j)
					break;
			}
			add_change(&a->joined, &a->run_list.item[j]);
		}
		if (!x)
			break;
		if (mate != SIZE_MAX) {
			const struct aligned_change *y = &a->run_list.item[j++];

			slot_updates(a, x)[run] = slot_updates(a, y)[run];
			x->seen = x->seen && y->seen;
			if (y->after < x->after) {
				x->after = y->after;
				x->since_ms = y->since_ms;
				x->ms = y->ms;
				x->run = y->run;
			}
		}
		add_change(&a->joined, x);
	}
	old = a->common;
	a->common = a->joined;
	a->joined = old;
}

static void add_common_changes(struct aligner *a, uint32_t tile, struct common_changes *out)
{
	for (size_t i = 0; i < a->common.n; i++) {
		const struct aligned_change *x = &a->common.item[i];
		int members = 0;

		for (int r = 0; r < a->runs; r++)
			members += slot_updates(a, x)[r] != ALIGN_NONE;
		if (members < 2 && a->runs > 1)
			continue;
		memory_more(out->change, out->n);
		out->at = memory_grow(out->at, out->n, (size_t)a->runs * sizeof(*out->at));
		out->change[out->n] = (struct common_change){ .tile = tile, .cause = x->after, .seen = x->seen };
		memcpy(out->at + out->n++ * (size_t)a->runs, slot_updates(a, x), (size_t)a->runs * sizeof(*out->at));
	}
}

void align_tile(struct aligner *a, uint32_t tile, const struct tile_changes *track, struct common_changes *out)
{
	out->runs = a->runs;
	a->n_slots = 0;
	collect_changes(a, 0, &track[0], &a->common);
	for (int r = 1; r < a->runs; r++) {
		collect_changes(a, r, &track[r], &a->run_list);
		if (!a->run_list.n)
			continue;
		find_best_chain(a);
		merge_run(a, r);
	}
	add_common_changes(a, tile, out);
}
