// SPDX-License-Identifier: GPL-3.0-or-later
/* arrivals - do requests arrive like those of many independent users? Tests the coefficient of variation of the times between them,
 * and four other properties.
 *
 * logs_in.c reads logs, poisson.c tests and writes rows for a plot. This file reads options, cuts off warm-up and cool-down,
 * and reports. */
#include "clock.h"
#include "poisson.h"
#include "logs_in.h"
#include "memory.h"
#include "random.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct log_reader_cfg log;
	struct poisson_test_cfg test;
	int64_t head_ns, tail_ns, sample;
	const char *rows;
	int unit;
} cfg = { .test.seed = 1, .unit = -1 };
static struct rec_cfg out_cfg;

static const char *const units[] = { "ns", "us", "ms", "s", NULL };
static const int64_t unit_ns[] = { 1, NS_PER_US, NS_PER_MS, NS_PER_S };

/* "2m,3m": time to cut off at the beginning and at the end; "2m": only at the beginning. */
static int parse_warmup(const char *text, void *value)
{
	char head[64], *tail;
	int err = 0;

	(void)value;
	if (snprintf(head, sizeof(head), "%s", text) >= (int)sizeof(head))
		return -1;
	cfg.tail_ns = 0;
	tail = strchr(head, ',');
	if (tail) {
		*tail++ = '\0';
		err = cli_parse_ns(tail, &cfg.tail_ns);
	}
	return err ? err : cli_parse_ns(head, &cfg.head_ns);
}

static int parse_where(const char *text, void *value)
{
	const char *equals = strchr(text, '=');
	char *column;

	(void)value;
	if (!equals || equals == text || cfg.log.wheres == LOGS_IN_WHERE)
		return -1;
	column = strndup(text, (size_t)(equals - text)); /* kept as long as the program runs, as argv is */
	if (!column)
		return -1;
	cfg.log.where[cfg.log.wheres].column = column;
	cfg.log.where[cfg.log.wheres++].value = equals + 1;
	return 0;
}

static const struct cli_opt options[] = {
	{ CLI_WORD, 0, "input-format", &cfg.log.kind, .of = "log", .help = "format of the log (auto)", .words = logs_in_kinds },
	{ CLI_STR, 0, "column", &cfg.log.column, .of = "log",
	  .help = "column of the arrival time (timeStamp, start_ns, sent_ns, ...)", .meta = "NAME" },
	{ CLI_WORD, 0, "unit", &cfg.unit, .of = "log", .help = "unit of this column (by the end of its name)", .words = units },
	{ CLI_CALL, 0, "where", NULL, .of = "log", .help = "only rows with this value; may be repeated", .call = parse_where,
	  .meta = "COLUMN=VALUE" },
	{ CLI_CALL, 0, "warmup", NULL, .of = "log", .help = "leave out these times at the beginning and at the end (0,0)",
	  .call = parse_warmup, .meta = "TIME[,TIME], such as 2m,3m" },
	{ CLI_NS, 0, "interval", &cfg.test.interval_ns, 1, 1e18,
	  .help = "count arrivals in intervals of this length (ten arrivals on average)" },
	{ CLI_NS, 0, "tick", &cfg.test.tick_ns, 1, 1e12, .of = "log",
	  .help = "resolution of the log's times (inferred from the times)" },
	{ CLI_STR, 0, "sources", &cfg.log.source, .of = "log",
	  .help = "column of the requests' sources, for the coefficient of variation by number of sources", .meta = "NAME" },
	{ CLI_INT, 0, "sample", &cfg.sample, 2, 1e7, .help = "instead of a log: this many random arrivals within a second" },
	{ CLI_FILE, 0, "rows", &cfg.rows, .help = "write rows for a plot" },
	{ CLI_INT, 0, "seed", &cfg.test.seed, 0, 9e18, .help = "seed of --sample and of random places within a tick (1)" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static void read_log(const char *file, struct logged_arrivals *l)
{
	FILE *in = cli_open_input(file);
	unsigned long line;
	const char *why;
	int err;

	err = logs_in_read(in, &cfg.log, l, &line, &why);
	cli_close_input(in, file, err, line, why);
}

/* Makes arrivals of a Poisson process: given their number, they are independent and uniformly distributed. */
static void draw_arrivals(struct logged_arrivals *l)
{
	uint64_t random = (uint64_t)cfg.test.seed;

	*l = (struct logged_arrivals){
		.arrival = memory_new((size_t)cfg.sample, sizeof(*l->arrival)), .n = (size_t)cfg.sample, .tick_ns = 1, .step_ns = 1
	};
	for (size_t i = 0; i < l->n; i++)
		l->arrival[i].time_ns = (int64_t)(random_fraction(&random) * NS_PER_S);
}

/* Leaves out arrivals within the times of --warmup; *from: the first time of the log before the cut. */
static void cut_warmup(struct logged_arrivals *l, int64_t *from)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		first = l->arrival[i].time_ns < first ? l->arrival[i].time_ns : first;
		last = l->arrival[i].time_ns > last ? l->arrival[i].time_ns : last;
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->arrival[i].time_ns - first >= cfg.head_ns && last - l->arrival[i].time_ns >= cfg.tail_ns)
			l->arrival[n++] = l->arrival[i];
	l->n = n;
	*from = first;
}

/* Returns the number of arrivals of the first `sources` sources (0: of all), with their times, spread within ticks, in
 * `time_ns`. */
static size_t copy_times(const struct logged_arrivals *l, uint32_t sources, int64_t *time_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (!sources || l->arrival[i].source < sources)
			time_ns[n++] = l->arrival[i].time_ns;
	poisson_spread_times(time_ns, n, cfg.test.tick_ns, (uint64_t)cfg.test.seed);
	return n;
}

/* An end of a range of coefficients of variation, which are never below 0; NAN stays. */
static double from_zero(double low)
{
	return low < 0 ? 0 : low;
}

static void report_tests(struct rec_report *r, const struct logged_arrivals *l, const struct poisson_result *p)
{
	double band = p->n ? POISSON_BAND / sqrt((double)p->n) : (double)NAN;
	char words[400], hint[300];
	bool broken = poisson_format_hint(p, hint, sizeof(hint));

	poisson_format_verdict(p, words, sizeof(words));
	rec_add_ints(r, { "arrivals", (int64_t)l->n }, { "n", (int64_t)p->n }, { "passed_over", (int64_t)l->passed },
		     { "transactions", (int64_t)l->transactions });
	rec_add_reals(r, { "span_s", p->span_s, 6 }, { "rate_per_s", 1 / p->mean_s, 6 },
		      { "tick_ms", (double)cfg.test.tick_ns / NS_PER_MS, 6 });
	rec_add_int(r, "ties", (int64_t)p->ties);
	rec_add_real(r, "ties_expected", p->ties_expected, 3);
	rec_add_bool(r, "gaps_told", p->gaps_told);
	rec_add_reals(r, { "mean_ms", p->mean_s * 1000, 6 }, { "sd_ms", p->sd_s * 1000, 6 }, { "cov", p->cov, 6 },
		      { "cov_low", from_zero(p->cov - band), 6 }, { "cov_high", p->cov + band, 6 }, { "band", band, 6 },
		      { "cov_p", p->p[POISSON_COV], 6 }, { "ks", p->ks, 6 }, { "ks_p", p->p[POISSON_KS], 6 },
		      { "interval_ms", p->interval_s * 1000, 6 });
	rec_add_int(r, "intervals", (int64_t)p->intervals);
	rec_add_reals(r, { "dispersion", p->dispersion, 6 }, { "dispersion_p", p->p[POISSON_DISPERSION], 6 },
		      { "lag1", p->lag1, 6 }, { "lag1_p", p->p[POISSON_LAG1], 6 }, { "periodogram_peak", p->peak, 6 },
		      { "periodogram_period_s", p->peak_period_s, 6 }, { "periodogram_p", p->p[POISSON_PEAK], 6 });
	rec_add_ints(r, { "frequencies", (int64_t)p->frequencies }, { "tests", (int64_t)p->tested });
	rec_add_real(r, "p", p->p_joint, 6);
	rec_begin_array(r, "rejected_by");
	for (size_t t = 0; t < POISSON_TESTS; t++)
		if (p->rejected[t])
			rec_add_str(r, NULL, poisson_test_names[t]);
	rec_end(r);
	if (p->verdict)
		rec_add_bool(r, "poisson", p->poisson);
	else
		rec_add_str(r, "poisson", NULL);
	rec_add_strs(r, { "verdict", words }, { "hint", broken ? hint : NULL });
}

static void say_verdict(struct rec_report *r, const struct logged_arrivals *l, const struct poisson_result *p)
{
	double band = POISSON_BAND / sqrt((double)p->n);
	char words[400], by[96];

	if (poisson_format_hint(p, words, sizeof(words)))
		rec_warn(r, "%s", words);
	poisson_format_verdict(p, words, sizeof(words));
	if (!p->verdict)
		rec_warn(r, "%s", words);
	if (l->untimed)
		rec_warn(r, "left out: %s without a time", counted_text((int64_t)l->untimed, "row"));
	if (l->transactions)
		rec_warn(r, "left out: %s of transactions, whose samples have rows, too",
			 counted_text((int64_t)l->transactions, "row"));
	if (!(p->mean_s > 0))
		rec_say(r, "%s requests, all at the same time", count_text((int64_t)l->n));
	else if (!p->verdict) /* a CoV of a few gaps tells nothing */
		rec_say(r, "%s requests in %s (%s/s)", count_text((int64_t)l->n), ns_text(p->span_s * NS_PER_S),
			number_text(1 / p->mean_s));
	else if (p->gaps_told)
		rec_say(r, "%s requests in %s (%s/s); CoV of the gaps %.2f (random: %.2f to %.2f)", count_text((int64_t)l->n),
			ns_text(p->span_s * NS_PER_S), number_text(1 / p->mean_s), p->cov, from_zero(1 - band), 1 + band);
	else
		rec_say(r, "%s requests in %s (%s/s); times in steps of %s: too coarse for gaps", count_text((int64_t)l->n),
			ns_text(p->span_s * NS_PER_S), number_text(1 / p->mean_s), ns_text((double)cfg.test.tick_ns));
	poisson_list_tests(p, by, sizeof(by));
	if (p->verdict && p->poisson)
		rec_say(r, "Random arrivals (Poisson): plausible. None of %zu tests rejects it at %g %%.", p->tested,
			100 * POISSON_LEVEL);
	else if (p->verdict)
		rec_say(r, "Random arrivals (Poisson): rejected at %g %% by %s.", 100 * POISSON_LEVEL, by);
	if (cfg.sample && p->verdict && !p->poisson)
		rec_say(r, "This is chance: the arrivals were drawn at random, and one in twenty such samples is rejected. "
			   "Try another --seed.");
	if (cfg.log.source)
		rec_set_table(r, "by_sources");
}

/* Returns the next number of sources: 1, 2, 3, 5, 7, 10, 15, 20, 30, ... and `all`; 0: there is none. */
static uint32_t next_source_count(uint32_t now, uint32_t all)
{
	static const double steps[] = { 1, 1.5, 2, 3, 5, 7 };
	double decade = 1, last = now;

	if (now == all)
		return 0;
	for (;; decade *= 10)
		for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
			double next = steps[i] * decade;

			if (next > last && floor(next) == next)
				return next < all ? (uint32_t)next : all;
		}
}

static void report_sources(struct rec_report *r, struct row_file *t, const struct logged_arrivals *l, int64_t *time_ns)
{
	double *gap = memory_new(l->n, sizeof(*gap));
	bool headed = false;

	rec_add_int(r, "sources", l->sources);
	rec_begin_array(r, "by_sources");
	for (uint32_t s = 0; (s = next_source_count(s, l->sources)) > 0;) {
		size_t n = copy_times(l, s, time_ns);
		double span, band;
		struct gaps_statistics f;

		if (n < 3)
			continue;
		for (size_t i = 0; i + 1 < n; i++)
			gap[i] = (double)(time_ns[i + 1] - time_ns[i]) / NS_PER_S;
		span = (double)(time_ns[n - 1] - time_ns[0]);
		if (cfg.test.tick_ns > 1 && 2.0 * (double)cfg.test.tick_ns * (double)(n - 1) > span)
			break; /* with more sources, gaps are shorter than half a tick */
		gaps_compute_statistics(gap, n - 1, &f);
		band = POISSON_BAND / sqrt((double)(n - 1));
		rec_begin_object(r, NULL);
		rec_add_ints(r, { "sources", s }, { "n", (int64_t)n - 1 });
		rec_add_reals(r, { "rate_per_s", 1 / f.mean, 6 }, { "cov", f.cov, 6 }, { "cov_low", from_zero(f.cov - band), 6 },
			      { "cov_high", f.cov + band, 6 });
		rec_end(r);
		if (!headed)
			rec_begin_table(r, "rrrl", "  sources\trate\tCoV\trandom");
		headed = true;
		rec_add_row(r, "%u\t%s/s\t%s\t%.2f to %.2f", s, number_text(1 / f.mean), number_text(f.cov), from_zero(1 - band),
			    1 + band);
		if (t)
			draw_write_row(t, "sources", s, f.cov, 1, from_zero(f.cov - band), f.cov + band);
	}
	rec_end(r);
	free(gap);
}

/* Withdraws a rejection that may be the clock's: where all times are whole multiples of a step longer than the tick, that step may
 * be the clock's resolution. If the tests do not reject with that step, there is no verdict. */
static void withdraw_doubtful_verdict(const struct logged_arrivals *l, int64_t *time_ns, const struct gap_nulls *nulls,
				      struct poisson_result *p)
{
	int64_t tick_ns = cfg.test.tick_ns;
	struct poisson_result by_step;
	size_t n;

	if (!p->verdict || p->poisson || l->step_ns <= tick_ns)
		return;
	cfg.test.tick_ns = l->step_ns;
	n = copy_times(l, 0, time_ns);
	poisson_test_all(time_ns, n, &cfg.test, nulls, &by_step);
	cfg.test.tick_ns = tick_ns;
	copy_times(l, 0, time_ns);
	if (!by_step.verdict || by_step.poisson) {
		p->verdict = false;
		memset(p->rejected, 0, sizeof(p->rejected));
		p->doubt_step_ns = l->step_ns;
	}
}

static void test_arrivals(struct rec_report *out, struct row_file *t, const struct logged_arrivals *l)
{
	int64_t *time_ns = memory_new(l->n, sizeof(*time_ns));
	size_t n = copy_times(l, 0, time_ns);
	struct gap_nulls *nulls = n > POISSON_FEWEST ? nulls_simulate(n - 1) : NULL;
	struct poisson_result p;

	poisson_test_all(time_ns, n, &cfg.test, nulls, &p);
	withdraw_doubtful_verdict(l, time_ns, nulls, &p);
	free(nulls);
	report_tests(out, l, &p);
	say_verdict(out, l, &p);
	if (t)
		draw_write_rows(t, time_ns, &p);
	if (cfg.log.source)
		report_sources(out, t, l, time_ns);
	free(time_ns);
}

static void report_settings(struct rec_report *out, const char *file, const struct logged_arrivals *l)
{
	rec_begin_object(out, "settings");
	rec_add_str(out, "file", file);
	rec_add_count(out, "sample", cfg.sample ? cfg.sample : -1);
	rec_add_strs(out, { "input_format", cfg.sample ? NULL : logs_in_kinds[l->kind] },
		     { "column", cfg.sample || l->kind == LOGS_IN_CLF ? NULL : l->name });
	rec_add_reals(out, { "skip_head_s", (double)cfg.head_ns / NS_PER_S, 6 },
		      { "skip_tail_s", (double)cfg.tail_ns / NS_PER_S, 6 });
	rec_add_str(out, "sources", cfg.log.source);
	rec_add_int(out, "seed", (int64_t)cfg.test.seed);
	rec_end(out);
}

int main(int argc, char **argv)
{
	int first = cli_parse(argc, argv, "arrivals LOG | --sample N [options]",
			      "Tests whether requests arrive like those of many independent users.", options),
	    err;
	struct logged_arrivals l;
	struct rec_report *out;
	struct row_file *t;
	int64_t from;
	const char *file = argv[first];

	if (first == argc && !cfg.sample)
		die_usage("which log? a file, or - for standard input");
	cli_refuse_operands(argc, argv, first + !cfg.sample);
	if (cfg.sample && cli_foreign_option("sample"))
		die_usage("--%s needs a log; --sample reads none", cli_foreign_option("sample")->name);
	rec_refuse_same_outputs((struct rec_output_path[]){ { "-o", out_cfg.path ? out_cfg.path : "-" }, { "--rows", cfg.rows } },
				2);
	cfg.log.unit_ns = cfg.unit >= 0 ? unit_ns[cfg.unit] : 0;
	if (cfg.sample)
		draw_arrivals(&l);
	else
		read_log(file, &l);
	if (l.kind == LOGS_IN_CLF && (cfg.log.column || cfg.unit >= 0 || cfg.log.wheres))
		die_usage("the Common Log Format has no columns: no --column, --unit, --where");
	if (l.n < 2)
		die(EXIT_RUN, "%s: %zu arrivals; at least two are needed", file, l.n);
	cut_warmup(&l, &from);
	if (l.n < 2)
		die(EXIT_RUN, "%s: only %zu arrivals left after --warmup; at least two are needed: skip less", file, l.n);
	if (cfg.test.tick_ns)
		l.step_ns = cfg.test.tick_ns;
	else
		cfg.test.tick_ns = l.tick_ns;
	/* small numbers: spreading within a tick adds to them */
	for (size_t i = 0; i < l.n; i++)
		l.arrival[i].time_ns -= from - from % cfg.test.tick_ns;
	out = rec_must_open(&out_cfg, "arrivals");
	report_settings(out, file, &l);
	t = rows_must_open(cfg.rows, "arrivals/1", draw_columns);
	rec_begin_object(out, "result");
	test_arrivals(out, t, &l);
	err = rows_close(t);
	if (err)
		die(EXIT_RUN, "cannot write %s: %s", cfg.rows, strerror(-err));
	rec_end(out);
	rec_must_close(out);
	logs_in_free(&l);
	return EXIT_OK;
}
