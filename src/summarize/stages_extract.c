// SPDX-License-Identifier: GPL-3.0-or-later
/* stages_extract - rows: where the time of each key went (stages.h), from samples.tsv, keyrepeat.json
 * (result.patch_base), wire.tsv and echo.tsv of each repeat. Columns: parameters of the cell;
 * stage, keys (split), of_keys, mean_ms (with ends), p50_ms, p90_ms, max_ms, from_ms, to_ms (means
 * laid end to end). Without trains that were split, and with an overloaded one, a cell has no rows. */
#include "clock.h"
#include "interval.h"
#include "keys_extract.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which a key meets them. */
static const enum stage stages_order[] = { DUE_SENT, SENT_WIRE, WIRE_APP, APP_DRAWN, DRAWN_WIRE, WIRE_WIRE, WIRE_PIXELS };

static int stages_read(void *state, const struct cell *c, const struct repeat *r, struct why *why)
{
	struct keys_cell *k = &((struct keys_run *)state)->cell[c->index];
	struct traces traces = { 0 };
	const struct json *j;
	int64_t base = -1;
	struct train *t;
	int err = repeat_json(r, "keyrepeat.json", &j, why);

	if (!k->train)
		k->train = calloc(c->n, sizeof(*k->train));
	if (err || !k->train)
		return err ? err : why_no_memory(why);
	if (j)
		json_get_int(j, "result.patch_base", &base);
	if (base < -1 || base > UINT32_MAX)	/* as keyrepeat holds it; -1: there was none */
		return why_set(why, -EPROTO, "%s/keyrepeat.json: result.patch_base is no number of a patch", r->folder);
	t = &k->train[k->n];
	err = keys_train(r, t, why);
	k->n += !err;
	if (!err)
		err = repeat_rows(r, "wire.tsv", false, traces_read_wire, &traces, why);
	if (!err)
		err = repeat_rows(r, "echo.tsv", false, traces_read_echo, &traces, why);
	if (!err && stages_of(&t->keys, &traces, base, &t->stages))
		err = why_no_memory(why);
	traces_free(&traces);
	keys_free(&t->keys);
	return err;
}

/* One stage of a repeat; STAGES_ALL: the latency itself. */
static const struct sample *stages_sample(const struct train *t, int stage)
{
	return stage == STAGES_ALL ? &t->stages.latency : &t->stages.of[stage];
}

static bool stages_any(const struct keys_cell *k, int stage)
{
	for (size_t r = 0; r < k->n; r++)
		if (k->train[r].stages.of[stage].n)
			return true;
	return false;
}

/* Where the application's log is there for some trains only, those without it are left out of every
 * row: means of the stages add up to that of the latency only where all are of the same keys. */
static bool stages_belongs(const struct train *t, bool logged)
{
	return !logged || t->stages.of[WIRE_APP].n;
}

static double stages_tail_ms(struct sample *s, double p)
{
	return sample_supports(s, p) ? sample_quantile(s, p).value / NS_PER_MS : NAN;
}

static int stages_row(struct table_out *out, const struct cell *c, const struct keys_cell *k, bool logged, int stage,
		      size_t of_keys, double *at_ms)
{
	double *means = calloc(k->n, sizeof(*means)), mean;
	struct interval i = { NAN, NAN };
	struct sample all = { 0 };
	size_t runs = 0;

	for (size_t r = 0; means && r < k->n; r++) {
		const struct sample *s = stages_sample(&k->train[r], stage);

		if (!s->n || !stages_belongs(&k->train[r], logged))
			continue;
		for (size_t n = 0; n < s->n; n++)
			sample_add(&all, s->value[n]);
		means[runs++] = sample_mean(s).value / NS_PER_MS;
	}
	mean = sample_mean(&all).value / NS_PER_MS;
	/* The mean of all keys is no geometric mean, nor that of the repeats where these have not as many: widened to hold it. */
	if (means && (interval_t_log(means, runs, &i) || interval_t(means, runs, &i)))
		i = (struct interval){ fmax(0, fmin(i.low, mean)), fmax(i.high, mean) };
	free(means);
	if (all.n) {
		row_params(out, c);
		row_text(out, "stage", stage == STAGES_ALL ? "latency" : stage_names[stage]);
		row_number(out, "keys", (double)all.n);
		row_number(out, "of_keys", (double)of_keys);
		row_number(out, "mean_ms", mean);
		row_number(out, "mean_ms_low", i.low);
		row_number(out, "mean_ms_high", i.high);
		row_number(out, "p50_ms", stages_tail_ms(&all, 0.5));
		row_number(out, "p90_ms", stages_tail_ms(&all, 0.9));
		row_number(out, "max_ms", sample_max(&all).value / NS_PER_MS);
		row_number(out, "from_ms", stage == STAGES_ALL ? 0 : *at_ms);
		*at_ms = stage == STAGES_ALL ? mean : *at_ms + mean;
		row_number(out, "to_ms", *at_ms);
		row_end(out);
	}
	sample_free(&all);
	return means && !all.lost ? 0 : -ENOMEM;
}

static int stages_cell(const struct cell *c, const struct keys_cell *k, struct table_out *out)
{
	bool logged = stages_any(k, WIRE_APP);
	size_t of_keys = 0;
	double at_ms = 0;
	int err = 0;

	for (size_t r = 0; r < k->n; r++) {
		of_keys += stages_belongs(&k->train[r], logged) ? k->train[r].stages.keys : 0;
		if (k->train[r].overloaded)	/* they would tell how long the run was */
			return 0;
	}
	for (size_t i = 0; i < sizeof(stages_order) / sizeof(*stages_order) && !err; i++)
		if (stages_any(k, (int)stages_order[i]) && !(logged && stages_order[i] == WIRE_WIRE))
			err = stages_row(out, c, k, logged, (int)stages_order[i], of_keys, &at_ms);
	return !err && stages_any(k, DUE_SENT) ? stages_row(out, c, k, logged, STAGES_ALL, of_keys, &at_ms) : err;
}

static int stages_rows(void *state, const char *table, struct table_out *out, struct why *why)
{
	const struct keys_run *s = state;
	int err = 0;

	(void)table;
	for (size_t i = 0; !err && i < s->run->n; i++)
		err = stages_cell(&s->run->cell[i], &s->cell[i], out);
	return err ? why_no_memory(why) : 0;
}

const struct extractor stages_extractor = {
	.name = "stages", .open = keys_open, .read = stages_read, .rows = stages_rows,
	.close = keys_close,
};
