// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_figures.h"
#include "clock.h"
#include "estimate.h"
#include "memory.h"

#include <errno.h>

static int store_key(void *into, const struct input_cell *cell)
{
	struct key_samples *out = into;
	struct key_times k;
	char *text[KEY_COLUMNS];
	int64_t early;

	for (int i = 0; i < KEY_COLUMNS; i++)
		text[i] = (char *)(uintptr_t)cell[i].text;
	if (!key_read_cells(text, &k))
		return -EPROTO;
	out->skipped += k.skipped;
	if (k.skipped)
		return 0;
	early = k.answer_ns ? k.answer_ns : k.censored_ns;
	memory_more(out->key, out->n);
	out->ranged = out->ranged || (k.answer_ns && !k.exact) || (k.earliest_ns && k.earliest_ns != early);
	out->key[out->n++] = k;
	return 0;
}

static int store_ping(void *into, const struct input_cell *cell)
{
	struct key_samples *out = into;
	struct key_times k = { .due_ns = PING_DUE, .sent_ns = PING_DUE };

	if (cell[1].count != ROWS_IN_NONE)
		k = (struct key_times){ .due_ns = PING_DUE,
					.sent_ns = PING_DUE,
					.answer_ns = PING_DUE + cell[1].count,
					.high_ns = PING_DUE + cell[1].count,
					.exact = true };
	memory_more(out->key, out->n);
	out->key[out->n++] = k;
	return 0;
}

static const struct input_table keys_ping_rows = { "ping/1", "number rtt_ns", store_ping, NULL };
/* in the order of key_columns */
const struct input_table keys_rows = {
	"keys/1",
	"$due_ns $sent_ns $skipped $answer_ns $answer_high_ns $censored_ns | $key $earliest_ns",
	store_key,
	&keys_ping_rows,
};

void keys_free(struct key_samples *k)
{
	free(k->key);
	*k = (struct key_samples){ 0 };
}

/* --- figures of a cell ------------------------------------------------------------------------------------------- */

/* What is pooled: latency from the due time, latency from the time of sending, delay of sending. */
enum measure { LATENCY_DUE, LATENCY_SENT, SEND_LATENESS, MEASURES };

/* length of a stall that may have been missed */
#define LATE_STALL_NS (500.0 * NS_PER_MS)

#define GREATEST 1.0 /* p of a row: the largest value */
#define SHARE 2.0    /* p of a row: the share of late keys */

static const struct figure_kind {
	enum measure measure;
	double p, unit;
} estimates_rows[FIGURES] = {
	[LATE] = { LATENCY_DUE, SHARE, 1 },
	[P50] = { LATENCY_DUE, 0.5, NS_PER_MS },
	[P90] = { LATENCY_DUE, 0.9, NS_PER_MS },
	[P95] = { LATENCY_DUE, 0.95, NS_PER_MS },
	[P99] = { LATENCY_DUE, 0.99, NS_PER_MS },
	[MAX] = { LATENCY_DUE, GREATEST, NS_PER_MS },
	[SENT_P50] = { LATENCY_SENT, 0.5, NS_PER_MS },
	[LATENESS_P99] = { SEND_LATENESS, 0.99, NS_PER_US },
	[LATENESS_MAX] = { SEND_LATENESS, GREATEST, NS_PER_US },
};

struct estimate_work {
	const struct key_train_samples *train;
	size_t n;
	int64_t threshold_ns;
	struct latency_pool pool; /* pool.runs: repeats with at least one value */
};

/* Returns how many keys are due in LATE_STALL_NS; 1 where no due times are known. */
static double assumed_stall_keys(const struct key_train_samples *t, size_t n)
{
	double ns = 0, keys = 0;

	for (size_t r = 0; r < n; r++)
		if (t[r].keys.n > 1) {
			ns += (double)(t[r].keys.key[t[r].keys.n - 1].due_ns - t[r].keys.key[0].due_ns);
			keys += (double)(t[r].keys.n - 1);
		}
	return ns > 0 ? fmax(1, LATE_STALL_NS * keys / ns) : 1;
}

/* high: by the late ends of ranges, otherwise by the early ends */
static struct latency_pool build_pool(const struct key_train_samples *t, size_t n, enum measure m, bool high)
{
	struct latency_pool pool = { .stall = assumed_stall_keys(t, n) };

	for (size_t r = 0; r < n; r++)
		for (size_t i = 0, run = pool.runs; i < t[r].keys.n; i++) {
			const struct key_times *k = &t[r].keys.key[i];
			int64_t ns = k->sent_ns - k->due_ns;
			bool later = false, known = k->sent_ns;

			if (m != SEND_LATENESS)
				known = key_find_latency(
					k, (m == LATENCY_SENT ? KEY_FROM_SENT : KEY_FROM_DUE) | (high ? KEY_LATE : KEY_EARLY), &ns,
					&later);
			if (!known)
				continue;
			pool_add_latency(&pool, ns, run);
			pool.item[pool.n - 1].later = later;
		}
	pool_sort(&pool);
	return pool;
}

/* Adds the runs of late and of other keys of one train, in the order of the keys. high: by the late ends of ranges. A latency that
 * is only known to exceed a time below the threshold may be late: it counts as late by the late end. */
static void add_late_runs(const struct key_samples *keys, int64_t threshold_ns, bool high, double *n, double *late,
			  struct share_runs *share)
{
	double run = 0;
	bool was = false;

	for (size_t i = 0; i <= keys->n; i++) {
		const struct key_times *k = &keys->key[i];
		int which = high ? KEY_LATE : KEY_EARLY;
		int64_t ns;
		bool later, end = i == keys->n, is = !end && key_is_late(k, which, threshold_ns);

		if (!end && !key_find_latency(k, which, &ns, &later))
			continue;
		if (end || is != was) {
			share_runs_add(share, was, run);
			run = 0;
		}
		was = is;
		run += !end;
		*n += !end;
		*late += !end && is;
	}
}

/* Computes the share of late keys. Its interval takes stalls, not keys, as independent: one stall makes many keys late. */
static enum interval_kind compute_late_share(const struct key_train_samples *t, size_t n, int64_t threshold_ns, bool high,
					     struct figure *f)
{
	double *keys = memory_new(2 * n, sizeof(*keys)), *late = keys + n, all = 0, hits = 0;
	struct share_runs share = { .hits = late, .n = keys, .stated = assumed_stall_keys(t, n) };
	struct interval i;
	bool apart, ok;

	for (size_t r = 0; r < n; r++) {
		add_late_runs(&t[r].keys, threshold_ns, high, &keys[share.repeats], &late[share.repeats], &share);
		all += keys[share.repeats];
		hits += late[share.repeats];
		share.repeats += keys[share.repeats] > 0;
	}
	*f = figure_exact(all > 0 ? 100 * hits / all : (double)NAN);
	f->repeats = share.repeats;
	for (size_t r = 0; share.repeats == 2 && r < 2; r++)
		f->both[r] = 100 * late[r] / keys[r];
	ok = interval_clustered_share_ci(&share, &i, &apart);
	if (ok) {
		f->low = 100 * i.low;
		f->high = 100 * i.high;
	}
	free(keys);
	return ok ? apart ? INTERVAL_T : INTERVAL_EXACT : INTERVAL_NONE;
}

static void count_keys(const struct key_train_samples *t, size_t n, struct key_figures *out)
{
	for (size_t r = 0; r < n; r++) {
		out->overloaded += t[r].overloaded;
		out->ranged = out->ranged || t[r].keys.ranged;
		out->skipped += t[r].keys.skipped;
		for (size_t k = 0; k < t[r].keys.n; k++) {
			const struct key_times *key = &t[r].keys.key[k];
			int64_t ns, end;
			bool later, open, known = key_find_latency(key, KEY_EARLY, &ns, &later);

			if (known && !later && key_find_latency(key, KEY_LATE, &end, &open))
				out->ranged_keys += open || end != ns;
			out->keys += known;
			out->unknown += !known;
			out->censored += known && later;
		}
	}
}

/* By late ends: only where they may differ. A key without an echo is late by its late end. */
static bool has_late_end(const struct key_figures *e, enum measure m, bool share)
{
	return m != SEND_LATENESS && (e->ranged || (share && e->censored));
}

/* Computes the figures of one measure by one end of ranges. */
static void compute_ends(struct estimate_work *w, enum measure m, bool high, struct key_figures *out,
			 struct figure of[static FIGURES])
{
	for (enum figure_name i = 0; i < FIGURES; i++) {
		const struct figure_kind *row = &estimates_rows[i];
		enum interval_kind kind;
		bool apart;

		if (row->measure != m || (high && !has_late_end(out, m, row->p == SHARE)))
			continue;
		if (row->p == SHARE) {
			kind = compute_late_share(w->train, w->n, w->threshold_ns, high, &of[i]);
			out->late_interval = high ? out->late_interval : kind;
		} else if (m != SEND_LATENESS && out->overloaded) {
			of[i] = figure_absent("overloaded");
		} else {
			of[i] = pool_quantile(&w->pool, row->p, row->unit, m == SEND_LATENESS ? POOL_PLAIN : POOL_KEYS, &apart);
			if (i == P50 && !high && isfinite(of[i].low))
				out->interval = apart ? INTERVAL_T : INTERVAL_EXACT;
		}
	}
}

struct key_figures keys_estimate_figures(const struct key_train_samples *train, size_t n, int64_t threshold_ns)
{
	struct estimate_work w = { .train = train, .n = n, .threshold_ns = threshold_ns };
	struct key_figures out = { .interval = INTERVAL_NONE };

	count_keys(train, n, &out);
	for (enum figure_name i = 0; i < FIGURES; i++)
		out.of[i] = out.late_end[i] = FIGURE_ABSENT;
	for (enum measure m = 0; m < MEASURES; m++)
		for (int high = 0; high < 2; high++) {
			w.pool = build_pool(train, n, m, high);
			compute_ends(&w, m, high, &out, high ? out.late_end : out.of);
			pool_free(&w.pool);
		}
	for (enum figure_name i = 0; i < FIGURES; i++)
		if (figure_known(&out.late_end[i]))
			out.of[i] = figure_join(&out.of[i], &out.late_end[i]);
	return out;
}

struct cdf_point *keys_compute_cdf(const struct key_train_samples *train, size_t n_train, bool high, size_t max, size_t *n)
{
	struct latency_pool pool = build_pool(train, n_train, LATENCY_DUE, high);
	struct cdf_point *out;
	size_t exact = 0;

	for (size_t k = 0; k < pool.n; k++)
		if (!pool.item[k].later)
			pool.item[exact++] = pool.item[k];
	for (size_t r = 0; r < n_train; r++)
		exact = train[r].overloaded ? 0 : exact;
	*n = exact < max ? exact : max;
	out = memory_new(*n, sizeof(*out));
	for (size_t i = 0; i < *n; i++) {
		size_t at = *n > 1 ? i * (exact - 1) / (*n - 1) : 0;

		out[i] = (struct cdf_point){ pool.item[at].value, (double)(at + 1) / (double)pool.n };
	}
	pool_free(&pool);
	return out;
}
