// SPDX-License-Identifier: GPL-3.0-or-later
/* drift_extract - figures of the blocks of a long session (blocks.tsv), and what judge says of each (key drift of cell.json). */
#include "engine.h"

#include <stdio.h>

static void write_figures(const struct experiment_cell *c, struct table_out *out)
{
	for (size_t k = 0; k < c->n; k++) {
		const struct experiment_repeat *r = &c->repeat[k];

		for (size_t i = 0; json_get_text(r->json, "drift.figures.%zu.figure", i); i++) {
			char path[48];

			snprintf(path, sizeof(path), "drift.figures.%zu", i);
			row_set_parameters(out, c);
			row_set_number(out, "repeat", (double)r->number);
			row_set_json(
				out, r->json, path,
				"figure unit verdict told_by first last change low high end change_unit step per_hour "
				"since_h=since_s*0.000277777778 told_h=told_s*0.000277777778 returned_h=returned_s*0.000277777778");
			row_set_json(out, r->json, "drift", "session=verdict");
			row_set_text(out, "ended", json_get_text(r->json, "reason"));
			row_write(out);
		}
	}
}

struct block_writer {
	const struct experiment_repeat *repeat;
	struct table_out *out;
	double block_h;
};

static int write_block(void *into, const struct input_cell *cell)
{
	const struct block_writer *w = into;

	row_set_parameters(w->out, w->repeat->cell);
	row_set_text(w->out, "figure", cell[1].text);
	row_finish(w->out, { "repeat", (double)w->repeat->number }, { "time_h", cell[0].real * w->block_h },
		   { "value", cell[2].real });
	return 0;
}

static void write_blocks(const struct experiment_cell *c, struct table_out *out)
{
	static const struct input_table blocks = { "blocks/1", "start $metric %value", write_block, NULL };

	for (size_t k = 0; k < c->n; k++) {
		struct block_writer w = { &c->repeat[k], out, json_number(c->repeat[k].json, "drift.block_s") / 3600 };

		repeat_read_table(&c->repeat[k], "blocks.tsv", true, &blocks, &w);
	}
}

const struct extractor_hooks drift_extractor = {
	.name = "drift",
	.tables = { { "figures", write_figures }, { "blocks", write_blocks } },
};
