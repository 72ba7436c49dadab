// SPDX-License-Identifier: GPL-3.0-or-later
/* pagein_extract - pagein.json of each repeat: latency of the first and second key of each run, by the state that pagein found;
 * resident memory before, page faults after.
 *
 * Sums are over the processes of the session. Runs of the last two groups are in no figure: memory that should have been paged out
 * was not, or memory that should have been resident was not. */
#include "trials.h"

enum pagein_group { PAGEIN_IN_MEMORY, PAGEIN_OUT, PAGEIN_KEPT, PAGEIN_NOT_EVICTED, PAGEIN_NOT_IN_MEMORY };
static const char *const pagein_groups[] = { "in_memory", "paged_out", "kept", "not_evicted", "not_in_memory", NULL };

enum pagein_value {
	PAGEIN_FIRST,
	PAGEIN_SECOND,
	PAGEIN_TYPED,
	PAGEIN_TYPED_MAX,
	PAGEIN_SWAP_IN,
	PAGEIN_READ,
	PAGEIN_EVICTED,
	PAGEIN_SUMS, /* first of six sums over the processes */
	/* major faults of the process with fewest; PAGEIN_EVICTED: of the process with the least share in swap */
	PAGEIN_LEAST = PAGEIN_SUMS + 6
};
static const char *const pagein_values[] = {
	"first_key_ms",	     "second_key_ms",	"typed_ms",	"typed_max_ms",	      "swap_in_bytes",
	"read_percent",	     "evicted_percent", "swap_bytes",	"anonymous_bytes",    "file_resident_bytes",
	"file_others_bytes", "major_faults",	"minor_faults", "major_faults_least", NULL,
};

/* Sets the latency of a key; with an echo in doubt, its time as a lower bound, without one the timeout. */
static void set_key_latency(const struct json_document *j, const char *prefix, struct trial *t, int value)
{
	double ms = json_number(j, "%s.%s", prefix, pagein_values[value]),
	       above = json_number(j, "%s.above.%s", prefix, pagein_values[value]);

	if (isnan(above))
		above = json_number(j, "settings.timeout_s") * 1000;
	trials_set_value(t, value, isnan(ms) ? above : ms, isnan(ms));
}

/* Sets the median and the largest latency of the keys typed while memory was taken. */
static void set_typed_latencies(const struct json_document *j, const char *prefix, struct trial *t)
{
	static const char *const of[] = { "p50", "max" };

	for (int v = 0; v < 2; v++) {
		double ms = json_number(j, "%s.typed_ms.%s", prefix, of[v]),
		       least = json_number(j, "%s.typed_ms.above.%s", prefix, of[v]);

		trials_set_value(t, PAGEIN_TYPED + v, isnan(ms) ? least : ms, isnan(ms) && !isnan(least));
	}
}

/* Adds up figures of the processes; a sum is unknown if one process lacks the figure. */
static void sum_processes(const struct json_document *j, const char *prefix, struct trial *t)
{
	static const char *const sums[] = { "swap_bytes",	   "anonymous_private_bytes",
					    "file_resident_bytes", "file_mapped_by_others_bytes",
					    "major_faults",	   "minor_faults" };

	for (int p = 0;; p++) {
		char of[96];

		snprintf(of, sizeof(of), "%s.processes.%d", prefix, p);
		if (isnan(json_number(j, "%s.pid", of)))
			return;
		for (size_t k = 0; k < sizeof(sums) / sizeof(*sums); k++)
			t->value[PAGEIN_SUMS + k] = (p ? t->value[PAGEIN_SUMS + k] : 0) + json_number(j, "%s.%s", of, sums[k]);
		t->value[PAGEIN_EVICTED] = fmin(t->value[PAGEIN_EVICTED], json_number(j, "%s.evicted_percent", of));
		t->value[PAGEIN_LEAST] = fmin(t->value[PAGEIN_LEAST], json_number(j, "%s.major_faults", of));
	}
}

static void read_trial(const struct experiment_repeat *r, const struct json_document *j, const char *path, const char *state,
		       struct trial *t)
{
	const char *text = json_get_text(j, "%s.why", path);
	int group = find_word(pagein_groups, state);

	if (group < 0)
		die(EXIT_RUN, "%s/pagein.json: result.runs[] has an unknown state", r->folder);
	t->group = (unsigned)group;
	snprintf(t->text, sizeof(t->text), "%s", text ? text : "");
	for (int v = PAGEIN_FIRST; group <= PAGEIN_KEPT && v <= PAGEIN_SECOND; v++)
		set_key_latency(j, path, t, v);
	set_typed_latencies(j, path, t);
	sum_processes(j, path, t);
	t->value[PAGEIN_SWAP_IN] = json_number(j, "%s.swap_in_bytes", path);
	t->value[PAGEIN_READ] = json_number(j, "%s.refaulted_read_percent", path);
}

static void read_repeat(const struct experiment_repeat *r)
{
	trials_read_file(extractor_cell_data(r->cell), r, "pagein.json", read_trial);
}

static bool compute_figure(const struct experiment_cell *c, const char *path, struct figure *out)
{
	return trials_compute_figure(extractor_cell_data(c), pagein_groups, pagein_values, path, out);
}

/* Gives `why` of the first run that was not evicted. */
static void set_reason(const struct experiment_cell *c)
{
	const struct cell_trials *runs = extractor_cell_data(c);

	for (size_t i = 0; i < runs->n; i++)
		if (runs->of[i].group == PAGEIN_NOT_EVICTED)
			extractor_set_text("why", runs->of[i].text);
}

static void write_trials(const struct experiment_cell *c, struct table_out *out)
{
	const struct cell_trials *runs = extractor_cell_data(c);

	for (const struct trial *t = runs->of; t < runs->of + runs->n; t++) {
		trials_begin_row(c, t, pagein_values, PAGEIN_LEAST - 1, out);
		row_set_text(out, "state", pagein_groups[t->group]);
		row_set_number(out, "first_key_above", t->above >> PAGEIN_FIRST & 1);
		row_set_text(out, "why", t->text);
		row_write(out);
	}
}

const struct extractor_hooks pagein_extractor = {
	.name = "pagein",
	.cell_size = sizeof(struct cell_trials),
	.read_repeat = read_repeat,
	.finish_cell = set_reason,
	.figure_of = compute_figure,
	.tables = { { NULL, write_trials } },
};
