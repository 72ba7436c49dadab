// SPDX-License-Identifier: GPL-3.0-or-later
/* analyze - the command: finds the response time of every input over several replays of one trace.
 *
 * common/replay.c reads a log and its side file, analysis.c and method_2005.c find the responses, findings.c writes them. This file
 * reads options, runs, reports. */
#include "vncplay/commands.h"
#include "analyze.h"
#include "memory.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define READERS 4 /* threads that read logs; each holds a screen in memory */

enum { METHOD_TILES, METHOD_PAPER };
enum { FORMAT_OLD = REC_TSV + 1 };

static const char *const methods[] = { "tiles", "paper", NULL };
static const char *const formats[] = { "text", "json", "tsv", "vncanalyze", NULL };

static struct {
	int method;
	const char *labels;
	struct rec_cfg out;
	struct method_2005_cfg paper;
} cfg = { .paper = METHOD_2005_DEFAULTS };

static const struct cli_opt options[] = {
	{ CLI_WORD, 'm', "method", &cfg.method, .help = "compare tiles of the screen, or do as the paper of 2005 (tiles)",
	  .words = methods },
	{ CLI_INT, 0, "scale", &cfg.paper.scale, 1, 64, .of = "paper", .help = "look at every Nth pixel of every Nth row (4)" },
	{ CLI_PERCENT, 0, "differ", &cfg.paper.differ_percent, 0, 100, .of = "paper",
	  .help = "look for frames that differ from the last in this share of pixels (2%)" },
	{ CLI_NS, 0, "join", &cfg.paper.join_ns, 1e6, 60e9, .of = "paper",
	  .help = "changes less than this apart are one frame (1ms)" },
	{ CLI_GONE, 0, "aux", .help = "the side file of OUT.rfb is OUT.rfb.aux, beside it" },
	{ CLI_STR, 0, "labels", &cfg.labels, .help = "names of the replays, in their order (their file names)",
	  .meta = "NAME,..." },
	{ CLI_WORD, 0, "format", &cfg.out.format, .help = "format of the report; vncanalyze: rows for scripts of 2005 (text)",
	  .words = formats },
	REC_OPTIONS_SHORT(cfg.out, "quiet"),
	{ .type = CLI_END },
};

struct replay_jobs {
	struct replay *replay;
	int runs;
	_Atomic int next;
};

static void *run_reader(void *whose)
{
	struct replay_jobs *j = whose;
	int r;

	while ((r = atomic_fetch_add(&j->next, 1)) < j->runs)
		j->replay[r].err = replay_read(&j->replay[r]);
	return NULL;
}

static void read_replays(struct replay *replay, int runs)
{
	struct replay_jobs job = { .replay = replay, .runs = runs };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t reader[READERS];
	int n = 0;

	while (n < READERS && n < cpus - 1 && n < runs - 1 && !pthread_create(&reader[n], NULL, run_reader, &job))
		n++;
	run_reader(&job);
	while (n > 0)
		pthread_join(reader[--n], NULL);
}

/* Splits "a,b,c" into one word for each run. NULL: the option was not given. */
static char **split_labels(const char *text, int runs)
{
	char **word, *at;
	int n = 1;

	if (!text)
		return NULL;
	for (const char *c = text; *c; c++)
		n += *c == ',';
	if (n != runs)
		die_usage("--labels has %d elements for %d logs", n, runs);
	at = must_alloc(strdup(text));
	word = memory_new((size_t)runs, sizeof(*word));
	for (int i = 0; i < runs; i++)
		word[i] = strsep(&at, ",");
	return word;
}

static const char *make_label(const char *file)
{
	const char *slash = strrchr(file, '/');
	char *label = must_alloc(strdup(slash ? slash + 1 : file));
	size_t n = strlen(label);

	if (n > 4 && !strcmp(label + n - 4, ".rfb"))
		label[n - 4] = '\0';
	return label;
}

/* Refuses an --output that is one of the input files. */
static void refuse_overwritten_input(const char *log)
{
	char beside[PATH_MAX];
	struct rec_output_path places[] = { { "OUT.rfb", log }, { "OUT.rfb.aux", beside }, { "--output", cfg.out.path } };

	snprintf(beside, sizeof(beside), "%s.aux", log);
	rec_refuse_same_outputs(places, sizeof(places) / sizeof(*places));
}

/* Dies if a replay could not be read. Returns EXIT_LOSSY if the log or the side file of a replay is cut, or a replay ended before
 * its trace; else EXIT_OK. */
static int require_readable_replays(const struct replay *replay, int runs)
{
	int status = EXIT_OK;

	for (int r = 0; r < runs; r++)
		if (replay[r].err)
			die(EXIT_RUN, "%s: %s", replay[r].file, replay[r].why.text);
	for (int r = 0; r < runs; r++) {
		if (replay_is_partial(&replay[r]))
			status = EXIT_LOSSY;
		if (!replay[r].cut)
			continue;
		if (cfg.out.format == FORMAT_OLD)
			warn("%s: cut: %s; what is before is used", replay[r].file, replay[r].why.text);
		status = EXIT_LOSSY;
	}
	return status;
}

static void report_analysis(struct rec_report *out, const struct findings *f)
{
	FILE *old = stdout;
	int err;

	if (out) {
		findings_report(out, f);
		err = rec_close(out);
	} else {
		if (cfg.out.path && strcmp(cfg.out.path, "-") != 0)
			old = fopen(cfg.out.path, "we");
		if (!old)
			die(EXIT_RUN, "cannot write %s: %m", cfg.out.path);
		findings_write_2005(old, f);
		err = ferror(old) || (old == stdout ? fflush(old) : fclose(old)) ? -EIO : 0;
	}
	if (err)
		die(EXIT_RUN, "cannot write the report: %s", strerror(-err));
}

static void run_method(struct findings *f, struct frame_matches *paper)
{
	struct why why = { "" };
	int err;

	if (cfg.method == METHOD_TILES) {
		analyze_replays(f->replay, f->runs, &f->analysis);
		return;
	}
	err = method_2005_find(&cfg.paper, f->replay, f->runs, paper, &why);
	if (err)
		die(EXIT_RUN, "%s", *why.text ? why.text : strerror(-err));
	method_2005_make_responses(f->replay, f->runs, paper, &f->analysis.responses);
	f->analysis.inputs = (int)f->replay[0].inputs.n_old;
	f->paper = paper;
}

int vncplay_analyze(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "vncplay analyze OUT.rfb... [options]",
			      "Finds the response time of every input, over several replays of one trace.", options);
	int runs = argc - first, status;
	struct findings f = { .method = methods[cfg.method], .runs = runs };
	struct frame_matches paper = { 0 };
	struct rec_report *out = NULL;
	struct replay *replay;
	char **labels;

	if (runs < 1)
		die_usage("analyze what? OUT.rfb...");
	if (cfg.method != METHOD_PAPER && cli_foreign_option("tiles"))
		die_usage("--%s needs --method paper", cli_foreign_option("tiles")->name);
	if (runs > ALIGN_RUNS)
		die_usage("%d logs: at most %d at a time", runs, ALIGN_RUNS);
	labels = split_labels(cfg.labels, runs);
	for (int r = 0; r < runs; r++) {
		refuse_overwritten_input(argv[first + r]);
		for (int k = 0; k < r; k++) /* a replay agrees with itself */
			if (!strcmp(argv[first + k], argv[first + r]))
				die_usage("%s is given twice", argv[first + r]);
	}
	replay = memory_new((size_t)runs, sizeof(*replay));
	for (int r = 0; r < runs; r++) {
		replay[r].file = argv[first + r];
		replay[r].label = labels ? labels[r] : make_label(argv[first + r]);
	}
	if (cfg.out.format != FORMAT_OLD)
		out = rec_must_open(&cfg.out, "vncplay-analyze");
	read_replays(replay, runs);
	status = require_readable_replays(replay, runs);
	f.replay = replay;
	f.labelled = labels != NULL;
	run_method(&f, &paper);
	if (findings_are_unusable(&f, &f.unusable) && out)
		status = EXIT_LOSSY;
	report_analysis(out, &f);
	analysis_result_free(&f.analysis);
	method_2005_free(&paper);
	for (int r = 0; r < runs; r++) {
		replay_free(&replay[r]);
		if (!labels)
			free((char *)(uintptr_t)replay[r].label);
	}
	if (labels)
		free(labels[0]);
	free(labels);
	free(replay);
	return status;
}
