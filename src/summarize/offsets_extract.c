// SPDX-License-Identifier: GPL-3.0-or-later
/* offsets_extract - rows: the measurement error of each probe (offsets.h), for each path and injected delay, and for all delays of
 * a path together ("all"), over all complete repeats. Parameters: path, delay (a name in run.json's settings.delays). Files:
 * samples.tsv, echo.tsv, and wire.tsv where packets were captured. less_base_ms: offset minus the offset without an injected delay;
 * protocols.PATH.floor_ms of run.json: time that the path itself takes. */
#include "clock.h"
#include "engine.h"
#include "offsets.h"

#define MS ((double)NS_PER_MS)

struct offsets_group {
	struct probe_offsets of[PROBES];
	size_t trains[PROBES], flagged[PROBES];
};
struct offsets_cell {
	struct offsets_group own, all; /* own: of this cell; all: of the path, kept with the path's first cell */
};

static bool same_path(const struct experiment_cell *a, const struct experiment_cell *b)
{
	return !strcmp(cell_require_text(a, "path"), cell_require_text(b, "path"));
}

static void add_train(struct offsets_group *g, const struct experiment_repeat *r, const struct key_samples *keys,
		      const struct train_traces *traces)
{
	for (int p = 0; p < PROBES; p++) {
		if (p == PROBE_WIRE && !repeat_has_file(r, "wire.tsv"))
			continue;
		offsets_add_train(&g->of[p], (enum probe)p, keys, traces);
		g->trains[p]++;
		g->flagged[p] += r->flagged;
	}
}

static void read_repeat(const struct experiment_repeat *r)
{
	const struct experiment_cell *first = r->cell->run->cell;
	struct offsets_cell *cell = extractor_cell_data(r->cell), *path;
	struct key_samples keys = keys_read_train(r).keys;
	struct train_traces traces = { 0 };

	while (!same_path(first, r->cell))
		first++;
	path = extractor_cell_data(first);
	repeat_read_table(r, "echo.tsv", true, &traces_echoes, &traces);
	repeat_read_table(r, "wire.tsv", false, &traces_wire, &traces);
	add_train(&cell->own, r, &keys, &traces);
	add_train(&path->all, r, &keys, &traces);
	keys_free(&keys);
	traces_free(&traces);
}

static double quantile_ms(struct sample *s, double q)
{
	return sample_quantile(s, q).value / MS;
}

/* Writes one row. base_ms: the offset without an injected delay; NAN: not known. */
static void write_probe(struct table_out *out, const struct experiment_cell *c, const char *delay, int probe,
			struct offsets_group *g, double base_ms)
{
	struct sample *of = g->of[probe].of;
	int tail = offsets_tail_percentile(&of[OFFSET]);
	double offset = quantile_ms(&of[OFFSET], 0.5);
	double floor_ms = json_number(c->run->json, "protocols.%s.floor_ms", cell_require_text(c, "path"));

	row_set_text(out, "path", cell_require_text(c, "path"));
	row_set_text(out, "probe", probe_names[probe]);
	row_set_text(out, "delay", delay);
	row_finish(out, { "trains", (double)g->trains[probe] }, { "marked", (double)g->flagged[probe] },
		   { "keys", (double)of[OFFSET].n }, { "lost", (double)g->of[probe].lost },
		   { "injected_ms", quantile_ms(&of[INJECTED], 0.5) }, { "measured_ms", quantile_ms(&of[MEASURED], 0.5) },
		   { "offset_ms", offset }, { "offset_min_ms", sample_min(&of[OFFSET]).value / MS },
		   { "offset_max_ms", sample_max(&of[OFFSET]).value / MS }, { "sd_ms", sample_sd(&of[OFFSET]).value / MS },
		   { "tail_percent", tail ? (double)tail : (double)NAN },
		   { "tail_ms", tail ? quantile_ms(&of[OFFSET], tail / 100.0) - offset : (double)NAN },
		   { "error_ms", tail ? quantile_ms(&of[MAGNITUDE], tail / 100.0) : (double)NAN },
		   { "there_ms", quantile_ms(&of[THERE], 0.5) }, { "back_ms", quantile_ms(&of[BACK], 0.5) },
		   { "less_base_ms", offset - base_ms }, { "floor_ms", floor_ms }, { "less_floor_ms", offset - floor_ms });
}

/* True: the cell has no injected delay. */
static bool has_no_delay(const struct experiment_cell *c)
{
	const char *delay = cell_text(c, "delay"), *name = "";

	for (int d = 0; delay && name; d++) {
		double ms = json_number(c->run->json, "settings.delays.%d.ms", d);

		name = json_get_text(c->run->json, "settings.delays.%d.name", d);
		if (name && !strcmp(name, delay))
			return ms >= 0 && ms <= 0;
	}
	return false;
}

/* Writes the rows of a path, with its first cell. */
static void write_path(const struct experiment_cell *first, struct table_out *out)
{
	struct offsets_group *all = &((struct offsets_cell *)extractor_cell_data(first))->all;
	double base[PROBES] = { NAN, NAN };

	if (!cell_is_first(first, "path"))
		return;
	for (const struct experiment_cell *c = first; c < first->run->cell + first->run->n; c++) {
		struct offsets_group *g = &((struct offsets_cell *)extractor_cell_data(c))->own;

		for (int p = 0; same_path(c, first) && p < PROBES; p++) {
			if (has_no_delay(c) && g->of[p].of[OFFSET].n)
				base[p] = quantile_ms(&g->of[p].of[OFFSET], 0.5);
			if (g->trains[p])
				write_probe(out, c, cell_text(c, "delay"), p, g, base[p]);
		}
	}
	for (int p = 0; p < PROBES; p++)
		if (all->trains[p])
			write_probe(out, first, "all", p, all, base[p]);
}

const struct extractor_hooks offsets_extractor = {
	.name = "offsets",
	.cell_size = sizeof(struct offsets_cell),
	.read_repeat = read_repeat,
	.tables = { { NULL, write_path } },
};
