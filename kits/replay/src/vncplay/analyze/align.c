// SPDX-License-Identifier: GPL-3.0-or-later
#include "align.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct aligned_change {			/* a change, in one run or in the common sequence */
	uint64_t content, change;
	int32_t after;		/* number of the last input before the change, least over the runs that have it */
	uint32_t since_ms;	/* time since that input, in run `run` */
	uint32_t ms;
	uint8_t run;		/* the run that since_ms and ms are of */
	uint8_t seen;
	uint32_t slot;		/* pool[slot * runs + run] is the update of each run that has the change */
};

struct candidate_change_pair {
	uint32_t i, j;
	int64_t total;
	int32_t before;		/* the previous pair of the chain; -1: none */
};

struct aligned_change_list {
	struct aligned_change *item;
	size_t n;
};

struct change_aligner {
	int runs;
	const uint32_t *const *press_ms;
	struct aligned_change_list common, run_list, joined;
	uint32_t *pool;
	size_t n_slots;
	struct candidate_change_pair *pair;
	size_t n_pairs;
	int32_t *best;		/* Fenwick tree over j: index of the pair with the greatest total up to j; -1: none */
	size_t room_best;
	int32_t *mate;		/* for each item of the common sequence, the paired item of the run; -1: none */
	size_t room_mate;
};

struct change_aligner *change_aligner_new(int runs, const uint32_t *const *press_ms)
{
	struct change_aligner *a = calloc(1, sizeof(*a));

	if (a) {
		a->runs = runs;
		a->press_ms = press_ms;
	}
	return a;
}

void change_aligner_free(struct change_aligner *a)
{
	if (!a)
		return;
	free(a->common.item);
	free(a->run_list.item);
	free(a->joined.item);
	free(a->pair);
	free(a->best);
	free(a->mate);
	free(a->pool);
	free(a);
}

void common_tile_changes_free(struct common_tile_changes *s)
{
	free(s->change);
	free(s->at);
	s->change = NULL;
	s->at = NULL;
	s->n = 0;
}

static int append_aligned_change(struct aligned_change_list *l, const struct aligned_change *one)
{
	if (array_room(&l->item, l->n))
		return -ENOMEM;
	l->item[l->n++] = *one;
	return 0;
}

static uint32_t *updates_of_aligned_change(const struct change_aligner *a, const struct aligned_change *x)
{
	return a->pool + (size_t)x->slot * (size_t)a->runs;
}

static int alloc_updates_of_aligned_change(struct change_aligner *a, uint32_t *slot)
{
	if (array_grow(&a->pool, a->n_slots, (size_t)a->runs * sizeof(*a->pool)))
		return -ENOMEM;
	*slot = (uint32_t)a->n_slots++;
	memset(a->pool + (size_t)*slot * (size_t)a->runs, 0xff, (size_t)a->runs * sizeof(*a->pool));
	return 0;
}

static int collect_run_changes_to_align(struct change_aligner *a, int run, const struct tile_change_list *t,
					struct aligned_change_list *out)
{
	out->n = 0;
	for (size_t i = 0; i < t->n; i++) {
		const struct tile_change *c = &t->change[i];
		struct aligned_change one = { .content = c->content, .change = c->change, .after = c->after, .ms = c->ms,
					  .run = (uint8_t)run, .seen = c->seen };

		if (c->masked || c->after < 0)
			continue;
		one.since_ms = c->ms - a->press_ms[run][c->after];
		if (alloc_updates_of_aligned_change(a, &one.slot) || append_aligned_change(out, &one))
			return -ENOMEM;
		updates_of_aligned_change(a, &one)[run] = c->update;
	}
	return 0;
}

/* Score of pairing two changes: the number of pairs counts most, then nearness in inputs, then in time. */
static int64_t score_of_change_pair(const struct change_aligner *a, const struct aligned_change *x, const struct aligned_change *y)
{
	int32_t apart = abs(x->after - y->after), first = x->after < y->after ? x->after : y->after;
	int64_t dx = (int64_t)x->ms - a->press_ms[x->run][first], dy = (int64_t)y->ms - a->press_ms[y->run][first],
		d = dx > dy ? dx - dy : dy - dx;

	return (x->content == y->content ? 16000 : 15000) - 3000 * (int64_t)apart - (d / 4 < 2000 ? d / 4 : 2000);
}

static int reset_index_list(int32_t **list, size_t *room, size_t n)
{
	int32_t *grown;

	if (n > *room) {
		grown = reallocarray(*list, n, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		*list = grown;
		*room = n;
	}
	memset(*list, 0xff, n * sizeof(**list));
	return 0;
}

static int32_t best_pair_before_item(const struct change_aligner *a, size_t j)	/* the best pair of an item below j */
{
	int32_t best = -1;

	for (size_t k = j; k > 0; k &= k - 1)
		if (a->best[k] >= 0 && (best < 0 || a->pair[a->best[k]].total > a->pair[best].total))
			best = a->best[k];
	return best;
}

static void update_best_pair_tree(struct change_aligner *a, int32_t p, size_t n)
{
	for (size_t k = a->pair[p].j + 1; k <= n; k += k & (~k + 1))
		if (a->best[k] < 0 || a->pair[a->best[k]].total < a->pair[p].total)
			a->best[k] = p;
}

/* Finds the monotone chain of pairs with the greatest total and sets `mate` to it. */
static int find_best_pair_chain(struct change_aligner *a)
{
	size_t from = 0;
	int32_t end = -1;

	if (reset_index_list(&a->best, &a->room_best, a->run_list.n + 1) || reset_index_list(&a->mate, &a->room_mate, a->common.n + 1))
		return -ENOMEM;
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
			before = best_pair_before_item(a, j);
			if (array_room(&a->pair, a->n_pairs))
				return -ENOMEM;
			a->pair[a->n_pairs++] = (struct candidate_change_pair){ .i = (uint32_t)i, .j = (uint32_t)j, .before = before,
				.total = score_of_change_pair(a, x, y) + (before < 0 ? 0 : a->pair[before].total) };
		}
		for (size_t p = of_i; p < a->n_pairs; p++) {
			update_best_pair_tree(a, (int32_t)p, a->run_list.n);
			if (end < 0 || a->pair[p].total > a->pair[end].total)
				end = (int32_t)p;
		}
	}
	for (; end >= 0; end = a->pair[end].before)
		a->mate[a->pair[end].i] = (int32_t)a->pair[end].j;
	return 0;
}

static bool aligned_change_comes_before(const struct aligned_change *x, const struct aligned_change *y)
{
	return x->after != y->after ? x->after < y->after : x->since_ms < y->since_ms;
}

/* Merges the run's changes into the common sequence; a pair becomes one item. */
static int merge_run_into_common_changes(struct change_aligner *a, int run)
{
	size_t j = 0;
	struct aligned_change_list old;

	a->joined.n = 0;
	for (size_t i = 0; i <= a->common.n; i++) {
		struct aligned_change *x = i < a->common.n ? &a->common.item[i] : NULL;
		size_t mate = !x ? a->run_list.n : a->mate[i] >= 0 ? (size_t)a->mate[i] : SIZE_MAX;

		for (; j < a->run_list.n && j < mate && (mate != SIZE_MAX || aligned_change_comes_before(&a->run_list.item[j], x)); j++) {
			if (mate == SIZE_MAX) {	/* stop before an item that is paired with a later item of the common sequence */
				size_t k = i + 1;

				while (k < a->common.n && a->mate[k] < 0)
					k++;
				if (k < a->common.n && (size_t)a->mate[k] <= j)
					break;
			}
			if (append_aligned_change(&a->joined, &a->run_list.item[j]))
				return -ENOMEM;
		}
		if (!x)
			break;
		if (mate != SIZE_MAX) {
			const struct aligned_change *y = &a->run_list.item[j++];

			updates_of_aligned_change(a, x)[run] = updates_of_aligned_change(a, y)[run];
			x->seen = x->seen && y->seen;
			if (y->after < x->after) {
				x->after = y->after;
				x->since_ms = y->since_ms;
				x->ms = y->ms;
				x->run = y->run;
			}
		}
		if (append_aligned_change(&a->joined, x))
			return -ENOMEM;
	}
	old = a->common;
	a->common = a->joined;
	a->joined = old;
	return 0;
}

static int append_common_changes(struct change_aligner *a, uint32_t tile, struct common_tile_changes *out)
{
	for (size_t i = 0; i < a->common.n; i++) {
		const struct aligned_change *x = &a->common.item[i];
		int members = 0;

		for (int r = 0; r < a->runs; r++)
			members += updates_of_aligned_change(a, x)[r] != ALIGN_NONE;
		if (members < 2 && a->runs > 1)
			continue;
		if (array_room(&out->change, out->n) || array_grow(&out->at, out->n, (size_t)a->runs * sizeof(*out->at)))
			return -ENOMEM;
		out->change[out->n] = (struct common_tile_change){ .tile = tile, .cause = x->after, .seen = x->seen };
		memcpy(out->at + out->n++ * (size_t)a->runs, updates_of_aligned_change(a, x), (size_t)a->runs * sizeof(*out->at));
	}
	return 0;
}

int align_tile_changes(struct change_aligner *a, uint32_t tile, const struct tile_change_list *track,
		       struct common_tile_changes *out)
{
	int err;

	out->runs = a->runs;
	a->n_slots = 0;
	err = collect_run_changes_to_align(a, 0, &track[0], &a->common);
	for (int r = 1; r < a->runs && !err; r++) {
		err = collect_run_changes_to_align(a, r, &track[r], &a->run_list);
		if (!err && a->run_list.n)
			err = find_best_pair_chain(a);
		if (!err && a->run_list.n)
			err = merge_run_into_common_changes(a, r);
	}
	return err ? err : append_common_changes(a, tile, out);
}
