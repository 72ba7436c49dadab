// SPDX-License-Identifier: GPL-3.0-or-later
#include "merge.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

int merge_init(struct merge *m, int rows)
{
	*m = (struct merge){ .head = calloc((size_t)rows, sizeof(*m->head)) };
	return m->head ? 0 : -ENOMEM;
}

void merge_free(struct merge *m)
{
	free(m->head);
	*m = (struct merge){ 0 };
}

static bool head_before(const struct merge_head *a, const struct merge_head *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->row < b->row);
}

static void swap(struct merge_head *a, struct merge_head *b)
{
	struct merge_head kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_down(struct merge *m)
{
	for (int at = 0;;) {
		int least = at;

		for (int child = 2 * at + 1; child <= 2 * at + 2 && child < m->n; child++)
			if (head_before(&m->head[child], &m->head[least]))
				least = child;
		if (least == at)
			return;
		swap(&m->head[at], &m->head[least]);
		at = least;
	}
}

void merge_add(struct merge *m, int row, int64_t time_ns)
{
	int at = m->n++;

	m->head[at] = (struct merge_head){ time_ns, row };
	for (; at && head_before(&m->head[at], &m->head[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&m->head[at], &m->head[(at - 1) / 2]);
}

void merge_advance(struct merge *m, int64_t time_ns)
{
	m->head[0].time_ns = time_ns;
	sift_down(m);
}

void merge_end(struct merge *m)
{
	m->head[0] = m->head[--m->n];
	sift_down(m);
}
