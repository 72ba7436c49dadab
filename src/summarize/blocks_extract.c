// SPDX-License-Identifier: GPL-3.0-or-later
/* blocks_extract - the series `wire`: keys in blocks, as the wire alone tells them (wire.tsv), held against
 * the pixels of the same train (traces.h).
 *
 * Figures: trains, keys (told by the wire), truth (percent of truth_keys whose true update lies in
 * the key's range, with its exact interval), truth_keys, exact (percent of them told as exact), and
 * SET.p50 etc. of the keys that the wire tells (keys_extract.c). */
#include "interval.h"
#include "engine.h"
#include "keys.h"
#include "traces.h"

struct blocks_cell {
	size_t trains;			/* kept in the first repeats' places */
	struct truth truth;
};

static void blocks_take(const struct repeat *r)
{
	struct blocks_cell *cell = cell_own(r->cell);
	struct train_keys *train = repeat_own(r->cell->repeat);
	const struct repeat *wire = repeat_train(r, "wire");
	struct traces traces = { 0 };
	struct truth truth;
	struct keys pixels;

	if (!wire)
		return;
	train += cell->trains++;
	*train = keys_train(wire);
	pixels = train->keys;
	repeat_table(wire, "wire.tsv", false, &traces_wire, &traces);
	truth = truth_of(&pixels, &traces);
	cell->truth.keys += truth.keys;
	cell->truth.held += truth.held;
	cell->truth.exact += truth.exact;
	train->keys = truth_wire_keys(&pixels, &traces);
	keys_free(&pixels);
	traces_free(&traces);
}

static void blocks_finish(const struct cell *c)
{
	const struct blocks_cell *cell = cell_own(c);
	const struct train_keys *train = repeat_own(c->repeat);
	double keys = (double)cell->truth.keys, told = 0;
	struct interval i = { NAN, NAN };

	for (size_t n = 0; n < cell->trains; n++)
		told += (double)train[n].keys.n;
	if (cell->truth.keys)
		interval_share(cell->truth.held, cell->truth.keys, &i);
	give_values({ "trains", (double)cell->trains }, { "keys", told }, { "truth_keys", keys },
		    { "exact", 100 * (double)cell->truth.exact / keys });
	give_figure("truth", (struct figure){ 100 * (double)cell->truth.held / keys, 100 * i.low, 100 * i.high, false, 0 });
	keys_give(c, train, cell->trains);
}

const struct extractor blocks_extractor = {
	.name = "blocks", .cell_size = sizeof(struct blocks_cell), .repeat_size = sizeof(struct train_keys), .take = blocks_take,
	.finish = blocks_finish,
};
