// SPDX-License-Identifier: GPL-3.0-or-later
/* summarize - statistics over the repeats of a run: reads its cells, writes summary.tsv and the other tables of its experiment.
 *
 * The engine (engine.c) does the work; with --values it is values.c. This file reads options and reports. */
#include "engine.h"
#include "table.h"
#include "values.h"

#include <errno.h>

static struct engine_options cfg = { .draws = 2000, .seed = -1 };
static struct values_question values = { .above = (double)NAN };
static bool schema;
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_INT, 0, "draws", &cfg.draws, 100, 1000000, .help = "resamples of the bootstrap, used from ten repeats on (2000)" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 4294967295.0, .help = "seed of the bootstrap (that of the run)" },
	{ CLI_STR, 0, "experiment", &cfg.experiment, .help = "folder of the experiment, with its table (by the run's name)",
	  .meta = "DIR" },
	{ CLI_STR, 0, "values", &values.quantiles, .help = "the operand is a file of values: these quantiles of each group",
	  .meta = "P,..." },
	{ CLI_REAL, 0, "above", &values.above, .help = "with --values: the share of those above this" },
	{ CLI_FLAG, 0, "schema", &schema, .help = "the operand is an experiment's table: print its columns as schema.tsv" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static int summarize_values(const char *file)
{
	FILE *in = cli_open_input(file);
	struct rec_report *out = rec_must_open(&out_cfg, "summarize");
	unsigned long line;
	int err;

	rec_begin_object(out, "result");
	err = values_summarize(in, &values, out, &line);
	rec_set_table(out, "groups");
	rec_end(out);
	if (err == -EINVAL)
		die_usage("--values %s: shares from 0 to 1, such as 0.1,0.5", values.quantiles);
	cli_close_input(in, file, err, line, "no group, tab and number");
	rec_must_close(out);
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	struct repeat_counts n;
	struct rec_report *out;
	struct tables tables;
	int first;

	first = cli_parse(argc, argv, "summarize RUN [options]",
			  "Statistics over the repeats of a run: writes RUN/summary.tsv and the other tables of its experiment.",
			  options);
	if (first >= argc)
		die_usage("which run folder?");
	cli_refuse_operands(argc, argv, first + 1);
	if (schema) {
		tables_read_definitions(argv[first], &tables);
		table_out_print_schema(&tables);
		return EXIT_OK;
	}
	if (values.quantiles)
		return summarize_values(argv[first]);
	if (!isnan(values.above))
		die_usage("--above is for --values");
	out = rec_must_open(&out_cfg, "summarize");
	n = engine_summarize(argv[first], &cfg, out);
	rec_must_close(out);
	if (!n.complete)
		die(EXIT_RUN, "%s: no repeat of any cell is complete; the tables hold no figures", argv[first]);
	return n.failed ? EXIT_LOSSY : EXIT_OK;
}
