// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool.h"
#include "interval.h"
#include "memory.h"

void pool_add(struct pool *p, int64_t value, size_t run)
{
	memory_more(p->item, p->n);
	for (; p->runs <= run; p->runs++) {
		memory_more(p->of_run, p->runs);
		p->of_run[p->runs] = 0;
	}
	p->of_run[run]++;
	p->item[p->n++] = (struct pool_item){ .value = value, .run = (unsigned)run };
}

/* Order of qsort(): by value; of equal values, lower bounds first. */
static int pool_compare(const void *a, const void *b)
{
	const struct pool_item *x = a, *y = b;

	return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : y->later - x->later;
}

void pool_sort(struct pool *p)
{
	if (p->n)
		qsort(p->item, p->n, sizeof(*p->item), pool_compare);
}

void pool_free(struct pool *p)
{
	free(p->of_run);
	free(p->item);
	*p = (struct pool){ 0 };
}

static struct sample_stat pool_stat(const struct pool *p, const unsigned *weight, double q)
{
	struct sample_stat s = { NAN, false };
	size_t total = 0, seen = 0, i, k;
	double at;

	for (i = 0; i < p->runs; i++)
		total += weight[i] * p->of_run[i];
	if (!total)
		return s;
	at = (double)(total - 1) * q;
	k = (size_t)floor(at);
	/* find the value at rank k (from 0), and the next value whose run has weight */
	for (i = 0; seen <= k; i++) {
		seen += weight[p->item[i].run];
		s.above = s.above || (p->item[i].later && weight[p->item[i].run]);
	}
	s.value = (double)p->item[i - 1].value;
	if (at > (double)k && k + 1 < total && seen <= k + 1) {
		for (; !weight[p->item[i].run]; i++)
			;
		s.above = s.above || p->item[i].later;
		s.value += (at - (double)k) * ((double)p->item[i].value - s.value);
	}
	return s;
}

double pool_quantile(const struct pool *p, const unsigned *weight, double q)
{
	return pool_stat(p, weight, q).value;
}

struct pool_draw {
	const struct pool *pool;
	double q;
};

static double pool_resampled_quantile(const unsigned *weight, size_t runs, void *data)
{
	const struct pool_draw *d = data;

	(void)runs;
	return pool_quantile(d->pool, weight, d->q);
}

struct figure pool_figure(const struct pool *p, double q, double unit, bool logs, size_t draws, uint64_t seed)
{
	struct pool_draw draw = { p, q };
	unsigned *weight = memory_new(p->runs, sizeof(*weight));
	double *own = memory_new(p->runs, sizeof(*own));
	struct sample_stat all = { NAN, false };
	struct figure f = FIGURE_UNKNOWN;
	bool few = p->runs < INTERVAL_BOOTSTRAP_FROM, ok = true;
	struct interval i;

	for (size_t r = 0; r < p->runs; r++) {
		struct sample_stat alone;

		weight[r] = 1;
		alone = pool_stat(p, weight, q);
		own[r] = alone.value;
		ok = ok && !(alone.above && few);
		weight[r] = 0;
	}
	for (size_t r = 0; r < p->runs; r++)
		weight[r] = 1;
	if (q >= 1 || sample_supports(&(struct sample){ .n = p->n }, q))
		all = pool_stat(p, weight, q);
	for (size_t k = 0; q >= 1 && k < p->n; k++)
		all.above = all.above || p->item[k].later;
	f.value = all.value / unit;
	f.above = all.above;
	f.repeats = p->runs;
	ok = ok && p->runs > 1 && isfinite(all.value) && !all.above && q < 1;
	ok = ok && interval_runs(own, logs, pool_resampled_quantile, &draw, p->runs, draws, seed, &i);
	/* an end that lies among lower bounds is not known */
	for (size_t k = 0; ok && !few && k < p->n; k++)
		ok = !p->item[k].later || i.high < (double)p->item[k].value;
	if (ok) {
		f.low = fmax((few ? fmin(i.low, all.value) : i.low) / unit, 0);
		f.high = (few ? fmax(i.high, all.value) : i.high) / unit;
	}
	free(own);
	free(weight);
	return f;
}
