// SPDX-License-Identifier: GPL-3.0-or-later
#include "estimates.h"
#include "clock.h"
#include "interval.h"
#include "measured.h"
#include "pool.h"
#include "sample.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const struct figure unknown = { NAN, NAN, NAN, false };

/* Room for one number a run: what intervals are made of. */
struct work {
	double *per_run;
	double *late, *keys;	/* late keys and keys of each run */
	const struct estimates_cfg *cfg;
};

static void set_interval(struct figure *f, bool ok, const struct interval *i, double least, double most)
{
	if (!ok)
		return;
	f->low = fmax(i->low, least);
	f->high = fmin(i->high, most);
}

static double weighted_share(const unsigned *weight, size_t runs, void *data)
{
	const struct work *w = data;
	double late = 0, keys = 0;

	for (size_t i = 0; i < runs; i++) {
		late += weight[i] * w->late[i];
		keys += weight[i] * w->keys[i];
	}
	return keys > 0 ? 100 * late / keys : NAN;
}

/* The share of late keys. Runs that all give the same share would make an interval of no width, as if nothing could
 * ever be otherwise; there the exact interval of the pooled keys stands, which takes keys as independent. */
static struct figure late_share(const struct train *t, size_t n, bool high, const struct work *w, enum interval_kind *kind)
{
	struct figure f = unknown;
	struct interval i;
	double late = 0, keys = 0;
	size_t runs = 0;
	bool alike = true;

	*kind = INTERVAL_NONE;
	for (size_t r = 0; r < n; r++) {
		double run_late = 0, run_keys = 0;

		for (size_t k = 0; k < t[r].keys.n; k++) {
			int64_t ns;
			bool later;

			if (!key_latency(&t[r].keys.key[k], high, &ns, &later))
				continue;
			run_keys++;
			/* "Later than" a time before the threshold: may be late, so the late end says it is. */
			run_late += ns > w->cfg->threshold_ns || (later && high);
		}
		if (!(run_keys > 0))
			continue;
		w->late[runs] = run_late;
		w->keys[runs] = run_keys;
		w->per_run[runs] = 100 * run_late / run_keys;
		alike = alike && !(fabs(w->per_run[runs] - w->per_run[0]) > 1e-9);
		late += run_late;
		keys += run_keys;
		runs++;
	}
	if (!runs)
		return f;
	f.value = 100 * late / keys;
	if (runs < 2)
		return f;
	if (alike) {
		*kind = INTERVAL_EXACT;
		interval_share((size_t)late, (size_t)keys, &i);
		set_interval(&f, true, &(struct interval){ 100 * i.low, 100 * i.high }, 0, 100);
	} else if (runs < INTERVAL_BOOTSTRAP_FROM) {
		*kind = INTERVAL_T;
		set_interval(&f, interval_t(w->per_run, runs, &i), &i, 0, 100);
	} else {
		*kind = INTERVAL_BCA;
		set_interval(&f, interval_bca(weighted_share, (void *)(uintptr_t)w, runs, w->cfg->draws, w->cfg->seed, &i), &i, 0,
			     100);
	}
	return f;
}

struct quantile_ask {
	const struct pool *pool;
	double p;
};

static double weighted_quantile(const unsigned *weight, size_t runs, void *data)
{
	const struct quantile_ask *ask = data;

	(void)runs;
	return pool_quantile(ask->pool, weight, ask->p);
}

static struct figure percentile(struct measured *s, double p, double unit, bool positive, const struct work *w)
{
	struct quantile_ask ask = { &s->pool, p };
	struct figure f = unknown;
	struct sample_stat all;
	struct interval i;
	bool ok = true;

	if (!sample_supports(&s->all, p))
		return f;
	all = sample_quantile(&s->all, p);
	f.value = all.value / unit;
	f.above = all.above;
	if (s->runs < 2 || f.above)
		return f;
	if (s->runs >= INTERVAL_BOOTSTRAP_FROM) {
		ok = interval_bca(weighted_quantile, &ask, s->runs, w->cfg->draws, w->cfg->seed, &i);
		/* an end among "later than" values is no end */
		ok = ok && !(s->all.censored && i.high >= (double)s->all.censored_min);
	} else {
		for (size_t r = 0; r < s->runs && ok; r++) {
			struct sample_stat q = sample_quantile(&s->run[r], p);

			w->per_run[r] = q.value;
			ok = !q.above;
		}
		ok = ok && (positive ? interval_t_log : interval_t)(w->per_run, s->runs, &i);
		if (ok) {
			i.low = fmin(i.low, all.value);
			i.high = fmax(i.high, all.value);
		}
	}
	set_interval(&f, ok, &(struct interval){ i.low / unit, i.high / unit }, 0, INFINITY);
	return f;
}

static struct figure greatest(struct measured *s, double unit)
{
	struct figure f = unknown;
	struct sample_stat m = sample_max(&s->all);

	f.value = m.value / unit;
	f.above = m.above;
	return f;
}

static int latencies(const struct train *t, size_t n, const struct work *w, struct estimates *out)
{
	struct measured s;
	int err;

	for (int high = 0; high < 1 + out->ranged && !out->overloaded; high++) {
		struct figure *f = &out->of[high ? HIGH_P50 : P50];

		err = measured_make(t, n, high ? LATENCY_HIGH : LATENCY_LOW, &s);
		if (!err) {
			f[0] = percentile(&s, 0.5, NS_PER_MS, true, w);
			f[1] = percentile(&s, 0.9, NS_PER_MS, true, w);
			f[2] = percentile(&s, 0.95, NS_PER_MS, true, w);
			f[3] = percentile(&s, 0.99, NS_PER_MS, true, w);
			f[4] = greatest(&s, NS_PER_MS);
		}
		measured_free(&s);
		if (err)
			return err;
	}
	if (!out->overloaded) {
		err = measured_make(t, n, LATENCY_SENT, &s);
		if (!err)
			out->of[SENT_P50] = percentile(&s, 0.5, NS_PER_MS, true, w);
		measured_free(&s);
		if (err)
			return err;
	}
	err = measured_make(t, n, SEND_LATENESS, &s);
	if (!err) {
		out->of[LATENESS_P99] = percentile(&s, 0.99, NS_PER_US, false, w);
		out->of[LATENESS_MAX] = greatest(&s, NS_PER_US);
	}
	measured_free(&s);
	return err;
}

static void count_keys(const struct train *t, size_t n, struct estimates *out)
{
	for (size_t r = 0; r < n; r++) {
		out->overloaded += t[r].overloaded;
		out->ranged = out->ranged || t[r].keys.ranged;
		out->skipped += t[r].keys.skipped;
		for (size_t k = 0; k < t[r].keys.n; k++) {
			const struct key *key = &t[r].keys.key[k];
			int64_t ns, end;
			bool later, open, known = key_latency(key, false, &ns, &later);

			if (known && !later && key_latency(key, true, &end, &open))
				out->ranged_keys += open || end != ns;
			out->keys += known;
			out->unknown += !known;
			out->censored += known && later;
		}
	}
}

int estimates_of(const struct train *train, size_t n, const struct estimates_cfg *cfg, struct estimates *out)
{
	enum interval_kind ignored;
	struct work w = { .cfg = cfg };
	size_t room = n ? n : 1;
	int err = -ENOMEM;

	*out = (struct estimates){ 0 };
	for (int i = 0; i < FIGURES; i++)
		out->of[i] = unknown;
	w.per_run = calloc(room, sizeof(*w.per_run));
	w.late = calloc(room, sizeof(*w.late));
	w.keys = calloc(room, sizeof(*w.keys));
	if (w.per_run && w.late && w.keys) {
		count_keys(train, n, out);
		out->interval = n < 2 ? INTERVAL_NONE : n < INTERVAL_BOOTSTRAP_FROM ? INTERVAL_T : INTERVAL_BCA;
		out->of[LATE] = late_share(train, n, false, &w, &out->late_interval);
		if (out->ranged || out->censored)
			out->of[LATE_HIGH] = late_share(train, n, true, &w, &ignored);
		err = latencies(train, n, &w, out);
	}
	free(w.per_run);
	free(w.late);
	free(w.keys);
	return err;
}

int estimates_cdf(const struct train *train, size_t n_train, bool high, size_t max, struct cdf_point **out, size_t *n)
{
	struct pool exact = { 0 };
	size_t keys = 0, points;
	bool overloaded = false;
	int err = 0;

	*out = NULL;
	*n = 0;
	for (size_t r = 0; r < n_train && !err; r++) {
		overloaded = overloaded || train[r].overloaded;
		for (size_t k = 0; k < train[r].keys.n && !err; k++) {
			int64_t ns;
			bool later;

			if (!key_latency(&train[r].keys.key[k], high, &ns, &later))
				continue;
			keys++;
			if (!later)
				err = pool_add(&exact, ns, r);
		}
	}
	pool_sort(&exact);
	points = exact.n < max ? exact.n : max;
	if (!err && points && !overloaded) {
		*out = calloc(points, sizeof(**out));
		err = *out ? 0 : -ENOMEM;
	}
	for (size_t i = 0; *out && i < points; i++) {
		size_t at = points > 1 ? i * (exact.n - 1) / (points - 1) : 0;

		(*out)[i] = (struct cdf_point){ exact.item[at].value, (double)(at + 1) / (double)keys };
	}
	*n = *out ? points : 0;
	pool_free(&exact);
	return err;
}
