// SPDX-License-Identifier: GPL-3.0-or-later
/* summarize - statistics over the repeats of a run: reads its cells, writes summary.tsv and the other tables of its experiment.
 *
 * The engine (engine.c) does the work. This file reads options and reports; with --values it is all. */
#include "engine.h"
#include "table.h"

#include <errno.h>

#define SHARES 16 /* most quantiles */

/* With --values: statistics of plain numbers that a cell of an experiment has collected, in groups. */
struct values_question {
	const char *quantiles; /* such as "0.1,0.5": figures p10 and p50, of type 7 (sample.h) */
	double above;	       /* share of values above this; NAN: not asked */
};

static struct engine_options cfg = { .draws = 2000, .seed = -1 };
static struct values_question values = { .above = (double)NAN };
static bool schema;
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_INT, 0, "draws", &cfg.draws, 100, 1000000, .of = "run",
	  .help = "bootstrap resamples, used from ten repeats on (2000)" },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 4294967295.0, .of = "run", .help = "seed of the bootstrap (the run's)" },
	{ CLI_STR, 0, "experiment", &cfg.experiment, .of = "run", .help = "folder of the experiment, with its table (the run's)",
	  .meta = "DIR" },
	{ CLI_STR, 0, "values", &values.quantiles, .help = "RUN is a file of values: report these quantiles of each group",
	  .meta = "P,..." },
	{ CLI_REAL, 0, "above", &values.above, .of = "values", .help = "share of values above this" },
	{ CLI_FLAG, 0, "schema", &schema, .help = "RUN is an experiment's table: print its columns as schema.tsv" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

struct value_list {
	struct value_group {
		char *name;
		double *value, mean, squares;
		size_t n, above;
	} * group;
	size_t n;
};

static void add_value(struct value_list *l, const char *name, double value, double above)
{
	struct value_group *g = l->group;
	double off;

	while (g < l->group + l->n && strcmp(g->name, name) != 0)
		g++;
	if (g == l->group + l->n) {
		memory_more(l->group, l->n);
		g = &l->group[l->n++];
		*g = (struct value_group){ .name = must_alloc(strdup(name)) };
	}
	memory_more(g->value, g->n);
	g->value[g->n++] = value;
	g->above += value > above;
	off = value - g->mean;
	g->mean += off / (double)g->n;
	g->squares += off * (value - g->mean);
}

static int read_values(FILE *in, struct value_list *l, double above, unsigned long *line)
{
	char text[256], *tab, *end;

	for (*line = 1; fgets(text, sizeof(text), in); ++*line) {
		double value = (tab = strchr(text, '\t')) ? strtod(tab + 1, &end) : (double)NAN;

		if (!tab || end == tab + 1 || *end != '\n' || !isfinite(value))
			return -EPROTO;
		*tab = '\0';
		add_value(l, text, value, above);
	}
	return ferror(in) ? -EIO : 0;
}

/* The number of shares in the list; 0: it is none of shares from 0 to 1, or too long. */
static size_t parse_shares(const char *list, double share[static SHARES])
{
	size_t n = 0;
	char *end;

	for (const char *at = list; n < SHARES; at = end + 1) {
		share[n] = strtod(at, &end);
		if (end == at || (*end && *end != ',') || !(share[n++] >= 0 && share[n - 1] <= 1))
			return 0;
		if (!*end)
			return n;
	}
	return 0;
}

/* Reads lines "GROUP<tab>NUMBER" and adds the array "groups" to the report: each group's name, n, mean, sd and what is asked.
 * -EPROTO with *line: no such line; -EINVAL: no such quantile; -EIO. */
static int report_groups(FILE *in, const struct values_question *q, struct rec_report *out, unsigned long *line)
{
	struct value_list l = { .n = 0 };
	double share[SHARES];
	size_t shares = parse_shares(q->quantiles, share);
	int err = shares ? read_values(in, &l, q->above, line) : -EINVAL;
	char key[32];

	rec_begin_array(out, "groups");
	for (struct value_group *g = l.group; g < l.group + l.n; g++) {
		double n = (double)g->n;

		rec_begin_object(out, NULL);
		rec_add_str(out, "group", g->name);
		rec_add_int(out, "n", (int64_t)g->n);
		rec_add_reals(out, { "mean", g->mean, 6 }, { "sd", n > 1 ? sqrt(g->squares / (n - 1)) : (double)NAN, 6 });
		if (!isnan(q->above))
			rec_add_real(out, "above_percent", 100 * (double)g->above / n, 6);
		for (size_t i = 0; i < shares; i++) {
			snprintf(key, sizeof(key), "p%g", 100 * share[i]);
			rec_add_real(out, key, interval_quantile(g->value, g->n, share[i]), 6);
		}
		rec_end(out);
		free(g->name);
		free(g->value);
	}
	rec_end(out);
	free(l.group);
	return err;
}

static int summarize_values(const char *file)
{
	FILE *in = cli_open_input(file);
	struct rec_report *out = rec_must_open(&out_cfg, "summarize");
	unsigned long line;
	int err;

	rec_begin_object(out, "result");
	err = report_groups(in, &values, out, &line);
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
	const struct cli_opt *other;
	struct rec_report *out;
	struct tables tables;
	int first;

	first = cli_parse(argc, argv, "summarize RUN [options]",
			  "Computes statistics over the repeats of a run, and writes RUN/summary.tsv and other tables.", options);
	if (first >= argc)
		die_usage("which run folder?");
	cli_refuse_operands(argc, argv, first + 1);
	if (schema && values.quantiles)
		die_usage("--schema and --values: choose one");
	other = cli_foreign_option(schema ? "schema" : values.quantiles ? "values" : "run");
	if (other)
		die_usage("--%s is for %s", other->name, !strcmp(other->of, "run") ? "a run" : "--values");
	if (schema) {
		tables_read_definitions(argv[first], &tables);
		table_out_print_schema(&tables);
		return EXIT_OK;
	}
	if (values.quantiles)
		return summarize_values(argv[first]);
	out = rec_must_open(&out_cfg, "summarize");
	n = engine_summarize(argv[first], &cfg, out);
	rec_must_close(out);
	if (!n.complete)
		die(EXIT_RUN, "%s: no repeat of any cell is complete; the tables hold no figures", argv[first]);
	return n.failed ? EXIT_LOSSY : EXIT_OK;
}
