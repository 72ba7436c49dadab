// SPDX-License-Identifier: GPL-3.0-or-later
/* judge - is B better than A? A verdict for each metric from paired blocks of both, at a stated rate of false alarms. With --drift:
 * does a session get slower? With --criteria: how many users fit, and which number is measured next?
 *
 * The rules are in decide.c, drift.c and search.c; blocks.c reads the table of blocks and makes differences of pairs. This file
 * reads options and reports. */
#include "blocks.h"
#include "claims.h"
#include "clock.h"
#include "drift.h"
#include "limits.h"
#include "memory.h"
#include "pooled.h"
#include "rec.h"
#include "rows_in.h"
#include "say.h"
#include "search.h"
#include "verdict.h"

#include <errno.h>
#include <math.h>

#define BLOCKS_MOST 1000000

static struct {
	const char *effect, *metrics, *pooled, *criteria, *doubt;
	double alpha_percent, points;
	bool runs, limits, range_breaks, claims;
	int64_t block_ns, warmup; /* block_ns: 0 but with --drift */
	int64_t most, starts, conditions;
} cfg = { .most = 64, .conditions = 1, .effect = "10%", .alpha_percent = 5, .points = 1, .warmup = 5 };
static struct rec_cfg out_cfg;

#define PAIRED "blocks, runs" /* (blocks: measured in turns) */
static const struct cli_opt options[] = {
	{ CLI_STR, 0, "effect", &cfg.effect, .of = PAIRED ", drift, starts",
	  .help = "smallest difference of interest, such as 5ms (10%)", .meta = "SIZE" },
	{ CLI_PERCENT, 0, "points", &cfg.points, 0.001, 100, .of = PAIRED ", drift",
	  .help = "smallest difference of interest between shares, in percentage points (1)" },
	{ CLI_PERCENT, 0, "alpha", &cfg.alpha_percent, 0.001, 50, .of = PAIRED ", drift, starts",
	  .help = "chance of any false alarm, at any look (5%)" },
	{ CLI_STR, 0, "metrics", &cfg.metrics, .of = PAIRED ", drift",
	  .help = "judge only these metrics (all); with --drift, let these decide (the first)", .meta = "NAME,..." },
	{ CLI_FLAG, 0, "runs", &cfg.runs, .help = "compare the repeats of two runs, A and B, not measured in turns" },
	{ CLI_STR, 0, "pooled", &cfg.pooled, .of = "runs", .help = "figures of all repeats, where single repeats lack them",
	  .meta = "FILE" },
	{ CLI_STR, 0, "doubt", &cfg.doubt, .of = "runs, limits", .help = "reason why nothing is decided, or no limit holds",
	  .meta = "WHY" },
	{ CLI_NS, 0, "drift", &cfg.block_ns, NS_PER_MS, NS_PER_S * 86400,
	  .help = "decide whether one session gets slower; its blocks have this length" },
	{ CLI_INT, 0, "warmup", &cfg.warmup, 0, 100000, .of = "drift", .help = "leave out the first N blocks (5)" },
	{ CLI_STR, 0, "criteria", &cfg.criteria, .help = "find how many users meet these criteria, such as p95:100ms,apdex:0.85",
	  .meta = "LIST" },
	{ CLI_INT, 0, "most", &cfg.most, 1, 10000, .of = "criteria", .help = "most users to try (64)" },
	{ CLI_FLAG, 0, "limits", &cfg.limits, .help = "decide whether figures keep to limits; BLOCKS is a table of limits/1" },
	{ CLI_FLAG, 0, "range-breaks", &cfg.range_breaks, .of = "limits",
	  .help = "a range or bound that may break a limit breaks it" },
	{ CLI_FLAG, 0, "claims", &cfg.claims, .help = "decide claims about figures; BLOCKS is a table of claims/1" },
	{ CLI_INT, 0, "starts", &cfg.starts, 1, 10000, .help = "without BLOCKS: report what this many starts can decide" },
	{ CLI_INT, 0, "conditions", &cfg.conditions, 1, 10000, .of = "starts", .help = "number of conditions (1)" },
	REC_OPTIONS(out_cfg),
	{ .type = CLI_END },
};

static struct block_effect parse_effect(void)
{
	struct block_effect e = { .points = cfg.points };
	char *end;
	double value = strtod(cfg.effect, &end);

	if (value > 0 && isfinite(value) && !strcmp(end, "%"))
		e.relative = value / 100;
	else if (value > 0 && isfinite(value) && !strcmp(end, "ms"))
		e.time_ms = value;
	else
		die_usage("--effect %s: a share such as 10%%, or a time such as 5ms", cfg.effect);
	return e;
}

/* A name that the table lacks was not measured: no verdict is without it. */
static void require_metrics(const struct block_table *t, const char *file)
{
	for (const char *at = cfg.metrics; at; at = strchr(at, ',')) {
		size_t k = 0, n;

		at += *at == ',';
		n = strcspn(at, ",");
		while (k < t->n && (strlen(t->series[k].metric) != n || strncmp(t->series[k].metric, at, n) != 0))
			k++;
		if (k == t->n)
			die(EXIT_RUN, "%s: no metric %.*s", file, (int)n, at);
	}
}

static void report_names(struct rec_report *r, const struct block_table *t, const struct verdict_question *q, verdict_test *test,
			 const char *only)
{
	for (const struct block_series *s = t->series; s < t->series + t->n; s++) {
		if (!test(s, q))
			continue;
		rec_begin_object(r, NULL);
		rec_add_strs(r, { "cell", s->cell }, { "metric", s->metric });
		if (only)
			rec_add_str(r, "only", only);
		if (test == verdict_not_compared)
			rec_add_strs(r, { "why", s->why },
				     { "of", s->lacks == VARIANTS    ? NULL
					     : s->lacks == VARIANT_A ? "a"
								     : "b" });
		rec_end(r);
	}
}

/* Metrics that cannot be compared, and those of which all values are the same. */
static void report_left_out(struct rec_report *r, const struct block_table *t, const struct verdict_question *q)
{
	static const struct {
		verdict_test *test;
		const char *key, *only, *words, *noun; /* key: begins an array */
	} gaps[] = {
		{ verdict_only_in_a, "one_sided", "a", "only A has a value", "metric" },
		{ verdict_only_in_b, NULL, "b", "only B has a value", "metric" },
		{ verdict_overloaded, "overloaded", NULL, NULL, NULL },
		{ verdict_aside, "not_judged", NULL, NULL, NULL },
		{ verdict_too_few, "too_few", NULL, "B has too few values", "metric" },
		{ verdict_not_compared, "not_compared", NULL, "there is no number, or no interval,", "metric" },
		{ verdict_copied, "copied", NULL, "A and B have the same values in all repeats", "condition" },
		{ verdict_the_same, "the_same", NULL, NULL, NULL },
	};

	for (size_t i = 0; i < sizeof(gaps) / sizeof(*gaps); i++) {
		size_t n = verdict_count(t, q, gaps[i].test);

		if (gaps[i].key && i)
			rec_end(r);
		if (gaps[i].key)
			rec_begin_array(r, gaps[i].key);
		report_names(r, t, q, gaps[i].test, gaps[i].only);
		if (n && gaps[i].words)
			rec_warn(r, "%s of %s, so these cannot be compared", gaps[i].words, counted_text((int64_t)n, gaps[i].noun));
	}
	rec_end(r);
}

/* A difference as it is said: of logarithms as a change in percent. */
static double said_change(const struct block_series *s, double difference)
{
	return s->relative ? 100 * expm1(difference) : difference;
}

/* The metric's name as a person reads it; valid until the next call. */
static const char *metric_text(const struct block_series *s)
{
	static char name[80];

	snprintf(name, sizeof(name), "%s", s->metric);
	for (char *c = name; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	return name;
}

static const char *const limit_verdicts[] = { "holds", "broken", "not decided" };

/* What is said of a metric as the limit that B is not worse: of a better B no metric may be worse, however open it is. */
static const char *limit_verdict(const char *word, const char *all)
{
	bool open = !strcmp(word, "not decided") || !strcmp(word, "too noisy");

	return limit_verdicts[!strcmp(word, "worse") ? 1 : open && strcmp(all, "better") != 0 ? 2 : 0];
}

static void report_series(struct rec_report *r, const struct block_series *s, const char *word, const char *all)
{
	const struct decide_figure *f = &s->figure;
	const char *unit = s->relative ? "%" : !strcmp(s->unit, "%") ? "points" : s->unit;
	enum variant poorer = blocks_poorer(s);
	double low = f->mean - decide_reach(f, -1), high = f->mean + decide_reach(f, 1);

	rec_begin_object(r, NULL);
	rec_add_strs(r, { "cell", s->cell }, { "metric", s->metric }, { "unit", s->unit }, { "verdict", word });
	rec_add_reals(r, { "a", s->typical[VARIANT_A], 4 }, { "b", s->typical[VARIANT_B], 4 },
		      { "change", f->n ? said_change(s, f->mean) : (double)NAN, 4 },
		      { "low", isfinite(low) ? said_change(s, low) : (double)NAN, 4 },
		      { "high", isfinite(high) ? said_change(s, high) : (double)NAN, 4 });
	rec_add_str(r, "change_unit", unit);
	rec_add_real(r, "effect", said_change(s, f->effect), 4);
	rec_add_real(r, "p", f->p, 6);
	rec_add_ints(r, { "starts", (int64_t)f->n }, { "pairs", (int64_t)s->pairs }, { "pairs_lost", (int64_t)s->lost },
		     { "pairs_ranged", (int64_t)s->ranged }, { "pairs_disturbed", (int64_t)s->disturbed });
	rec_add_str(r, "lacks_values", poorer == VARIANT_A ? "a" : poorer == VARIANT_B ? "b" : NULL);
	rec_add_known_int(r, "more_starts", s->more != DECIDE_NEVER, (int64_t)s->more);
	rec_add_reals(r, { "iqr", s->iqr, 4 }, { "sd_of_starts", decide_sd(f), 6 });
	rec_add_str(r, "as_limit", limit_verdict(word, all));
	rec_begin_array(r, "differences");
	for (size_t i = 0; i < f->n && f->value; i++)
		rec_add_real(r, NULL, said_change(s, f->value[i]), 4);
	rec_end(r);
	rec_end(r);
	rec_add_row(r, "  %s%s%s\t%s\t%s\t%s %s\t%s", s->cell, *s->cell ? " " : "", metric_text(s),
		    number_text(s->typical[VARIANT_A]), number_text(s->typical[VARIANT_B]),
		    f->n ? number_text(said_change(s, f->mean)) : "-", unit, word);
	rec_rank_row(r, !strcmp(word, "worse") ? 3 : !strcmp(word, "better") ? 2 : f->word == DECIDE_OPEN);
}

/* Starts needed until a difference of each of these sizes, in IQRs of A's blocks, is decided; 0: the size that was asked for. */
static void report_plan(struct rec_report *r, struct block_series *const *family, size_t n)
{
	static const double sizes[] = { 0, 0.3, 0.5, 0.8, 1, 1.5, 2, 3 };
	double alpha = cfg.alpha_percent / 100 / (double)(n ? n : 1);

	rec_begin_array(r, "plan");
	for (size_t i = 0; i < n; i++) {
		const struct block_series *s = family[i];
		double iqr = s->relative ? s->iqr / s->typical[VARIANT_A] : s->iqr, sd = decide_sd(&s->figure);
		double asked = s->relative ? expm1(s->figure.effect) : s->figure.effect;

		for (size_t k = 0; !cfg.runs && iqr > 0 && sd > 0 && k < sizeof(sizes) / sizeof(*sizes); k++) {
			double size = k ? sizes[k] : asked / iqr;
			size_t needed = decide_starts_needed(size * iqr, sd, size * iqr, alpha);

			rec_begin_object(r, NULL);
			rec_add_strs(r, { "cell", s->cell }, { "metric", s->metric });
			rec_add_reals(r, { "effect_iqr", size, 1 }, { "effect", size * s->iqr, 4 });
			rec_add_bool(r, "asked", !k);
			rec_add_known_int(r, "starts", needed != DECIDE_NEVER, (int64_t)needed);
			rec_end(r);
		}
	}
	rec_end(r);
}

static void report_disturbed(struct rec_report *r, const struct block_table *t)
{
	rec_begin_array(r, "disturbed");
	for (const struct block_value *v = t->block.value; v < t->block.value + t->block.n; v++) {
		if (!v->disturbed && !v->allowed)
			continue;
		rec_begin_object(r, NULL);
		rec_add_ints(r, { "start", v->start }, { "pair", v->pair });
		rec_add_str(r, "variant", v->variant == VARIANT_A ? "a" : "b");
		rec_add_bool(r, "used", v->allowed);
		rec_end(r);
	}
	rec_end(r);
}

/* Adds "; better: NAME, NAME" of the metrics of that verdict, at most three. */
static void add_names(char *text, size_t size, const struct verdict *v, const char *word)
{
	size_t found = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct block_series *s = v->family[i];
		size_t at = strlen(text);

		if (strcmp(verdict_word(s, false), word) != 0 || ++found > 3)
			continue;
		if (found == 1)
			snprintf(text + at, size - at, "%s%s: ", at ? "; " : "", word);
		at = strlen(text);
		snprintf(text + at, size - at, "%s%s%s%s", found > 1 ? ", " : "", s->cell, *s->cell ? " " : "", metric_text(s));
	}
	if (found > 3)
		snprintf(text + strlen(text), size - strlen(text), " and %zu more", found - 3);
}

static void report_answer(struct rec_report *r, const struct verdict *v, bool provisional)
{
	static const char *const words[] = { "worse", "better", "not decided" };
	const char *mark = provisional ? "provisional: " : "";
	char text[1024] = "";

	for (size_t i = 0; i < sizeof(words) / sizeof(*words) && !v->noisy && !cfg.doubt; i++)
		add_names(text, sizeof(text), v, words[i]);
	rec_set_summary(r, "%s%s", mark, strcmp(v->word, "not decided") != 0 || !*text ? v->word : text);
	if (*text && v->n > 1)
		rec_say(r, "%s%s", mark, text);
}

static int report(struct block_table *t, const char *file)
{
	struct verdict_question q = {
		.metrics = cfg.metrics, .alpha = cfg.alpha_percent / 100, .runs = cfg.runs, .doubt = cfg.doubt
	};
	struct rec_report *r = rec_must_open(&out_cfg, "judge");
	struct verdict v;

	if (!verdict_reach(t, &q, &v))
		die(EXIT_RUN,
		    "%s: no metric%s has a value of both variants in an undisturbed pair, or in two repeats, or none changes", file,
		    cfg.metrics ? " of --metrics" : "");
	rec_begin_object(r, "settings");
	rec_add_strs(r, { "file", file }, { "effect", cfg.effect });
	rec_add_reals(r, { "points", cfg.points, 3 }, { "alpha_percent", cfg.alpha_percent, 3 });
	rec_end(r);
	rec_begin_object(r, "result");
	rec_add_str(r, "verdict", v.word);
	rec_add_bool(r, "provisional", t->allowed > 0);
	if (blocks_calmer(t) != VARIANTS)
		rec_add_str(r, "disturbed_more", blocks_calmer(t) == VARIANT_A ? "b" : "a");
	rec_add_bool(r, "disturbed_throughout", t->throughout);
	rec_add_str(r, "doubt", cfg.doubt);
	for (int i = 0; i < VARIANTS && cfg.runs; i++)
		rec_add_ints(r, { i ? "blocks_b" : "blocks_a", (int64_t)t->blocks_of[i] },
			     { i ? "disturbed_b" : "disturbed_a", (int64_t)t->disturbed_of[i] });
	rec_add_ints(r, { "blocks", (int64_t)t->block.n }, { "blocks_disturbed", (int64_t)(t->disturbed + t->allowed) },
		     { "metrics", (int64_t)v.n }, { "open", (int64_t)v.open });
	rec_add_known_int(r, "more_starts", v.open && v.more != DECIDE_NEVER, (int64_t)v.more);
	report_answer(r, &v, t->allowed > 0);
	if (cfg.doubt)
		rec_warn(r, "nothing is decided: %s", cfg.doubt);
	if (v.noisy)
		rec_warn(r, "%s of %s were disturbed by other programs: B and A cannot be compared here",
			 counted_text((int64_t)t->disturbed, "block"), count_text((int64_t)t->block.n));
	rec_begin_table(r, "lrrrl", "  metric\tA\tB\tchange\t");
	rec_set_table(r, "metrics_decided");
	rec_begin_array(r, "metrics_decided");
	for (size_t i = 0; i < v.n; i++)
		report_series(r, v.family[i], cfg.doubt && !v.noisy ? "not decided" : verdict_word(v.family[i], v.noisy), v.word);
	rec_end(r);
	report_plan(r, v.family, v.n);
	report_disturbed(r, t);
	report_left_out(r, t, &q);
	rec_end(r);
	rec_must_close(r);
	free(v.family);
	return v.noisy || !strcmp(v.word, "not decided") ? EXIT_LOSSY : !strcmp(v.word, "worse") ? EXIT_WORSE : EXIT_OK;
}

/* A metric of the blocks of one session. */
struct session_figure {
	struct block_series *of;
	double *raw, *value;	  /* of each block after the warm-up, as the table has it and as it is judged */
	struct drift_begin begin; /* of what grows */
};

static size_t count_blocks(const struct block_table *t)
{
	int64_t most = 0;

	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->series[i].n; k++)
			most = t->series[i].value[k].start > most ? t->series[i].value[k].start : most;
	if (most > BLOCKS_MOST)
		die(EXIT_RUN, "block %lld: more than %d blocks", (long long)most, BLOCKS_MOST);
	return most > cfg.warmup ? (size_t)(most - cfg.warmup) : 0;
}

static void place_values(struct session_figure *f, size_t blocks, const struct block_effect *effect)
{
	bool positive = true;

	f->raw = memory_new(blocks, sizeof(*f->raw));
	f->value = memory_new(blocks, sizeof(*f->value));
	for (size_t i = 0; i < blocks; i++)
		f->raw[i] = (double)NAN;
	for (const struct block_value *v = f->of->value; v < f->of->value + f->of->n; v++) {
		if (v > f->of->value && v->start == v[-1].start)
			die(EXIT_RUN, "block %lld: a second value of %s", (long long)v->start, f->of->metric);
		if (v->start > cfg.warmup && !v->disturbed) {
			f->raw[v->start - cfg.warmup - 1] = v->value;
			positive = positive && !(v->value <= 0);
		}
	}
	f->of->typical[VARIANT_A] = f->of->typical[VARIANT_B] = drift_mean(f->raw, blocks);
	blocks_choose_scale(f->of, effect, positive);
	for (size_t i = 0; i < blocks; i++)
		f->value[i] = f->of->relative ? log(f->raw[i]) : f->raw[i];
}

static double said_growth(const struct session_figure *f, double growth)
{
	return f->of->relative ? 100 * expm1(growth) : growth;
}

/* Seconds from the start of the run to the end of a block, of which the first after the warm-up is 1; 0: the end of the warm-up. */
static double block_end_s(size_t block)
{
	return (double)(block + (size_t)cfg.warmup) * (double)cfg.block_ns / NS_PER_S;
}

static void report_figure(struct rec_report *r, const struct session_figure *f, const struct drift_figure *d, size_t blocks)
{
	static const char *const words[] = { "not decided", "does not grow", "grows", "comes and goes" };
	bool grows = d->word == DRIFT_GROWS, step = f->begin.step;
	size_t eighth = blocks < 8 ? 1 : blocks / 8, before = eighth, after = eighth;
	double first, last;
	const char *unit = f->of->relative ? "%" : f->of->unit;

	if (grows && f->begin.block < before)
		before = f->begin.block;
	if (grows && step && blocks - f->begin.block < after)
		after = blocks - f->begin.block;
	first = drift_mean(f->raw, before);
	last = drift_mean(f->raw + blocks - after, after);
	rec_begin_object(r, NULL);
	rec_add_strs(r, { "figure", f->of->metric }, { "unit", f->of->unit }, { "verdict", words[d->word] },
		     { "told_by", grows ? d->told_by : NULL });
	rec_add_reals(r, { "first", first, 4 }, { "last", last, 4 }, { "change", said_growth(f, d->change), 4 },
		      { "low", said_growth(f, d->low), 4 }, { "high", said_growth(f, d->high), 4 },
		      { "end", said_growth(f, d->end), 4 });
	rec_add_str(r, "change_unit", unit);
	rec_add_reals(r, { "effect", said_growth(f, d->effect), 4 }, { "p", d->p, 6 },
		      { "told_s", d->told ? block_end_s(d->told) : (double)NAN, 1 },
		      { "returned_s", d->returned ? block_end_s(d->returned) : (double)NAN, 1 },
		      { "since_s", grows ? block_end_s(f->begin.block) : (double)NAN, 1 },
		      { "step", grows && step ? f->begin.growth : (double)NAN, 4 },
		      { "per_hour", grows && !step ? f->begin.growth * 3600 * NS_PER_S / (double)cfg.block_ns : (double)NAN, 4 });
	rec_end(r);
	rec_add_row(r, "  %s\t%s\t%s %s\t%s %s\t%s", f->of->metric, number_text(first), number_text(last), f->of->unit,
		    isnan(d->change) ? "-" : number_text(said_growth(f, d->change)), unit, words[d->word]);
	rec_rank_row(r, grows ? 2 : d->word == DRIFT_RETURNS);
}

/* What the metrics of --metrics, or the first of the table, say of the session. */
static enum drift_word judge_metrics(const struct session_figure *f, const struct drift_figure *d, size_t n)
{
	struct drift_figure *judged = memory_new(n, sizeof(*judged));
	enum drift_word word;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (cfg.metrics ? verdict_wanted(f[i].of, &(struct verdict_question){ .metrics = cfg.metrics }) : !i)
			judged[m++] = d[i];
	word = drift_combine(judged, m);
	free(judged);
	return word;
}

static int report_session(const struct session_figure *f, const struct drift_figure *d, size_t n, size_t blocks, const char *file)
{
	static const char *const words[] = { "not decided", "not slower", "slower", "comes and goes" };
	enum drift_word word = judge_metrics(f, d, n);
	struct rec_report *r = rec_must_open(&out_cfg, "judge");
	size_t first = n;

	for (size_t i = 0; i < n; i++)
		if (d[i].word == DRIFT_GROWS && (first == n || f[i].begin.block < f[first].begin.block))
			first = i;
	rec_begin_object(r, "settings");
	rec_add_strs(r, { "file", file }, { "effect", cfg.effect });
	rec_add_reals(r, { "alpha_percent", cfg.alpha_percent, 3 }, { "warmup", (double)cfg.warmup, 0 });
	rec_end(r);
	rec_begin_object(r, "result");
	rec_add_strs(r, { "verdict", words[word] }, { "moved_first", first < n ? f[first].of->metric : NULL });
	rec_add_ints(r, { "blocks", (int64_t)blocks }, { "blocks_needed", DRIFT_BLOCKS });
	rec_add_reals(r, { "block_s", (double)cfg.block_ns / NS_PER_S, 3 }, { "seconds", block_end_s(blocks), 1 });
	rec_set_summary(r, "%s", words[word]);
	if (blocks < DRIFT_BLOCKS)
		rec_warn(r, "%s after the warm-up: nothing is decided with fewer than %zu", counted_text((int64_t)blocks, "block"),
			 DRIFT_BLOCKS);
	rec_begin_table(r, "lrrrl", "  figure\tat first\tat last\tsecond half\t");
	rec_set_table(r, "figures");
	rec_begin_array(r, "figures");
	for (size_t i = 0; i < n; i++)
		report_figure(r, &f[i], &d[i], blocks);
	rec_end(r);
	rec_end(r);
	rec_must_close(r);
	return word == DRIFT_GROWS ? EXIT_WORSE : word == DRIFT_NONE ? EXIT_OK : EXIT_LOSSY;
}

static int judge_session(struct block_table *t, const char *file, const struct block_effect *effect)
{
	struct session_figure *f = memory_new(t->n, sizeof(*f));
	struct drift_figure *d = memory_new(t->n, sizeof(*d));
	size_t blocks = count_blocks(t);
	int status;

	if (!blocks)
		die(EXIT_RUN, "%s: no block after the warm-up has a metric", file);
	for (size_t i = 0; i < t->n; i++) {
		f[i].of = &t->series[i];
		place_values(&f[i], blocks, effect);
		d[i] = (struct drift_figure){ .value = f[i].value, .effect = f[i].of->figure.effect };
	}
	drift_decide(d, t->n, blocks, cfg.alpha_percent / 100);
	for (size_t i = 0; i < t->n; i++)
		if (d[i].word == DRIFT_GROWS)
			f[i].begin = drift_find_begin(f[i].raw, blocks);
	status = report_session(f, d, t->n, blocks, file);
	for (size_t i = 0; i < t->n; i++) {
		free(f[i].raw);
		free(f[i].value);
	}
	free(f);
	free(d);
	return status;
}

static int report_search(struct search *s, const char *file)
{
	struct rec_report *r = rec_must_open(&out_cfg, "judge");
	int64_t next = search_choose_next(s), unmeasured = (int64_t)search_count_unmeasured(s, 0);

	if (unmeasured)
		rec_warn(r, "%s without a figure: not measured, so they do not count", counted_text(unmeasured, "measurement"));
	rec_begin_object(r, "settings");
	rec_add_strs(r, { "file", file }, { "criteria", cfg.criteria });
	rec_add_int(r, "most", cfg.most);
	rec_end(r);
	rec_begin_object(r, "result");
	rec_add_known_int(r, "next", next > 0, next);
	rec_add_int(r, "not_measured", unmeasured);
	if (next)
		rec_set_summary(r, "measure %s next", counted_text(next, "user"));
	rec_begin_table(r, "lr", "  criterion	most users");
	rec_set_table(r, "limits");
	rec_begin_array(r, "limits");
	for (const struct search_criterion *c = s->criterion; c < s->criterion + s->criteria; c++) {
		struct search_bounds b = search_find_bounds(s, c, false), all = search_find_bounds(s, c, true);
		const struct search_try *end = search_find_end(s, b.bad);

		rec_begin_object(r, NULL);
		rec_add_strs(r, { "criterion", c->name }, { "resource", end ? end->resource : "" },
			     { "ended", end ? end->ended : "" });
		rec_add_bool(r, "reached", b.bad && (!end || strcmp(end->resource, "ssh connection") != 0));
		rec_add_ints(r, { "users", b.good }, { "beyond", b.bad }, { "users_all", all.good < b.good ? all.good : b.good });
		rec_add_bool(r, "untold", b.untold);
		rec_end(r);
		rec_add_row(r, "  %s	%s", c->name, count_text(b.good));
	}
	rec_end(r);
	rec_end(r);
	rec_must_close(r);
	return next || unmeasured ? EXIT_LOSSY : EXIT_OK;
}

static int judge_search(const char *file)
{
	struct search s = { .most = cfg.most };
	unsigned long line;
	int err, status;
	FILE *in;

	if (search_parse_criteria(&s, cfg.criteria))
		die_usage("--criteria %s: such as p95:100ms,apdex:0.85", cfg.criteria);
	in = cli_open_input(file);
	err = search_read(in, &s, &line);
	cli_close_input(in, file, err, line, "not a table of capacity-try/1");
	status = report_search(&s, file);
	search_free(&s);
	return status;
}

static void report_limit(struct rec_report *r, const struct limit *l)
{
	static const char *const keys[LIMIT_WORDS] = { "holds", "broken", "open", "range", "absent" };
	const char *verdict = limit_verdicts[limit_conclude(l)];

	rec_begin_object(r, NULL);
	rec_add_strs(r, { "op", l->op }, { "verdict", verdict });
	rec_add_real(r, "bound", l->bound, 6);
	for (int i = 0; i < LIMIT_WORDS; i++)
		rec_add_int(r, keys[i], (int64_t)l->count[i]);
	rec_add_known_int(r, "worst", l->count[LIMIT_ABSENT] < l->figures, (int64_t)l->worst);
	rec_add_known_int(r, "doubtful", l->count[LIMIT_RANGE] + l->count[LIMIT_OPEN] > 0, (int64_t)l->doubtful);
	rec_add_bool(r, "leans_to_break", limit_leans_to_break(l));
	rec_end(r);
	rec_add_row(r, "  %s %s\t%s\t%s", l->op, number_text(l->bound), count_text((int64_t)l->figures), verdict);
}

static int judge_limits(const char *file)
{
	struct limit_list list = { .range_breaks = cfg.range_breaks, .doubt = cfg.doubt };
	enum limit_word word = LIMIT_HOLDS;
	struct rec_report *r;
	unsigned long line;
	FILE *in = cli_open_input(file);
	int err;

	err = limits_read(in, &list, &line);
	cli_close_input(in, file, err, line, "not a table of limits (schema limits/1; see thinprobe help judge)");
	if (!list.n)
		die(EXIT_RUN, "%s: no limit", file);
	r = rec_must_open(&out_cfg, "judge");
	rec_begin_object(r, "result");
	rec_begin_table(r, "lrl", "  limit\tfigures\t");
	rec_set_table(r, "limits");
	rec_begin_array(r, "limits");
	for (size_t i = 0; i < list.n; i++) {
		report_limit(r, &list.limit[i]);
		if (word != LIMIT_BROKEN && limit_conclude(&list.limit[i]) != LIMIT_HOLDS)
			word = limit_conclude(&list.limit[i]);
	}
	rec_end(r);
	rec_add_strs(r, { "verdict", limit_verdicts[word] }, { "doubt", cfg.doubt });
	rec_set_summary(r, "%s", limit_verdicts[word]);
	rec_end(r);
	rec_must_close(r);
	free(list.limit);
	return word == LIMIT_HOLDS ? EXIT_OK : word == LIMIT_BROKEN ? EXIT_WORSE : EXIT_LOSSY;
}

/* Of each figure of a paper that the claims are about, the word of its rules. */
static void report_rules(struct rec_report *r, const struct claim_list *list)
{
	static const char *const words[] = { "as then", "as then, smaller", "no longer", "cannot tell" };

	rec_begin_array(r, "figures");
	for (size_t i = 0, end; i < list->n; i = end) {
		enum rule_word word, by;

		for (end = i + 1; end < list->n && list->claim[end].of == list->claim[i].of;)
			end++;
		if (!list->claim[i].of)
			continue;
		word = rules_decide(list->claim + i, end - i, &by);
		rec_begin_object(r, NULL);
		rec_add_int(r, "of", list->claim[i].of);
		rec_add_strs(r, { "verdict", words[word] }, { "by", words[by] });
		rec_end(r);
	}
	rec_end(r);
}

static int judge_claims(const char *file)
{
	static const char *const words[] = { "cannot tell", "holds", "fails" };
	struct claim_list list = { .n = 0 };
	struct rec_report *r;
	unsigned long line;
	FILE *in = cli_open_input(file);
	int err;

	err = claims_read(in, &list, &line);
	cli_close_input(
		in, file, err, line,
		"not a table of claims/1, a figure that is no number, a claim of no known kind, or one apart from others of its rule");
	r = rec_must_open(&out_cfg, "judge");
	rec_begin_object(r, "result");
	rec_begin_table(r, "lrl", "  claim\tvalue\t");
	rec_set_table(r, "claims");
	rec_begin_array(r, "claims");
	for (const struct claim *c = list.claim; c < list.claim + list.n; c++) {
		rec_begin_object(r, NULL);
		rec_add_strs(r, { "kind", c->kind }, { "verdict", words[c->word] });
		rec_add_reals(r, { "value", c->value, 9 }, { "low", c->low, 9 }, { "high", c->high, 9 });
		rec_end(r);
		rec_add_row(r, "  %s\t%s\t%s", c->kind, isnan(c->value) ? "-" : number_text(c->value), words[c->word]);
	}
	rec_end(r);
	report_rules(r, &list);
	rec_end(r);
	rec_must_close(r);
	claims_free(&list);
	return EXIT_OK;
}

/* Of the medians of all conditions, which share half of alpha. */
static int report_starts(const struct block_effect *effect)
{
	struct rec_report *r = rec_must_open(&out_cfg, "judge");
	double size = effect->relative > 0 ? log1p(effect->relative) : effect->time_ms;
	double scatter = decide_scatter_most((size_t)cfg.starts, size, cfg.alpha_percent / 200 / (double)cfg.conditions);
	double said = effect->relative > 0 ? 100 * expm1(scatter) : scatter;

	rec_begin_object(r, "result");
	rec_add_int(r, "starts", cfg.starts);
	rec_add_real(r, effect->relative > 0 ? "scatter_percent" : "scatter_ms", said, 2);
	if (isnan(scatter))
		rec_say(r, "%s decide nothing: too few", counted_text(cfg.starts, "start"));
	else
		rec_say(r, "%s decide %s in the median, if starts scatter by at most %s %s", counted_text(cfg.starts, "start"),
			cfg.effect, number_text(said), effect->relative > 0 ? "%" : "ms");
	rec_end(r);
	rec_must_close(r);
	return isnan(scatter) ? EXIT_LOSSY : EXIT_OK;
}

static void compare_runs(struct block_table *t, const struct block_effect *effect)
{
	unsigned long line;
	FILE *in;
	int err;

	blocks_compare_runs(t, effect);
	if (!cfg.pooled)
		return;
	in = cli_open_input(cfg.pooled);
	err = pooled_read(in, t, &line);
	cli_close_input(in, cfg.pooled, err, line, "not a table of pooled/1");
	pooled_compare(t, effect);
}

/* Ends the program if two things are asked, or an option belongs to another. */
static void refuse_foreign(void)
{
	const char *asked = cfg.claims	   ? "claims"
			    : cfg.criteria ? "criteria"
			    : cfg.block_ns ? "drift"
			    : cfg.limits   ? "limits"
			    : cfg.runs	   ? "runs"
			    : cfg.starts   ? "starts"
					   : "blocks";
	const struct cli_opt *other = cli_foreign_option(asked);

	if (cfg.claims + cfg.limits + cfg.runs + (cfg.block_ns > 0) + (cfg.criteria != NULL) > 1)
		die_usage("--claims, --criteria, --drift, --limits and --runs: choose one");
	if (other)
		die_usage("--%s is for %s, not for %s", other->name, other->of, asked);
}

int main(int argc, char **argv)
{
	int first = cli_parse(
		argc, argv, "judge BLOCKS [options]",
		"Decides whether B is better than A, from paired blocks; with --drift, whether a session gets slower.", options);
	struct block_effect effect = parse_effect();
	struct block_table table;
	unsigned long line;
	int err, status;
	FILE *in;

	refuse_foreign();
	if (cfg.starts && first == argc)
		return report_starts(&effect);
	if (first == argc)
		die_usage("which blocks? a file, or - for standard input");
	cli_refuse_operands(argc, argv, first + 1);
	if (cfg.criteria)
		return judge_search(argv[first]);
	if (cfg.claims)
		return judge_claims(argv[first]);
	if (cfg.limits)
		return judge_limits(argv[first]);
	if (cfg.starts)
		die_usage("--starts needs no file: leave out the file, or --starts");
	in = cli_open_input(argv[first]);
	err = blocks_read(in, &table, &line);
	if (err == -EEXIST)
		die(EXIT_RUN, "%s, line %lu: a second row of this block and metric; are these tables of two measurements?",
		    argv[first], line);
	cli_close_input(
		in, argv[first], err, line,
		"not a table of blocks/1, a value not finite, disturbed not 0, 1 or 2, better not lower or higher, or a metric of "
		"two units");
	require_metrics(&table, argv[first]);
	if (cfg.block_ns) {
		status = judge_session(&table, argv[first], &effect);
	} else {
		(cfg.runs ? compare_runs : blocks_compare)(&table, &effect);
		status = report(&table, argv[first]);
	}
	blocks_free(&table);
	return status;
}
