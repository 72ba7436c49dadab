// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool.h"
#include "room.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int pool_add(struct pool *p, int64_t value, size_t run)
{
	struct pool_item *more = room_for(p->item, p->n, sizeof(*more));

	if (!more)
		return -ENOMEM;
	p->item = more;
	if (run >= p->runs) {
		size_t *grown = reallocarray(p->of_run, run + 1, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		for (size_t i = p->runs; i <= run; i++)
			grown[i] = 0;
		p->of_run = grown;
		p->runs = run + 1;
	}
	p->of_run[run]++;
	p->item[p->n++] = (struct pool_item){ value, (unsigned)run };
	return 0;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = ((const struct pool_item *)a)->value, y = ((const struct pool_item *)b)->value;

	return (x > y) - (x < y);
}

void pool_sort(struct pool *p)
{
	if (p->n)
		qsort(p->item, p->n, sizeof(*p->item), ascending);
}

void pool_free(struct pool *p)
{
	free(p->of_run);
	free(p->item);
	*p = (struct pool){ 0 };
}

double pool_quantile(const struct pool *p, const unsigned *weight, double q)
{
	size_t total = 0, seen = 0, i, k;
	double at, rest;

	for (i = 0; i < p->runs; i++)
		total += weight[i] * p->of_run[i];
	if (!total)
		return NAN;
	at = (double)(total - 1) * q;
	k = (size_t)floor(at);
	rest = at - (double)k;
	/* the value that covers place k, counted from 0 */
	for (i = 0; seen + weight[p->item[i].run] <= k; i++)
		seen += weight[p->item[i].run];
	if (rest > 0 && k + 1 < total && seen + weight[p->item[i].run] <= k + 1) {
		size_t next = i + 1;

		while (!weight[p->item[next].run])
			next++;
		return (double)p->item[i].value + rest * (double)(p->item[next].value - p->item[i].value);
	}
	return (double)p->item[i].value;
}
