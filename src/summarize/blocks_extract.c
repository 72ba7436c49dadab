// SPDX-License-Identifier: GPL-3.0-or-later
/* blocks_extract - the trains in folder `wire`: keys sent in blocks, whose latency is measured from packets alone (wire.tsv),
 * checked against the pixels of the same train (traces.h).
 *
 * Figures: trains, keys (measured from packets), truth (percent of truth_keys whose true screen update lies in the key's range,
 * with its exact interval), truth_keys, exact (percent of them with a range of length 0), and SET.p50 etc. of the keys measured
 * from packets (keys_extract.c). */
#include "engine.h"
#include "traces.h"

struct blocks_cell {
	size_t trains; /* number of trains; their keys are kept in the data of the first repeats */
	struct wire_check_counts wire_check;
};

static void read_wire_keys(const struct experiment_repeat *r)
{
	struct blocks_cell *cell = extractor_cell_data(r->cell);
	struct key_train_samples *train = extractor_repeat_data(r->cell->repeat);
	const struct experiment_repeat *wire = repeat_find_train(r, "wire");
	struct train_traces traces = { 0 };
	struct wire_check_counts wire_check;
	struct key_samples pixels;

	if (!wire)
		return;
	train += cell->trains++;
	*train = keys_read_train(wire);
	pixels = train->keys;
	repeat_read_table(wire, "wire.tsv", false, &traces_wire, &traces);
	wire_check = wire_check_compare(&pixels, &traces);
	cell->wire_check.keys += wire_check.keys;
	cell->wire_check.held += wire_check.held;
	cell->wire_check.exact += wire_check.exact;
	train->keys = wire_check_make_keys(&pixels, &traces);
	keys_free(&pixels);
	traces_free(&traces);
}

static void set_check_figures(const struct experiment_cell *c)
{
	const struct blocks_cell *cell = extractor_cell_data(c);
	const struct key_train_samples *train = extractor_repeat_data(c->repeat);
	double keys = (double)cell->wire_check.keys, told = 0;
	struct interval i = { NAN, NAN };

	for (size_t n = 0; n < cell->trains; n++)
		told += (double)train[n].keys.n;
	if (cell->wire_check.keys)
		interval_share_ci(cell->wire_check.held, cell->wire_check.keys, &i);
	give_values({ "trains", (double)cell->trains }, { "keys", told }, { "truth_keys", keys },
		    { "exact", 100 * (double)cell->wire_check.exact / keys });
	extractor_set_figure("truth", figure_estimate(100 * (double)cell->wire_check.held / keys, 100 * i.low, 100 * i.high));
	keys_set_figures(c, train, cell->trains);
}

const struct extractor_hooks blocks_extractor = {
	.name = "blocks",
	.cell_size = sizeof(struct blocks_cell),
	.repeat_size = sizeof(struct key_train_samples),
	.read_repeat = read_wire_keys,
	.finish_cell = set_check_figures,
};
