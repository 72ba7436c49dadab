// SPDX-License-Identifier: GPL-3.0-or-later
/* keys_extract - latencies of keys (or pings) of the repeats themselves, from samples.tsv and the overload in
 * keyrepeat.json.
 *
 * Numbers of a repeat:
 *	low.mean, low.sd, low.variance, low.p50		ms; the last is unknown where it is a bound
 *	coalesced_percent				of the keys answered, those that a later key's echo answered too
 * Figures of a cell, over the keys of all repeats (percentiles are unknown where a repeat is overloaded):
 *	SET.p50 SET.p90 SET.p95 SET.p99 SET.max		ms; SET: low, high (early, late end of a range; high is unknown
 *							where all are exact), end (high, or else low), sent (p50 only: from
 *							when the key was sent)
 *	low.min, low.most, low.bound			ms; the largest value known, and 1 where that is a bound
 *	lateness.p99, lateness.max			us, of sending
 *	late, late.high					percent over the threshold, by early and late ends
 *	keys, asked, unknown, unknown_percent		keys of which something is known, all, the others
 *	skipped, censored, ranged, overloaded		warm-up keys, without an echo, known as a range; repeats
 *	updates_per_answer				updates by keys with an echo
 * Texts: interval, late_interval (how they were made). Rows: cdf (curve of each cell: latency_ms, share,
 * bound, parameters), compare (compare_rows.c). In the report: cells_overloaded and idle_noise. */
#include "keys_extract.h"
#include "clock.h"
#include "interval.h"
#include "room.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS ((double)NS_PER_MS)

/* --- reading --------------------------------------------------------------------------------------------------- */

static int keys_ping_row(void *context, char *const *cell)
{
	struct keys *k = context;
	struct key *grown;
	int64_t ns;

	if (!rows_in_count(cell[1], &ns))
		return -EPROTO;
	grown = room_for(k->key, k->n, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	k->key = grown;
	k->key[k->n++] = (struct key){ .answer = ns, .answer_high = ns, .censored = KEY_NONE, .number = KEY_NONE };
	return 0;
}

static int keys_reader(FILE *in, void *into, unsigned long *line)
{
	static const char *const columns[] = { "number", "rtt_ns", NULL };
	char text[128] = "";

	while (!strchr(text, '\n') && fgets(text, sizeof(text), in))
		;	/* the header */
	text[0] = '\0';
	fgets(text, sizeof(text), in);
	rewind(in);
	if (strncmp(text, "ping/1\t", 7) != 0)
		return keys_read(in, into, line);
	return rows_in_read(in, "ping/1", columns, 2, keys_ping_row, into, line);
}

int keys_of_repeat(const struct repeat *r, struct keys *out, struct why *why)
{
	int err;

	*out = (struct keys){ 0 };
	err = repeat_rows(r, "samples.tsv", true, keys_reader, out, why);
	if (err)
		keys_free(out);
	return err;
}

int keys_train(const struct repeat *r, struct train *out, struct why *why)
{
	const struct json *j;
	int err = repeat_json(r, "keyrepeat.json", &j, why);

	*out = (struct train){ .repeat = r->number };
	if (!err && j)
		json_get_bool(j, "result.overloaded", &out->overloaded);
	return err ? err : keys_of_repeat(r, &out->keys, why);
}

int keys_low(const struct keys *keys, struct sample *out)
{
	*out = (struct sample){ 0 };
	for (size_t i = 0; i < keys->n; i++) {
		int64_t ns;
		bool later;

		if (key_latency(&keys->key[i], false, &ns, &later))
			(later ? sample_add_censored : sample_add)(out, ns);
	}
	return out->lost ? -ENOMEM : 0;
}

double keys_median(const struct train *t)
{
	struct sample s;
	struct sample_stat m = { NAN, false };

	if (!keys_low(&t->keys, &s) && !t->overloaded)
		m = sample_quantile(&s, 0.5);
	sample_free(&s);
	return m.above ? (double)NAN : m.value;
}

void *keys_open(const struct run *run, struct why *why)
{
	return run_state(run, sizeof(struct keys_run), sizeof(struct keys_cell), why);
}

static int keys_read_repeat(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct keys_cell *k = &((struct keys_run *)state)->cell[c->index];
	int err;

	if (!k->train)
		k->train = calloc(c->n, sizeof(*k->train));
	if (!k->train)
		return why_no_memory(why);
	err = keys_train(r, &k->train[k->n], why);
	k->n += !err;
	return err;
}

void keys_close(void *state)
{
	struct keys_run *s = state;

	for (size_t i = 0; i < s->run->n; i++) {
		for (size_t r = 0; r < s->cell[i].n; r++) {
			keys_free(&s->cell[i].train[r].keys);
			stages_free(&s->cell[i].train[r].stages);
		}
		free(s->cell[i].train);
	}
	free(s);
}

/* --- figures --------------------------------------------------------------------------------------------------- */

static double keys_coalesced_percent(const struct repeat *r)
{
	const struct json *j;
	struct why ignored;	/* keys_train() has read it */

	repeat_json(r, "keyrepeat.json", &j, &ignored);
	return 100 * inputs_number(j, "result.coalesced") / inputs_number(j, "result.keys_answered");
}

static int keys_number(void *state, const struct cell *c, const struct repeat *r, const char *path, double *out)
{
	const struct train *t = &((struct keys_run *)state)->cell[c->index].train[r->index];
	struct sample s;
	int err = keys_low(&t->keys, &s);

	if (!strcmp(path, "low.p50"))
		*out = keys_median(t) / MS;
	else if (!strcmp(path, "low.mean"))
		*out = sample_mean(&s).value / MS;
	else if (!strcmp(path, "low.sd"))
		*out = sample_sd(&s).value / MS;
	else if (!strcmp(path, "low.variance"))
		*out = pow(sample_sd(&s).value / MS, 2);
	else if (!strcmp(path, "coalesced_percent"))
		*out = keys_coalesced_percent(r);
	else
		err = err ? err : -ENOENT;
	sample_free(&s);
	return err;
}

static const struct {
	const char *path;
	enum figure_name low, exact;	/* exact: instead where no key is a range; the same: no matter */
} keys_figures[] = {
	{ "late", LATE, LATE }, { "late.high", LATE_HIGH, LATE_HIGH },
	{ "low.p50", P50, P50 }, { "low.p90", P90, P90 }, { "low.p95", P95, P95 }, { "low.p99", P99, P99 }, { "low.max", MAX, MAX },
	{ "high.p50", HIGH_P50, HIGH_P50 }, { "high.p90", HIGH_P90, HIGH_P90 }, { "high.p95", HIGH_P95, HIGH_P95 },
	{ "high.p99", HIGH_P99, HIGH_P99 }, { "high.max", HIGH_MAX, HIGH_MAX }, { "end.p50", HIGH_P50, P50 }, { "end.p90", HIGH_P90, P90 },
	{ "sent.p50", SENT_P50, SENT_P50 }, { "lateness.p99", LATENESS_P99, LATENESS_P99 }, { "lateness.max", LATENESS_MAX, LATENESS_MAX },
};

/* Keys with an echo, and the updates that were these: fewer, where one answers several. */
static double keys_updates_per_answer(const struct keys_cell *k)
{
	size_t answered = 0, updates = 0;

	for (size_t i = 0; i < k->n; i++) {
		int64_t update = KEY_NONE;

		for (size_t n = 0; n < k->train[i].keys.n; n++) {
			int64_t answer = k->train[i].keys.key[n].answer;

			answered += answer != KEY_NONE;
			updates += answer != KEY_NONE && answer != update;
			update = answer != KEY_NONE ? answer : update;
		}
	}
	return answered ? (double)updates / (double)answered : (double)NAN;
}

static double keys_least_ms(const struct keys_cell *k)
{
	double least = NAN;

	for (size_t i = 0; i < k->n; i++) {
		struct sample s;

		if (!keys_low(&k->train[i].keys, &s))
			least = fmin(least, sample_min(&s).value / MS);
		sample_free(&s);
	}
	return least;
}

static int keys_count(const struct keys_cell *k, const char *path, double *out)
{
	const struct estimates *e = &k->of;
	const struct {
		const char *path;
		size_t n;
	} counts[] = {
		{ "keys", e->keys }, { "asked", e->keys + e->unknown }, { "unknown", e->unknown }, { "skipped", e->skipped },
		{ "censored", e->censored }, { "ranged", e->ranged_keys }, { "overloaded", e->overloaded }, { "low.bound", e->of[MAX].above },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (!strcmp(path, counts[i].path)) {
			*out = (double)counts[i].n;
			return 0;
		}
	return -ENOENT;
}

int keys_pooled(const struct run *run, struct keys_cell *k, const char *path, struct figure *out)
{
	const struct estimates_cfg cfg = {
		.threshold_ns = llround(run->threshold_ms * MS), .draws = run->draws, .seed = (uint64_t)run->seed,
	};

	if (!k->made && estimates_of(k->train, k->n, &cfg, &k->of))
		return -ENOMEM;
	k->made = true;
	for (size_t i = 0; i < sizeof(keys_figures) / sizeof(*keys_figures); i++)
		if (!strcmp(path, keys_figures[i].path)) {
			*out = k->of.of[k->of.ranged ? keys_figures[i].low : keys_figures[i].exact];
			return 0;
		}
	if (!strcmp(path, "low.most"))
		out->value = k->of.of[MAX].value;
	else if (!strcmp(path, "low.min"))
		out->value = keys_least_ms(k);
	else if (!strcmp(path, "unknown_percent"))
		out->value = 100.0 * (double)k->of.unknown / (double)(k->of.keys + k->of.unknown);
	else if (!strcmp(path, "updates_per_answer"))
		out->value = keys_updates_per_answer(k);
	else
		return keys_count(k, path, &out->value);
	return 0;
}

static int keys_figure(void *state, const struct cell *c, const char *path, struct figure *out)
{
	struct keys_run *s = state;

	return keys_pooled(s->run, &s->cell[c->index], path, out);
}

static const char *keys_text(void *state, const struct cell *c, const char *path)
{
	static const char *const kinds[] = { "none", "t", "bca", "exact" };
	struct keys_run *s = state;
	struct figure ignored;

	if (keys_pooled(s->run, &s->cell[c->index], "late", &ignored))
		return NULL;
	return kinds[strcmp(path, "interval") ? s->cell[c->index].of.late_interval : s->cell[c->index].of.interval];
}

/* --- rows and report ------------------------------------------------------------------------------------------- */

static int keys_curve(const struct cell *c, const struct keys_cell *k, bool high, const char *bound, struct table_out *out)
{
	struct cdf_point *point;
	size_t n;
	int err = estimates_cdf(k->train, k->n, high, CDF_POINTS, &point, &n);

	for (size_t i = 0; !err && i < n; i++) {
		row_params(out, c);
		row_number(out, "latency_ms", (double)point[i].ns / MS);
		row_number(out, "share", point[i].share);
		row_text(out, "bound", bound);
		row_end(out);
	}
	free(point);
	return err;
}

static int keys_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	struct keys_run *s = state;
	int err = 0;

	if (!strcmp(table, "compare"))
		return compare_rows(s, out, why);
	for (size_t i = 0; !err && i < s->run->n; i++) {
		struct keys_cell *k = &s->cell[i];
		struct figure ignored;

		err = keys_pooled(s->run, k, "late", &ignored);
		if (!err)
			err = keys_curve(&s->run->cell[i], k, false, k->of.ranged ? "low" : "exact", out);
		if (!err && k->of.ranged)
			err = keys_curve(&s->run->cell[i], k, true, "high", out);
	}
	return err ? why_no_memory(why) : 0;
}

static void keys_report_idle(const struct json *run, const char *app, struct rec *out)
{
	double updates = inputs_number(run, "idle.%s.updates", app), seconds = inputs_number(run, "idle.%s.seconds", app);

	if (!isfinite(updates) || !(seconds > 0))
		return;
	rec_object(out, app);
	rec_int(out, "updates", llround(updates));
	rec_real(out, "seconds", seconds, 3);
	rec_real(out, "unsolicited_per_s", updates / seconds, 4);
	rec_real(out, "unsolicited_high_per_s", interval_rate_high(updates) / seconds, 4);
	rec_end(out);
}

static void keys_report(void *state, struct rec *out)
{
	static const char *const apps[] = { "light", "heavy", "own" };
	struct keys_run *s = state;
	int64_t overloaded = 0;

	for (size_t i = 0; i < s->run->n; i++)
		overloaded += s->cell[i].of.overloaded > 0;
	rec_int(out, "cells_overloaded", overloaded);
	rec_object(out, "idle_noise");
	for (size_t i = 0; i < 3; i++)
		keys_report_idle(s->run->json, apps[i], out);
	rec_end(out);
}

const struct extractor keys_extractor = {
	.name = "keys", .open = keys_open, .read = keys_read_repeat, .number = keys_number,
	.figure = keys_figure, .text = keys_text, .rows = keys_rows, .report = keys_report,
	.close = keys_close,
};
