// SPDX-License-Identifier: GPL-3.0-or-later
/* figures - the commands that turn an analysis into figures: cdf, ratio, percentiles, table.
 *
 * latencies.c reads the analysis, settings.c groups and counts, plotter.c has gnuplot draw. This file reads options and tells. */
#include "cli.h"
#include "commands.h"
#include "plotter.h"
#include "rec.h"
#include "settings.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 64

static struct {
	int from;
	double confidence, width;
	const char *groups, *pair, *svg;
} cfg = { .width = 0.5 };
static struct rec_cfg out_cfg;

static struct latencies all;
static struct settings sets;
static FILE *table;
static char table_path[PATH_MAX];

#define COMMON_OPTIONS \
	{ CLI_WORD, 0, "from", &cfg.from, 0, 0, \
	  "latency from the press, from the release, or until the answer is complete (press)", latencies_words, NULL, NULL }, \
	{ CLI_REAL, 0, "confidence", &cfg.confidence, 0, 1, "leave out what analyze is less sure of (0)", NULL, NULL, NULL }, \
	{ CLI_STR, 0, "group", &cfg.groups, 0, 0, "which runs are of one setting (those of one label)", NULL, NULL, "NAME=RUN,...;..." }, \
	{ CLI_STR, 0, "plot", &cfg.svg, 0, 0, "draw the figure, too", NULL, NULL, "FILE.svg" }, \
	REC_OPTIONS(out_cfg), { .type = CLI_END }

static const struct cli_opt common_options[] = { COMMON_OPTIONS };
static const struct cli_opt ratio_options[] = {
	{ CLI_STR, 0, "runs", &cfg.pair, 0, 0, "of A against B, settings or runs (the last against the first)", NULL, NULL, "A,B" },
	{ CLI_REAL, 0, "width", &cfg.width, 0.01, 100, "of a bin (0.5)", NULL, NULL, NULL },
	COMMON_OPTIONS
};

/* ---- begin and end ---- */

static struct rec *begin(int argc, char **argv, const char *synopsis, const char *summary,
			 const struct cli_opt *options, const char *schema)
{
	int first = cli_parse(argc, argv, synopsis, summary, options);
	char why[200];
	struct rec *out;

	if (argc - first != 1)
		die_usage(argc == first ? "of which analysis? a report of analyze --format json" : "one analysis at a time");
	rec_check_apart((struct rec_place[]){ { "ANALYSIS", argv[first] }, { "--plot", cfg.svg }, { "--output", out_cfg.path } }, 3);
	if (latencies_read(argv[first], (enum latencies_from)cfg.from, cfg.confidence, &all, why, sizeof(why)))
		die(EXIT_RUN, "%s: %s", argv[first], why);
	if (settings_make(&all, cfg.groups, &sets, why, sizeof(why)))
		die_usage("--group: %s", why);
	if (cfg.svg && !all.n)
		die(EXIT_RUN, "%s: no response times in it to draw", argv[first]);
	out = rec_open(&out_cfg, schema);
	if (!out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	if (cfg.svg) {
		table = plotter_table(table_path, sizeof(table_path));
		if (!table)
			die(EXIT_RUN, "cannot write a table for gnuplot: %m");
	}
	rec_object(out, "settings");
	rec_str(out, "analysis", argv[first]);
	rec_str(out, "from", latencies_words[cfg.from]);
	rec_real(out, "confidence", cfg.confidence, 3);
	rec_end(out);
	rec_object(out, "result");
	return out;
}

static int end(struct rec *out, const char *figure)
{
	char why[300];
	int err;

	rec_end(out);
	err = rec_close(out);
	if (err)
		warn("cannot write the report: %s", strerror(-err));
	if (table && plotter_draw(table, table_path, figure, cfg.svg, why, sizeof(why))) {
		warn("%s", why);
		err = -1;
	}
	table = NULL;
	settings_free(&sets);
	latencies_free(&all);
	return err ? EXIT_RUN : EXIT_OK;
}

/* A name in a table of words: without what ends a cell. */
static void cell(const char *text)
{
	fputc('"', table);
	for (; *text; text++)
		fputc(*text == '\t' || *text == '\n' || *text == '"' ? ' ' : *text, table);
	fputc('"', table);
}

/* ---- the figures ---- */

int vncplay_cdf(int argc, char **argv)
{
	struct rec *out = begin(argc, argv, "vncplay cdf ANALYSIS [options]", "The distribution of the response times of each setting.",
				common_options, "vncplay-cdf");

	rec_array(out, "curves");
	for (int i = 0; i < sets.n; i++) {
		struct sample s = { 0 };

		settings_sample(&all, &sets.setting[i], &s);
		sample_quantile(&s, 0);	/* sorts */
		rec_object(out, NULL);
		rec_str(out, "setting", sets.setting[i].name);
		rec_int(out, "n", (int64_t)s.n);
		rec_array(out, "points");
		if (table && s.n) {
			cell(sets.setting[i].name);
			fputc('\n', table);
		}
		for (size_t k = 0; k < s.n; k++) {
			rec_object(out, NULL);
			rec_real(out, "latency_ms", (double)s.value[k] / 1000, 1);
			rec_real(out, "share", (double)(k + 1) / (double)s.n, 4);
			rec_end(out);
			if (table)
				fprintf(table, "%.3f\t%.6f\n", (double)s.value[k] / 1000, (double)(k + 1) / (double)s.n);
		}
		if (table && s.n)
			fputs("\n\n", table);
		rec_end(out);
		rec_end(out);
		sample_free(&s);
	}
	rec_end(out);
	return end(out, "cdf");
}

static const struct setting *side(const char *name, struct setting *one)
{
	for (int i = 0; i < sets.n; i++)
		if (!strcmp(sets.setting[i].name, name))
			return &sets.setting[i];
	one->run[0] = latencies_run(&all, name);
	if (one->run[0] < 0)
		die_usage("--runs: there is no setting or run \"%s\"; there are %d runs, from 0", name, all.runs);
	one->name = all.run[one->run[0]].label;
	return one;
}

int vncplay_ratio(int argc, char **argv)
{
	struct rec *out = begin(argc, argv, "vncplay ratio ANALYSIS [--runs A,B] [options]",
				"How many times longer the answers of A take than those of B, as a histogram.", ratio_options, "vncplay-ratio");
	uint32_t bin[BINS] = { 0 };
	int run[2] = { 0 }, last = BINS;
	struct setting one[2] = { { NULL, &run[0], 1 }, { NULL, &run[1], 1 } };
	const struct setting *a = &sets.setting[sets.n - 1], *b = &sets.setting[0];
	struct sample ratios = { 0 };
	char *words = cfg.pair ? strdup(cfg.pair) : NULL, *comma = words ? strchr(words, ',') : NULL;

	if (cfg.pair && !comma)
		die_usage("--runs %s: two of them, as in --runs slow,fast", cfg.pair);
	if (comma) {
		*comma = '\0';
		a = side(words, &one[0]);
		b = side(comma + 1, &one[1]);
	} else if (sets.n < 2) {
		die_usage("there is one setting only; --runs A,B, or --group");
	}
	settings_ratio(&all, a, b, cfg.width, bin, BINS, &ratios);
	rec_str(out, "a", a->name);
	rec_str(out, "b", b->name);
	rec_int(out, "n", (int64_t)ratios.n);
	rec_real(out, "p25", sample_quantile(&ratios, 0.25).value / 1000, 3);
	rec_real(out, "median", sample_quantile(&ratios, 0.5).value / 1000, 3);
	rec_real(out, "p75", sample_quantile(&ratios, 0.75).value / 1000, 3);
	rec_array(out, "bins");
	while (last > 1 && !bin[last - 1])
		last--;
	for (int i = 0; i < last; i++) {
		rec_object(out, NULL);
		rec_real(out, "from", i * cfg.width, 3);
		rec_real(out, "to", i == BINS - 1 ? NAN : (i + 1) * cfg.width, 3);
		rec_int(out, "inputs", bin[i]);
		rec_end(out);
		if (!table)
			continue;
		if (!i) {
			cell(a->name);
			fputc('\t', table);
			cell(b->name);
			fprintf(table, "\t%.6f\n\n\n", cfg.width);
		}
		fprintf(table, "%.6f\t%u\n", (i + 0.5) * cfg.width, bin[i]);
	}
	rec_end(out);
	sample_free(&ratios);
	free(words);
	return end(out, "ratio");
}

static double quantile_ms(struct sample *s, double p)
{
	return s->n ? sample_quantile(s, p).value / 1000 : NAN;
}

static int by_setting(int argc, char **argv, const char *synopsis, const char *summary, const char *schema,
		      const char *figure, bool totals)
{
	struct rec *out = begin(argc, argv, synopsis, summary, common_options, schema);

	rec_array(out, "settings");
	for (int i = 0; i < sets.n; i++) {
		struct sample s = { 0 };
		const struct setting *one = &sets.setting[i];
		double p25, p50, p75;

		settings_sample(&all, one, &s);
		p25 = quantile_ms(&s, 0.25);
		p50 = quantile_ms(&s, 0.5);
		p75 = quantile_ms(&s, 0.75);
		rec_object(out, NULL);
		rec_str(out, "setting", one->name);
		rec_int(out, "runs", one->runs);
		if (totals)
			rec_real(out, "total_s", settings_total_s(&all, one), 3);
		rec_int(out, "n", (int64_t)s.n);
		rec_real(out, "p25_ms", p25, 1);
		rec_real(out, "median_ms", p50, 1);
		rec_real(out, "p75_ms", p75, 1);
		if (totals) {
			rec_real(out, "mean_ms", s.n ? sample_mean(&s).value / 1000 : NAN, 1);
			rec_real(out, "max_ms", quantile_ms(&s, 1), 1);
		}
		rec_end(out);
		if (table) {
			cell(one->name);
			fprintf(table, "\t%.3f\t%.3f\t%.3f\t%.3f\n", settings_total_s(&all, one), p25, p50, p75);
		}
		sample_free(&s);
	}
	rec_end(out);
	return end(out, figure);
}

int vncplay_percentiles(int argc, char **argv)
{
	return by_setting(argc, argv, "vncplay percentiles ANALYSIS [options]",
			  "The 25th, 50th and 75th percentile of the response times of each setting.", "vncplay-percentiles", "percentiles", false);
}

int vncplay_table(int argc, char **argv)
{
	return by_setting(argc, argv, "vncplay table ANALYSIS [options]", "Total running times beside response times.",
			  "vncplay-table", "table", true);
}
