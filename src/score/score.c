// SPDX-License-Identifier: GPL-3.0-or-later
/* score - how users judge latencies: published models side by side, from one file of samples.
 *
 * The models and their constants are in models.c; samples_in.c reads latencies. This file reads options and reports. */
#include "models.h"
#include "rec.h"
#include "sample.h"
#include "say.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum model { ALL, PERCEPTION, TOLIA, APDEX, WU, VSIMAX }; /* from PERCEPTION on in the order of enum limits_in_model */
static const char *const models[] = { "all", "perception", "tolia", "apdex", "wu", "vsimax", NULL };
static const char *const units[] = { "ns", "us", "ms", "s", NULL };
static const double unit_ms[] = { 1e-6, 1e-3, 1, 1e3 };

static struct {
	struct samples_cfg in;
	const char *thresholds;
	int64_t threshold_ns, target_ns, expected_ns;
	double beta;
	int model, unit;
} cfg = { .in.to_ns = INT64_MAX, .threshold_ns = -1, .target_ns = -1, .expected_ns = -1, .beta = NAN, .unit = -1 };
static struct rec_cfg out_cfg;

static const struct cli_opt options[] = {
	{ CLI_WORD, 0, "model", &cfg.model, .help = "rule to apply (all)", .words = models },
	{ CLI_STR, 0, "column", &cfg.in.column, .help = "column of the latency (answer_ns - due_ns, elapsed, latency_ms, ...)",
	  .meta = "NAME" },
	{ CLI_WORD, 0, "unit", &cfg.unit, .help = "unit of this column (by the end of its name)", .words = units },
	{ CLI_STR, 0, "users", &cfg.in.users, .of = "vsimax", .help = "column of active users (allThreads or users)",
	  .meta = "NAME" },
	{ CLI_INT, 0, "from", &cfg.in.from_ns, 0, 9e18, .help = "only keys due from this time on, by the log's clock",
	  .meta = "NS" },
	{ CLI_INT, 0, "to", &cfg.in.to_ns, 0, 9e18, .help = "only keys due until this time", .meta = "NS" },
	{ CLI_FILE, 0, "thresholds", &cfg.thresholds, .help = "table of the rules' numbers (data/thresholds.tsv)" },
	{ CLI_NS, 0, "threshold", &cfg.threshold_ns, 1, 1e15, .of = "perception",
	  .help = "samples longer than this are late (from --thresholds)" },
	{ CLI_NS, 0, "target", &cfg.target_ns, 1, 1e15, .of = "apdex", .help = "T of Apdex (from --thresholds)" },
	{ CLI_NS, 0, "expected", &cfg.expected_ns, 0, 1e15, .of = "wu", .help = "T of Wu's rule (from --thresholds)" },
	{ CLI_REAL, 0, "beta", &cfg.beta, 0, 100, .of = "wu", .help = "exponent of Wu's rule (from --thresholds)" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

/* Opens --thresholds, else the file beside the programs in a checkout (bin/../data) or where they are installed
 * (libexec/thinprobe/../../share/thinprobe/data). `path`: its name. */
static FILE *open_thresholds(char *path, size_t size)
{
	static const char *const places[] = { "../data/thresholds.tsv", "../../share/thinprobe/data/thresholds.tsv" };
	char self[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	FILE *in = NULL;

	if (cfg.thresholds) {
		snprintf(path, size, "%s", cfg.thresholds);
		return fopen(path, "re");
	}
	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && !in && i < sizeof(places) / sizeof(*places); i++) {
		snprintf(path, size, "%.*s/%s", (int)(slash - self), self, places[i]);
		in = fopen(path, "re");
	}
	return in;
}

static void load_limits(struct models_sourced_limits *l)
{
	char path[8192] = "thresholds.tsv";
	struct why why;
	FILE *in = open_thresholds(path, sizeof(path));
	int err;

	if (!in)
		die(EXIT_RUN, "cannot read %s: %m; --thresholds FILE", path);
	err = models_read_limits(in, l, &why);
	fclose(in);
	if (err == -EPROTO)
		die(EXIT_RUN, "%s: %s", path, why.text);
	if (err)
		die(EXIT_RUN, "cannot read %s: %s", path, strerror(-err));
	if (cfg.threshold_ns > 0)
		l->limits.perception = (double)cfg.threshold_ns / 1e6;
	if (cfg.target_ns > 0)
		l->limits.apdex_target = (double)cfg.target_ns / 1e6;
	if (cfg.expected_ns >= 0)
		l->limits.wu_expected = (double)cfg.expected_ns / 1e6;
	if (!isnan(cfg.beta))
		l->limits.wu_beta = cfg.beta;
}

static void read_samples(const char *file, struct latency_samples *s)
{
	FILE *in = cli_open_input(file);
	unsigned long line;
	const char *why;
	int err;

	cfg.in.unit_ms = cfg.unit >= 0 ? unit_ms[cfg.unit] : 0;
	err = samples_read_table(in, &cfg.in, s, &line, &why);
	cli_close_input(in, file, err, line, why);
	if (s->n == s->unwatched)
		die(EXIT_RUN, "%s: no latencies", file);
}

/* A figure that grows with each latency, by the early and by the late ends. `open`: only its lower end is known. */
static struct figure range_by_ends(double early, double late, bool open)
{
	struct sample_stat from = { early, false }, to = { open ? early : late, open };

	return figure_make_range(from, to, 0);
}

/* A figure that is exact only where its ends are equal. */
static struct figure join_ends(double one, double other)
{
	struct figure f = figure_exact(one);

	f.from = fmin(one, other);
	f.to = fmax(one, other);
	if (f.from < f.to)
		f.value = NAN;
	return f;
}

/* Reports quantiles whatever the number of samples; the number stands beside them. */
static void report_quantiles(struct rec_report *r, const struct latency_samples *s)
{
	struct sample early = { 0 }, late = { 0 };
	struct rec_named_figure row[4];

	for (size_t i = 0; i < s->n; i++) {
		sample_add(&early, llround(s->one[i].early_ms * 1e6));
		(s->one[i].later ? sample_add_censored : sample_add)(&late, llround(s->one[i].late_ms * 1e6));
	}
	row[0] = (struct rec_named_figure){ "mean", figure_make_range(sample_mean(&early), sample_mean(&late), 0) };
	for (size_t i = 0; i < 2; i++)
		row[1 + i] = (struct rec_named_figure){ i ? "p95" : "p50",
							figure_make_range(sample_quantile(&early, i ? 0.95 : 0.5),
									  sample_quantile(&late, i ? 0.95 : 0.5), 0) };
	row[3] = (struct rec_named_figure){ "max", figure_make_range(sample_max(&early), sample_max(&late), 0) };
	rec_begin_object(r, "latency_ms");
	rec_add_figures(r, row, 4, 1e6, 3);
	rec_add_bounds(r, row, 4, 1e6);
	rec_end(r);
	rec_say(r, "%s: median %s ms, 95 %% within %s ms, longest %s ms", counted_text((int64_t)s->n, "sample"),
		figure_text(&row[1].figure, 1e6), figure_text(&row[2].figure, 1e6), figure_text(&row[3].figure, 1e6));
	sample_free(&early);
	sample_free(&late);
}

/* --- one rule: into the tree, and as a row of the table for people ------------------------------------------------ */

typedef void report_rule(struct rec_report *r, const struct latency_samples *s, const struct models_limits *m);

static void add_figures(struct rec_report *r, const struct rec_named_figure *row, size_t n, int decimals)
{
	rec_add_figures(r, row, n, 1, decimals);
	rec_add_bounds(r, row, n, 1);
}

static void report_late_share(struct rec_report *r, const struct latency_samples *s, const struct models_limits *m)
{
	struct rec_named_figure late = { "late_percent", join_ends(100 * models_late_share(s, MODELS_EARLY, m->perception),
								   100 * models_late_share(s, MODELS_LATE, m->perception)) };

	rec_add_real(r, "threshold_ms", m->perception, 3);
	add_figures(r, &late, 1, 4);
	rec_add_row(r, "  later than %s ms\t%s %%\tperception", number_text(m->perception), figure_text(&late.figure, 1));
}

static void report_tolia(struct rec_report *r, const struct latency_samples *s, const struct models_limits *m)
{
	double least[MODELS_TOLIA], most[MODELS_TOLIA];
	char key[MODELS_TOLIA][40];
	struct rec_named_figure row[MODELS_TOLIA];
	size_t likely = 0, first = MODELS_TOLIA, last = 0;

	models_compute_tolia(s, m, least, most);
	for (size_t c = 0; c < MODELS_TOLIA; c++) {
		snprintf(key[c], sizeof(key[c]), "%s_percent", models_tolia_words[c]);
		row[c] = (struct rec_named_figure){ key[c], join_ends(100 * least[c], 100 * most[c]) };
		likely = least[c] > least[likely] ? c : likely;
	}
	/* which classes may be the largest */
	for (size_t c = 0; c < MODELS_TOLIA; c++)
		if (c == likely ? most[c] > 0 : most[c] > least[likely]) {
			first = c < first ? c : first;
			last = c > last ? c : last;
		}
	add_figures(r, row, MODELS_TOLIA, 4);
	if (first == last)
		rec_add_row(r, "  Tolia\t%s %%\t%s", figure_text(&row[likely].figure, 1), models_tolia_words[likely]);
	else
		rec_add_row(r, "  Tolia\t-\tcannot tell: mostly %s to %s", models_tolia_words[first], models_tolia_words[last]);
}

/* Counts are by the late ends, which decide. Where the two ends have different words, the samples do not tell. */
static void report_apdex(struct rec_report *r, const struct latency_samples *s, const struct models_limits *m)
{
	struct models_apdex_result early, late;
	struct rec_named_figure score = { .name = "score" };
	const char *rating;

	models_compute_apdex(s, MODELS_EARLY, m, &early);
	models_compute_apdex(s, MODELS_LATE, m, &late);
	score.figure = join_ends(late.score, early.score);
	rating = models_apdex_word(m, late.score);
	if (rating != models_apdex_word(m, early.score))
		rating = "cannot tell";
	rec_add_real(r, "target_ms", m->apdex_target, 3);
	rec_add_ints(r, { "satisfied", (int64_t)late.satisfied }, { "tolerating", (int64_t)late.tolerating },
		     { "frustrated", (int64_t)late.frustrated });
	rec_add_real(r, "score", score.figure.value, 4);
	rec_add_str(r, "rating", rating);
	rec_add_bool(r, "few_samples", (double)s->n < m->apdex_few);
	rec_add_bounds(r, &score, 1, 1);
	if (figure_is_range(&score.figure))
		rec_add_row(r, "  Apdex, T = %s ms\t%.2f to %.2f\t%s: at least %zu satisfied, at most %zu frustrated",
			    number_text(m->apdex_target), models_round_apdex(score.figure.from),
			    models_round_apdex(score.figure.to), rating, late.satisfied, late.frustrated);
	else
		rec_add_row(r, "  Apdex, T = %s ms\t%.2f\t%s: %zu satisfied, %zu frustrated", number_text(m->apdex_target),
			    models_round_apdex(late.score), rating, late.satisfied, late.frustrated);
}

static void report_felt_delay(struct rec_report *r, const struct latency_samples *s, const struct models_limits *m)
{
	double mean_early, mean, early = models_felt_delay(s, MODELS_EARLY, m, &mean_early);
	double sum = models_felt_delay(s, MODELS_LATE, m, &mean);
	bool open = s->later > 0;
	struct rec_named_figure total = { "felt_s", range_by_ends(early, sum, open) };
	struct rec_named_figure each = { "felt_mean_s", range_by_ends(mean_early, mean, open) };

	rec_add_reals(r, { "expected_ms", m->wu_expected, 3 }, { "beta", m->wu_beta, 3 });
	rec_add_figures(r, &total, 1, 1, 6);
	rec_add_figures(r, &each, 1, 1, 9);
	rec_add_bounds(r, (struct rec_named_figure[]){ total, each }, 2, 1);
	rec_add_row(r, "  Wu, T = %s ms\t%s s\tfelt in total", number_text(m->wu_expected), figure_text(&total.figure, 1));
}

static void report_vsimax(struct rec_report *r, const struct latency_samples *s, const struct models_limits *m)
{
	struct models_vsimax_result v, late;
	bool unsure;

	models_compute_vsimax(s, MODELS_EARLY, m, &v);
	models_compute_vsimax(s, MODELS_LATE, m, &late);
	/* samples without an answer, or that failed, may change the baseline or reach the limit */
	unsure = v.known && (s->disordered || late.base > MODELS_NEVER / 100 || late.reached != v.reached ||
			     (v.reached && late.users != v.users));
	v.users = unsure ? (double)NAN : v.users;
	rec_add_reals(r, { "base_ms", v.base, 3 }, { "limit_ms", v.limit, 3 }, { "average_ms", v.last, 3 });
	if (v.known && !unsure)
		rec_add_bool(r, "reached", v.reached);
	else
		rec_add_str(r, "reached", NULL);
	rec_add_real(r, "users", v.users, 0);
	if (unsure)
		rec_add_row(r, "  VSImax\t-\tcannot tell: samples %s",
			    s->disordered ? "are not in the order of time" : "failed, or were not answered");
	else if (v.known)
		rec_add_row(r, "  VSImax\t%s\t%s ms without load, limit %s ms",
			    v.reached ? count_text(llround(fmin(v.users, 1e15))) : "not reached", number_text(v.base),
			    number_text(v.limit));
	else
		rec_add_row(r, "  VSImax\t-\tneeds a column of users, and more samples");
}

static void report_scores(struct rec_report *r, const struct latency_samples *s, const struct models_sourced_limits *l)
{
	static report_rule *const report[] = { [PERCEPTION] = report_late_share,
					       [TOLIA] = report_tolia,
					       [APDEX] = report_apdex,
					       [WU] = report_felt_delay,
					       [VSIMAX] = report_vsimax };

	if (s->ranged)
		rec_warn(r,
			 "%s of %s samples are ranges: limits are judged by their late ends; "
			 "keyrepeat without --schedule types keys so that each answer can be told",
			 count_text((int64_t)s->ranged), count_text((int64_t)s->n));
	if (s->later)
		rec_warn(r, "%s of %s samples were not answered: what rests on them is a lower bound",
			 count_text((int64_t)s->later), count_text((int64_t)s->n));
	if (s->failed)
		rec_warn(r, "%s of %s samples failed: but for Apdex and VSImax, their times count as those of answers",
			 count_text((int64_t)s->failed), count_text((int64_t)s->n));
	if (s->transactions && s->transactions < s->n)
		rec_warn(r, "%s of transactions count beside those of their samples: leave one of both out",
			 counted_text((int64_t)s->transactions, "row"));
	if (s->empty)
		rec_warn(r, "%s without a latency left out, the first in line %lu", counted_text((int64_t)s->empty, "row"),
			 s->empty_line);
	if ((double)s->n < l->limits.apdex_few)
		rec_warn(r, "only %zu samples: too few for a score (Apdex asks for %.0f)", s->n, l->limits.apdex_few);
	rec_begin_table(r, "lrl", "  rule\tscore\t");
	for (int m = PERCEPTION; m <= VSIMAX; m++) {
		if (cfg.model != ALL && cfg.model != m)
			continue;
		rec_begin_object(r, models[m]);
		report[m](r, s, &l->limits);
		rec_add_str(r, "source", l->source[m - PERCEPTION]);
		rec_end(r);
	}
}

int main(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "score SAMPLES [options]", "Rates latencies in a file of samples by published rules.",
			      options);
	struct latency_samples s;
	struct models_sourced_limits l;
	struct rec_report *out;

	if (first == argc)
		die_usage("which samples? a file, or - for standard input");
	cli_refuse_operands(argc, argv, first + 1);
	if (cfg.model != ALL && cli_foreign_option(models[cfg.model]))
		die_usage("--%s is not of model %s", cli_foreign_option(models[cfg.model])->name, models[cfg.model]);
	if (cfg.in.from_ns > cfg.in.to_ns)
		die_usage("--from is later than --to");
	load_limits(&l);
	read_samples(argv[first], &s);
	out = rec_must_open(&out_cfg, "score");
	rec_begin_object(out, "settings");
	rec_add_strs(out, { "file", argv[first] }, { "column", s.name });
	rec_end(out);
	rec_begin_object(out, "result");
	rec_add_ints(out, { "samples", (int64_t)s.n }, { "passed_over", (int64_t)s.passed }, { "later_than", (int64_t)s.later },
		     { "failed", (int64_t)s.failed });
	rec_add_int(out, "ranged", (int64_t)s.ranged);
	report_quantiles(out, &s);
	report_scores(out, &s, &l);
	rec_end(out);
	rec_must_close(out);
	samples_free(&s);
	return EXIT_OK;
}
