// SPDX-License-Identifier: GPL-3.0-or-later
/* summarize - statistics over the repeats of a run: cells in, summary.tsv, cdf.tsv and stages.tsv out.
 *
 * The folder is read in run.c, figures are made in estimates.c and interval.c, settings held against the default in compare.c, tables are
 * written in tables.c; runs of other experiments have a file each (`others`). This file reads options, runs them in turn, reports. */
#include "calibrate.h"
#include "cli.h"
#include "interval.h"
#include "rec.h"
#include "rtt.h"
#include "run.h"
#include "summarize.h"
#include "tables.h"
#include "wan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct engine_options cfg = { .draws = 2000, .seed = -1 };
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_INT, 0, "draws", &cfg.draws, 100, 1000000, "resamples of the bootstrap, used from ten repeats on (2000)", NULL, NULL, NULL },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 4294967295.0, "seed of the bootstrap (that of the run)", NULL, NULL, NULL },
	{ CLI_STR, 0, "experiment", &cfg.experiment, 0, 0, "folder of the experiment, with its table (by the run's name)", NULL, NULL, "DIR" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static struct estimates *all_figures(const struct run *run, bool wire)
{
	struct estimates_cfg how = { .threshold_ns = run->threshold_ns, .draws = (size_t)cfg.draws,
				   .seed = (uint64_t)(cfg.seed >= 0 ? cfg.seed : run->seed) };
	struct estimates *f = calloc(run->n ? run->n : 1, sizeof(*f));

	for (size_t i = 0; f && i < run->n; i++) {
		const struct cell *c = &run->cell[i];
		enum series l = wire ? SERIES_WIRE : run_series(c, SERIES_LATENCY), s = wire ? SERIES_WIRE : run_series(c, SERIES_STALL);

		if (estimates_of(c->train[l], c->n[l], c->train[s], c->n[s], &how, &f[i])) {
			free(f);
			return NULL;
		}
	}
	return f;
}

static void report(struct rec *r, const char *folder, const struct run *run, const struct estimates *f, const struct tables_written *written)
{
	size_t overloaded = 0;

	for (size_t i = 0; i < run->n; i++)
		overloaded += f[i].overloaded > 0;
	rec_object(r, "settings");
	rec_str(r, "run", folder);
	rec_int(r, "repeats", run->repeats);
	rec_real(r, "threshold_ms", (double)run->threshold_ns / 1e6, 3);
	rec_int(r, "draws", cfg.draws);
	rec_int(r, "seed", cfg.seed >= 0 ? cfg.seed : run->seed);
	rec_end(r);
	rec_object(r, "result");
	rec_int(r, "cells", (int64_t)run->n);
	rec_int(r, "cells_overloaded", (int64_t)overloaded);
	rec_int(r, "trains_complete", (int64_t)run->complete);
	rec_int(r, "trains_failed", (int64_t)run->failed);
	rec_int(r, "trains_marked", (int64_t)run->marked);
	rec_int(r, "summary_rows", (int64_t)written->rows);
	rec_int(r, "cdf_rows", (int64_t)written->cdf_rows);
	rec_int(r, "stage_rows", (int64_t)written->stage_rows);
	if (written->compare_rows)
		rec_int(r, "compare_rows", (int64_t)written->compare_rows);
	rec_object(r, "idle_noise");
	for (size_t i = 0; i < run->n_idle; i++) {
		const struct idle *idle = &run->idle[i];

		rec_object(r, idle->app);
		rec_int(r, "updates", llround(idle->updates));
		rec_real(r, "seconds", idle->seconds, 3);
		rec_real(r, "unsolicited_per_s", idle->updates / idle->seconds, 4);
		rec_real(r, "unsolicited_high_per_s", interval_rate_high(idle->updates) / idle->seconds, 4);
		rec_end(r);
	}
	rec_end(r);
	rec_end(r);
}

/* Runs of other experiments have tables of their own, and no settings to choose. */
static int report_counts(struct rec *out, const char *folder, const char *unit, const struct inputs_counts *n)
{
	char key[32];
	int err;

	rec_object(out, "settings");
	rec_str(out, "run", folder);
	rec_end(out);
	rec_object(out, "result");
	snprintf(key, sizeof(key), "%s_complete", unit);
	rec_int(out, key, (int64_t)n->complete);
	snprintf(key, sizeof(key), "%s_failed", unit);
	rec_int(out, key, (int64_t)n->failed);
	snprintf(key, sizeof(key), "%s_marked", unit);
	rec_int(out, key, (int64_t)n->marked);
	rec_int(out, "summary_rows", (int64_t)n->rows);
	rec_end(out);
	err = rec_close(out);
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
	if (!n->complete)
		die(EXIT_RUN, "%s: no %.*s is complete; the table holds no figures", folder, (int)strlen(unit) - 1, unit);
	return n->failed ? EXIT_LOSSY : EXIT_OK;
}

/* The experiments with tables of their own. */
static const struct {
	const char *experiment, *unit;	/* unit: what is counted */
	int (*summarize)(const char *folder, struct inputs_counts *out, char *why, size_t size);
} others[] = {
	{ "calibrate", "trains", calibrate_summarize },
	{ "wan", "trains", wan_summarize },
};

/* The status to end with; -1: it is none of them. */
static int summarize_other(struct rec *out, const char *folder)
{
	struct inputs_counts counts;
	char name[64], why[4608];

	inputs_experiment(folder, name, sizeof(name));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strcmp(name, others[i].experiment) != 0)
			continue;
		if (others[i].summarize(folder, &counts, why, sizeof(why)))
			die(EXIT_RUN, "%s", why);
		return report_counts(out, folder, others[i].unit, &counts);
	}
	return -1;
}

static int summarize_cells(struct rec *out, const char *folder)
{
	struct engine_counts n;
	struct why why;
	int err;

	if (engine_summarize(folder, &cfg, out, &n, &why))
		die(EXIT_RUN, "%s", why.text);
	err = rec_close(out);
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
	if (!n.complete)
		die(EXIT_RUN, "%s: no repeat of any cell is complete; the tables hold no figures", folder);
	return n.failed ? EXIT_LOSSY : EXIT_OK;
}

int main(int argc, char **argv)
{
	struct tables_written written;
	struct estimates *figures, *wire;
	char why[4608];
	struct run run;
	struct rec *out;
	bool measured, lossy;
	int first, err, status;

	first = cli_parse(argc, argv, "summarize RUN [options]",
			  "Statistics over the repeats of a run: writes RUN/summary.tsv and the other tables of its experiment.", options);
	if (first >= argc)
		die_usage("which run folder?");
	if (first + 1 < argc)
		die_usage("unexpected word %s", argv[first + 1]);
	out = rec_open(&out_cfg, "summarize");
	if (!out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	if (engine_reads(argv[first]))
		return summarize_cells(out, argv[first]);
	status = summarize_other(out, argv[first]);
	if (status >= 0)
		return status;
	if (run_read(argv[first], &run, why, sizeof(why)))
		die(EXIT_RUN, "%s", why);
	figures = all_figures(&run, false);
	wire = all_figures(&run, true);
	if (!figures || !wire)
		die(EXIT_RUN, "out of memory");
	if (tables_write(argv[first], &run, figures, wire, &written, why, sizeof(why)))
		die(EXIT_RUN, "%s", why);
	report(out, argv[first], &run, figures, &written);
	err = rec_close(out);
	measured = run.complete > 0;
	lossy = run.failed > 0;
	free(figures);
	free(wire);
	run_free(&run);
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
	if (!measured)
		die(EXIT_RUN, "%s: no repeat of any cell is complete; the tables hold no figures", argv[first]);
	return lossy ? EXIT_LOSSY : EXIT_OK;
}
