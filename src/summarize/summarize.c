// SPDX-License-Identifier: GPL-3.0-or-later
/* summarize - statistics over the repeats of a run: cells in, summary.tsv and the other tables of its experiment out.
 *
 * The engine (engine.c) reads the folder, makes the columns that the experiment's `table` asks for, and writes; runs of
 * experiments without a table have a file each (`others`). This file reads options, runs them in turn, reports. */
#include "cli.h"
#include "idle.h"
#include "login.h"
#include "rec.h"
#include "summarize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct engine_options cfg = { .draws = 2000, .seed = -1 };
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_INT, 0, "draws", &cfg.draws, 100, 1000000, "resamples of the bootstrap, used from ten repeats on (2000)", NULL, NULL,
	  NULL },
	{ CLI_INT, 0, "seed", &cfg.seed, 0, 4294967295.0, "seed of the bootstrap (that of the run)", NULL, NULL, NULL },
	{ CLI_STR, 0, "experiment", &cfg.experiment, 0, 0, "folder of the experiment, with its table (by the run's name)", NULL,
	  NULL, "DIR" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

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
	{ "idle", "cells", idle_summarize },
	{ "session-memory", "cells", login_summarize },
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
	struct rec *out;
	int first, status;

	first = cli_parse(argc, argv, "summarize RUN [options]",
			  "Statistics over the repeats of a run: writes RUN/summary.tsv and the other tables of its experiment.", options);
	if (first >= argc)
		die_usage("which run folder?");
	if (first + 1 < argc)
		die_usage("unexpected word %s", argv[first + 1]);
	out = rec_open(&out_cfg, "summarize");
	if (!out)
		die(EXIT_RUN, "cannot write %s: %m", out_cfg.path);
	status = engine_reads(argv[first]) ? -1 : summarize_other(out, argv[first]);
	return status >= 0 ? status : summarize_cells(out, argv[first]);
}
