// SPDX-License-Identifier: GPL-3.0-or-later
/* stages_extract - rows: latency of keys by stage (stages.h), from samples.tsv, keyrepeat.json (result.patch_base), wire.tsv and
 * echo.tsv of each repeat. Columns: parameters of the cell; stage, keys (that were split), of_keys, mean_ms (with ends), p50_ms,
 * p90_ms, max_ms, from_ms, milliseconds (cumulative means). A cell without keys that were split, or with an overloaded train, has
 * no rows. */
#include "clock.h"
#include "engine.h"
#include "stages.h"

struct train_stages {
	struct stage_samples stages;
	bool overloaded;
};

static void read_repeat(const struct experiment_repeat *r)
{
	struct train_stages *own = extractor_repeat_data(r);
	const struct json_document *j = repeat_get_json(r, "keyrepeat.json");
	struct key_train_samples train = keys_read_train(r);
	struct train_traces traces = { 0 };
	int64_t base = -1;

	if (j)
		json_get_int(j, "result.patch_base", &base);
	if (base < -1 || base > UINT32_MAX) /* range of keyrepeat's numbers; -1: there was none */
		die(EXIT_RUN, "%s/keyrepeat.json: result.patch_base is not -1 to 4294967295", r->folder);
	repeat_read_table(r, "wire.tsv", false, &traces_wire, &traces);
	repeat_read_table(r, "echo.tsv", false, &traces_echoes, &traces);
	*own = (struct train_stages){ stages_split_train(&train.keys, &traces, base), train.overloaded };
	traces_free(&traces);
	keys_free(&train.keys);
}

static bool has_stage(const struct experiment_cell *c, enum stage stage)
{
	const struct train_stages *t = extractor_repeat_data(c->repeat);

	for (size_t r = 0; r < c->n; r++)
		if (t[r].stages.of[stage].n)
			return true;
	return false;
}

/* False: the train has no log of the application while others do; it is left out of all rows, because means of stages add up to the
 * mean latency only if all are of the same keys. */
static bool is_train_included(const struct train_stages *t, bool logged)
{
	return !logged || t->stages.of[WIRE_APP].n;
}

static double quantile_ms(struct sample *s, double p)
{
	return sample_supports(s, p) ? sample_quantile(s, p).value / NS_PER_MS : NAN;
}

static void write_stage(struct table_out *out, const struct experiment_cell *c, bool logged, enum stage stage, size_t of_keys,
			double *at_ms)
{
	const struct train_stages *t = extractor_repeat_data(c->repeat);
	double *means = memory_new(c->n, sizeof(*means)), mean;
	struct interval i = { NAN, NAN };
	struct sample all = { 0 };
	size_t runs = 0;

	for (size_t r = 0; r < c->n; r++) {
		const struct sample *s = &t[r].stages.of[stage];

		if (!s->n || !is_train_included(&t[r], logged))
			continue;
		for (size_t n = 0; n < s->n; n++)
			sample_add(&all, s->value[n]);
		means[runs++] = sample_mean(s).value / NS_PER_MS;
	}
	mean = sample_mean(&all).value / NS_PER_MS;
	/* The mean of all keys differs from the geometric mean, and from the mean of repeats with different numbers of keys: the interval
	 * is widened to include it. */
	if (interval_t_logs(means, runs, &i) || interval_t_mean(means, runs, &i))
		i = (struct interval){ fmax(0, fmin(i.low, mean)), fmax(i.high, mean) };
	free(means);
	if (!all.n)
		return;
	row_set_parameters(out, c);
	row_set_text(out, "stage", stage_names[stage]);
	row_numbers(out, { "keys", (double)all.n }, { "of_keys", (double)of_keys }, { "mean_ms", mean }, { "mean_ms_low", i.low },
		    { "mean_ms_high", i.high }, { "p50_ms", quantile_ms(&all, 0.5) }, { "p90_ms", quantile_ms(&all, 0.9) },
		    { "max_ms", sample_max(&all).value / NS_PER_MS });
	*at_ms = stage == LATENCY ? 0 : *at_ms;
	row_set_number(out, "from_ms", *at_ms);
	*at_ms += mean;
	row_finish(out, { "to_ms", *at_ms });
	sample_free(&all);
}

static void write_cell(const struct experiment_cell *c, struct table_out *out)
{
	const struct train_stages *t = extractor_repeat_data(c->repeat);
	bool logged = has_stage(c, WIRE_APP);
	size_t of_keys = 0;
	double at_ms = 0;

	for (size_t r = 0; r < c->n; r++) {
		of_keys += is_train_included(&t[r], logged) ? t[r].stages.keys : 0;
		if (t[r].overloaded) /* the stages of an overloaded train grow with the length of the run */
			return;
	}
	for (enum stage s = 0; s < STAGES; s++)
		if (has_stage(c, s) && !(logged && s == WIRE_WIRE))
			write_stage(out, c, logged, s, of_keys, &at_ms);
}

const struct extractor_hooks stages_extractor = {
	.name = "stages",
	.repeat_size = sizeof(struct train_stages),
	.read_repeat = read_repeat,
	.tables = { { NULL, write_cell } },
};
