// SPDX-License-Identifier: GPL-3.0-or-later
/* keys_extract - latencies of the keys (or pings) of each repeat, from samples.tsv, and whether the repeat was overloaded, from
 * keyrepeat.json.
 *
 * Numbers of a repeat:
 *	coalesced_percent				of the answered keys, those that a later key's echo answered too
 * Figures of a cell (those in ms are absent where a repeat is overloaded; a range where keys are ranges):
 *	p50 p90 p95 p99 max				ms, over the keys of all repeats
 *	high.p50 ... high.max				the same by the late ends of ranges; absent where all keys are exact
 *	end.p50, end.p90				high.*, or where all keys are exact, p50 and p90
 *	sent.p50					median in ms from when the key was sent
 *	mean, sd, variance				means over the repeats, in ms (variance: ms2); where a key has no echo the
 *							mean is a lower bound; there, and where keys are ranges, sd and
 *							variance are absent
 *	min						ms: the least of all keys
 *	bound						1 if the largest latency is a lower bound
 *	lateness.p99, lateness.max			us that keys were sent late
 *	late, late.high					percent over the threshold; the same by the late ends alone
 *	keys, asked, unknown, unknown_percent		keys of which something is known, all keys, keys of which nothing is known
 *	skipped, censored, ranged, overloaded		numbers of warm-up keys, keys without an echo, keys known as a range;
 *							overloaded repeats
 *	updates_per_answer				screen updates per key with an echo
 * Texts: interval, late_interval (methods of the intervals). Rows: cdf (curve of each cell: latency_ms, share, bound, parameters),
 * compare (settings compared with the default). In the report: cells_overloaded and idle_noise. */
#include "key_figures.h"
#include "clock.h"
#include "engine.h"
#include "sure.h"

#define MS ((double)NS_PER_MS)

/* --- reading --------------------------------------------------------------------------------------------------- */

struct key_train_samples keys_read_train(const struct experiment_repeat *r)
{
	const struct json_document *j = repeat_get_json(r, "keyrepeat.json");
	struct key_train_samples t = { .repeat = r->number };

	if (j)
		json_get_bool(j, "result.overloaded", &t.overloaded);
	repeat_read_table(r, "samples.tsv", true, &keys_rows, &t.keys);
	return t;
}

/* Returns the keys' latencies in ns, by the early or the late (`high`) ends of ranges; the caller frees the sample. */
static struct sample collect_latencies(const struct key_samples *keys, bool high)
{
	struct sample s = { 0 };

	for (size_t i = 0; i < keys->n; i++)
		key_add_latency(&keys->key[i], high ? KEY_LATE : KEY_EARLY, &s);
	return s;
}

/* Median latency of the keys in ns; absent if the train was overloaded. */
static struct figure keys_median_latency_ns(const struct key_train_samples *t)
{
	struct sample early = collect_latencies(&t->keys, false), late = collect_latencies(&t->keys, true);
	struct figure f = t->overloaded ? figure_absent("overloaded")
					: figure_make_range(sample_quantile(&early, 0.5), sample_quantile(&late, 0.5), 0);

	sample_free(&early);
	sample_free(&late);
	return f;
}

/* --- figures --------------------------------------------------------------------------------------------------- */

static void read_repeat(const struct experiment_repeat *r)
{
	struct key_train_samples *t = extractor_repeat_data(r);
	const struct json_document *j;

	*t = keys_read_train(r);
	j = repeat_get_json(r, "keyrepeat.json");
	extractor_set_value("coalesced_percent", 100 * json_number(j, "result.coalesced") / json_number(j, "result.keys_answered"));
}

/* Statistics of each train, of which a cell has the mean or the least over its trains. */
static const struct train_statistic {
	const char *name;
	enum { KEYS_MEAN, KEYS_MIN, KEYS_SD, KEYS_VARIANCE } statistic;
	enum estimator estimator;
	bool ends; /* also known where keys are ranges; deviations are not */
} train_statistics[] = {
	{ "mean", KEYS_MEAN, ESTIMATE_MEAN_CI, true },
	{ "min", KEYS_MIN, ESTIMATE_MIN, true },
	{ "sd", KEYS_SD, ESTIMATE_MEAN_CI, false },
	{ "variance", KEYS_VARIANCE, ESTIMATE_MEAN_CI, false },
};

/* Combines the statistic of each train, by one end of ranges. A lower bound has no interval. */
static struct figure combine_trains(const struct key_train_samples *train, size_t n, const struct train_statistic *k, bool high)
{
	double *of = memory_new(n, sizeof(*of));
	struct figure f;
	bool above = false, known = true;

	for (size_t i = 0; i < n; i++) {
		struct sample s = collect_latencies(&train[i].keys, high);
		struct sample_stat v = k->statistic == KEYS_MEAN  ? sample_mean(&s)
				       : k->statistic == KEYS_MIN ? sample_min(&s)
								  : sample_sd(&s);

		of[i] = k->statistic == KEYS_VARIANCE ? pow(v.value, 2) / (MS * MS) : v.value / MS;
		above = above || v.above;
		known = known && (k->ends || !s.censored);
		sample_free(&s);
	}
	f = known ? engine_estimate(k->estimator, of, n) : FIGURE_ABSENT;
	if (above) {
		f = figure_statistic((struct sample_stat){ f.value, true });
		f.repeats = n;
	}
	free(of);
	return f;
}

static void set_statistics(const struct key_train_samples *train, size_t n, const struct key_figures *e)
{
	for (size_t i = 0; i < sizeof(train_statistics) / sizeof(*train_statistics); i++) {
		const struct train_statistic *k = &train_statistics[i];
		struct figure early = combine_trains(train, n, k, false), late = combine_trains(train, n, k, true);

		extractor_set_figure(k->name, e->overloaded && k->estimator != ESTIMATE_MIN ? figure_absent("overloaded")
					      : e->ranged && !k->ends			    ? figure_absent("range")
											    : figure_join(&early, &late));
	}
}

static const struct {
	const char *name, *late_end;
	enum figure_name figure;
} keys_figures[] = {
	{ "late", "late.high", LATE },
	{ "p50", "high.p50", P50 },
	{ "p90", "high.p90", P90 },
	{ "p95", "high.p95", P95 },
	{ "p99", "high.p99", P99 },
	{ "max", "high.max", MAX },
	{ "sent.p50", "high.sent.p50", SENT_P50 },
	{ "lateness.p99", "", LATENESS_P99 },
	{ "lateness.max", "", LATENESS_MAX },
};

/* A count of such keys; none of no keys is not known. */
static double count_of(size_t count, size_t of)
{
	return count || of ? (double)count : (double)NAN;
}

struct key_figures keys_set_figures(const struct experiment_cell *c, const struct key_train_samples *train, size_t n)
{
	struct key_figures e = keys_estimate_figures(train, n, llround(c->run->threshold_ms * MS));
	double answered = 0, updates = 0; /* updates: number of different answer times; one update may answer several keys */

	for (size_t i = 0; i < sizeof(keys_figures) / sizeof(*keys_figures); i++) {
		const struct figure *late = &e.late_end[keys_figures[i].figure], *all = &e.of[keys_figures[i].figure];

		extractor_set_figure(keys_figures[i].name, *all);
		extractor_set_figure(keys_figures[i].late_end, *late);
	}
	extractor_set_figure("end.p50", e.ranged ? e.late_end[P50] : e.of[P50]);
	extractor_set_figure("end.p90", e.ranged ? e.late_end[P90] : e.of[P90]);
	set_statistics(train, n, &e);
	for (size_t i = 0; i < n; i++) {
		int64_t update = 0;

		for (const struct key_times *k = train[i].keys.key; k < train[i].keys.key + train[i].keys.n; k++) {
			answered += k->answer_ns != 0;
			updates += k->answer_ns && k->answer_ns != update;
			update = k->answer_ns ? k->answer_ns : update;
		}
	}
	give_values({ "bound", e.of[MAX].above }, { "updates_per_answer", updates / answered }, { "keys", (double)e.keys },
		    { "asked", (double)(e.keys + e.unknown) }, { "unknown", count_of(e.unknown, e.keys + e.unknown) },
		    { "unknown_percent", 100.0 * (double)e.unknown / (double)(e.keys + e.unknown) },
		    { "skipped", (double)e.skipped }, { "censored", count_of(e.censored, e.keys) },
		    { "ranged", count_of(e.ranged_keys, e.keys) }, { "overloaded", count_of(e.overloaded, e.keys) });
	return e;
}

static void set_cell_figures(const struct experiment_cell *c)
{
	static const char *const kinds[] = { "none", "t", "exact" };
	struct key_figures *e = extractor_cell_data(c);

	*e = keys_set_figures(c, extractor_repeat_data(c->repeat), c->n);
	extractor_set_text("interval", kinds[e->interval]);
	extractor_set_text("late_interval", kinds[e->late_interval]);
}

/* --- rows and report ------------------------------------------------------------------------------------------- */

static void write_curve(const struct experiment_cell *c, bool high, const char *bound, struct table_out *out)
{
	size_t n;
	struct cdf_point *point = keys_compute_cdf(extractor_repeat_data(c->repeat), c->n, high, CDF_POINTS, &n);

	for (size_t i = 0; i < n; i++) {
		row_set_parameters(out, c);
		row_numbers(out, { "latency_ms", (double)point[i].ns / MS }, { "share", point[i].share });
		row_set_text(out, "bound", bound);
		row_write(out);
	}
	free(point);
}

static void keys_write_cdf(const struct experiment_cell *c, struct table_out *out)
{
	const struct key_figures *e = extractor_cell_data(c);

	write_curve(c, false, e->ranged ? "low" : "exact", out);
	if (e->ranged)
		write_curve(c, true, "high", out);
}

static void report_app_noise(const struct json_document *run, const char *app, struct rec_report *out)
{
	double updates = json_number(run, "idle.%s.updates", app), seconds = json_number(run, "idle.%s.seconds", app);

	if (!isfinite(updates) || !(seconds > 0))
		return;
	rec_begin_object(out, app);
	rec_add_int(out, "updates", llround(updates));
	rec_add_reals(out, { "seconds", seconds, 3 }, { "unsolicited_per_s", updates / seconds, 4 },
		      { "unsolicited_high_per_s", interval_poisson_high(updates) / seconds, 4 });
	rec_end(out);
}

/* Reports the screen updates without input of a cell's session, which run.json names PROTOCOL-APP; only once for each session. */
static void report_session_noise(const struct experiment_cell *c, struct rec_report *out)
{
	const char *protocol = cell_text(c, "protocol"), *app = cell_text(c, "app");
	char name[128];

	for (const struct experiment_cell *b = c->run->cell; protocol && app && b < c; b++) {
		const char *of = cell_text(b, "protocol"), *runs = cell_text(b, "app");

		if (of && runs && !strcmp(of, protocol) && !strcmp(runs, app))
			return;
	}
	if (!protocol || !app)
		return;
	snprintf(name, sizeof(name), "%s-%s", protocol, app);
	for (char *at = name; (at = strchr(at, ':'));)
		*at = '-';
	report_app_noise(c->run->json, name, out);
}

/* For a run with --until-sure: settings.until_sure is PERCENTILE,WIDTH%,TIME. */
static void report_sure(const struct experiment_run *run, struct rec_report *out)
{
	const char *text = json_get_text(run->json, "settings.until_sure");
	struct figure *now = memory_new(2 * run->n, sizeof(*now)), *before = now + run->n;
	enum figure_name figure = P50;
	char name[8];
	double percent;
	struct sure_run sure;

	for (size_t i = 0; i < sizeof(keys_figures) / sizeof(*keys_figures); i++)
		if (text && sscanf(text, "%7[^,],%lf%%", name, &percent) == 2 && !strcmp(keys_figures[i].name, name))
			figure = keys_figures[i].figure;
	for (const struct experiment_cell *c = run->cell; text && c < run->cell + run->n; c++) {
		now[c->index] = ((struct key_figures *)extractor_cell_data(c))->of[figure];
		before[c->index] = keys_estimate_figures(extractor_repeat_data(c->repeat), c->n ? c->n - 1 : 0,
							 llround(run->threshold_ms * MS))
					   .of[figure];
	}
	if (text) {
		sure = sure_count(now, before, run->n, percent / 100);
		rec_begin_object(out, "sure");
		rec_add_int(out, "open", (int64_t)sure.open);
		rec_add_str(out, "why", sure.why);
		rec_add_str(out, "untold", sure.untold);
		rec_end(out);
	}
	free(now);
}

static void report_overload(const struct experiment_run *run, struct rec_report *out)
{
	static const char *const apps[] = { "light", "grouped", "heavy", "own" };
	const struct key_figures *e = extractor_cell_data(run->cell);
	int64_t overloaded = 0;

	for (size_t i = 0; i < run->n; i++)
		overloaded += e[i].overloaded > 0;
	rec_add_int(out, "cells_overloaded", overloaded);
	report_sure(run, out);
	rec_begin_object(out, "idle_noise");
	for (size_t i = 0; i < sizeof(apps) / sizeof(*apps); i++)
		report_app_noise(run->json, apps[i], out);
	for (const struct experiment_cell *c = run->cell; c < run->cell + run->n; c++)
		report_session_noise(c, out);
	rec_end(out);
}

/* --- settings compared with the default -------------------------------------------------------------------------- */

/* Rows of `compare`: each setting compared with the default by the median latencies of the same repeat. The compared cells differ
 * only in the parameter `setting`. The effect is the ratio to the default's median: geometric mean over the repeats, with the t
 * interval of the logarithms; with fewer than INTERVAL_PAIRS repeats there is no p-value. p-values are adjusted by Holm (1979) over
 * the settings of the same `part`. A ratio of ranges is a range, and decides only where both ends say the same. Where one side of a
 * pair was overloaded, or its median has no echo, there is no ratio: without that pair it would leave out the slow keys. */
#define COMPARE_BASE "default"

struct setting_result {
	const struct experiment_cell *cell;
	size_t pairs;
	size_t overloaded, unanswered, failed, ranged; /* repeats with such a side; failed: not measured on one side */
	struct figure ratio;			       /* ratio of medians to the default; below 1: the setting is faster */
	double p;				       /* p-value of a ratio of 1; NAN: too few pairs */
};

static bool parameter_is_same(const struct experiment_cell *a, const struct experiment_cell *b, const char *key)
{
	const char *x = cell_text(a, key), *y = cell_text(b, key);
	double v = cell_number(a, key), w = cell_number(b, key);

	if (x || y)
		return x && y && !strcmp(x, y);
	return isnan(v) ? isnan(w) : fabs(v - w) < 1e-6;
}

/* Returns the default's cell that differs from `c` only in the setting; NULL: there is none. */
static const struct experiment_cell *find_default_cell(const struct experiment_run *run, const struct experiment_cell *c)
{
	for (const struct experiment_cell *base = run->cell; base < run->cell + run->n; base++) {
		const char *setting = cell_text(base, "setting"), *axis;
		bool same = setting && !strcmp(setting, COMPARE_BASE);

		for (int k = 0; same && (axis = json_get_text(run->json, "axes.%d", k)); k++)
			same = !strcmp(axis, "setting") || parameter_is_same(c, base, axis);
		if (same)
			return base;
	}
	return NULL;
}

static const struct key_train_samples *find_train(const struct experiment_cell *c, int64_t repeat)
{
	const struct key_train_samples *t = c ? extractor_repeat_data(c->repeat) : NULL;

	for (size_t i = 0; c && i < c->n; i++)
		if (t[i].repeat == repeat)
			return &t[i];
	return NULL;
}

/* Computes the ratio of a setting. Its interval stays unknown where the p-value is. */
static void compute_ratio(struct setting_result *out, const struct experiment_cell *base)
{
	size_t room = (size_t)out->cell->run->repeats;
	double *least = memory_new(2 * room, sizeof(*least)), *most = least + room, p[2];
	struct figure early, late;

	for (int64_t r = 1; r <= out->cell->run->repeats; r++) {
		const struct key_train_samples *k = find_train(out->cell, r), *b = find_train(base, r);
		struct figure x, y;

		x = k ? keys_median_latency_ns(k) : FIGURE_ABSENT;
		y = b ? keys_median_latency_ns(b) : FIGURE_ABSENT;
		if ((!figure_known(&x) && !x.why) || (!figure_known(&y) && !y.why)) {
			out->failed++;
			continue;
		}
		least[out->pairs] = figure_at_least(&x) / figure_at_most(&y);
		most[out->pairs] = figure_at_most(&x) / figure_at_least(&y);
		if (k->overloaded || b->overloaded)
			out->overloaded++;
		else
			out->unanswered += x.above || y.above || !(least[out->pairs] > 0 && isfinite(most[out->pairs]));
		out->ranged += figure_is_range(&x) || figure_is_range(&y);
		out->pairs++;
	}
	out->p = NAN;
	if (out->overloaded || out->unanswered) {
		out->ratio = figure_absent(out->overloaded ? "overloaded" : "range");
	} else {
		early = interval_paired_ratio(least, out->pairs, &p[0]);
		late = interval_paired_ratio(most, out->pairs, &p[1]);
		out->ratio = figure_join(&early, &late);
		out->p = (early.value < 1) == (late.value < 1) ? fmax(p[0], p[1]) : 1;
		out->p = isfinite(p[0]) ? out->p : (double)NAN;
	}
	if (!isfinite(out->p))
		out->ratio.low = out->ratio.high = NAN;
	free(least);
}

/* Writes which pairs stand in the way of a ratio, as "overloaded in 5 of 10, failed in 1 of 10". */
static void describe_pairs(const struct setting_result *of, char *text, size_t size)
{
	const struct {
		size_t n;
		const char *word;
	} kinds[] = {
		{ of->overloaded, "overloaded" },
		{ of->unanswered, "unanswered" },
		{ of->ranged, "a range" },
		{ of->failed, "failed" },
	};
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].n && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s in %zu of %lld", used ? ", " : "", kinds[i].word,
						 kinds[i].n, (long long)of->cell->run->repeats);
}

/* Returns the p-value of setting i, adjusted over the settings of the same part. */
static double compute_adjusted_p(const struct setting_result *one, size_t n, size_t i)
{
	double *p = memory_new(n, sizeof(*p)), adjusted;

	for (size_t k = 0; k < n; k++)
		p[k] = parameter_is_same(one[k].cell, one[i].cell, "part") ? one[k].p : (double)NAN;
	interval_adjust_holm(p, n);
	adjusted = p[i];
	free(p);
	return adjusted;
}

/* Writes the rows of all settings with the first cell of the run. */
static void write_setting_rows(const struct experiment_cell *first, struct table_out *out)
{
	const struct experiment_run *run = first->run;
	struct setting_result *one = memory_new(run->n, sizeof(*one));
	size_t n = 0;

	for (const struct experiment_cell *c = first; !first->index && c < run->cell + run->n; c++) {
		const char *setting = cell_text(c, "setting");

		if (!setting || !*setting || !strcmp(setting, COMPARE_BASE))
			continue;
		one[n].cell = c;
		compute_ratio(&one[n++], find_default_cell(run, c));
	}
	for (size_t i = 0; i < n; i++) {
		double p = compute_adjusted_p(one, n, i);
		char pairs[128];

		row_set_parameters(out, one[i].cell);
		row_set_number(out, "pairs", (double)one[i].pairs);
		row_set_figure(out, "ratio", one[i].ratio);
		row_set_number(out, "p", p);
		row_set_text(out, "verdict",
			     one[i].overloaded || one[i].unanswered ? INTERVAL_NOT_COMPARABLE
								    : interval_ratio_word(&one[i].ratio, p));
		describe_pairs(&one[i], pairs, sizeof(pairs));
		row_set_text(out, "pairs_why", pairs);
		row_write(out);
	}
	free(one);
}

const struct extractor_hooks keys_extractor = {
	.name = "keys",
	.cell_size = sizeof(struct key_figures),
	.repeat_size = sizeof(struct key_train_samples),
	.read_repeat = read_repeat,
	.finish_cell = set_cell_figures,
	.tables = { { "cdf", keys_write_cdf }, { "compare", write_setting_rows } },
	.report = report_overload,
};

/* --- latency over round trip time -------------------------------------------------------------------------------- */

/* Extractor slope: for each protocol, how the median latency of single keys grows with the round trip time measured by ping,
 * on links without loss: a least-squares line through a point for each repeat of each cell, with Student's t interval of the slope.
 * There is a row where round trip times were set apart (by SLOPE_APART_MS, and more than the pings of one setting scatter). A line
 * also needs an interval, the median of every repeat as one number, and medians that lie on it; otherwise the row says why
 * there is none. late_from_ms: the round trip time from which on the line is above the run's threshold, if one between those that
 * were set.
 * Parameters: protocol, rtt_ms, loss_percent, keys_per_s (0: single keys); cell.json: parameters.ping_ms (if missing: rtt_ms). */
#define SLOPE_APART_MS 10.0

struct slope_point {
	double rtt_ms, median_ms; /* median_ms NAN: not one number */
	bool single;		  /* single keys without loss: a point of the line */
};

static void read_slope_point(const struct experiment_repeat *r)
{
	struct slope_point *p = extractor_repeat_data(r);
	struct key_train_samples train;
	struct figure median;

	p->single = !(cell_number(r->cell, "loss_percent") > 0) && !(cell_number(r->cell, "keys_per_s") > 0);
	if (!p->single)
		return;
	train = keys_read_train(r);
	p->rtt_ms = cell_number(r->cell, "rtt_ms");
	json_get_real(r->json, "parameters.ping_ms", &p->rtt_ms);
	median = keys_median_latency_ns(&train);
	p->median_ms = median.above ? (double)NAN : median.value / NS_PER_MS;
	keys_free(&train.keys);
}

/* The points of the line, the round trip times that were set and their range, and how far the pings of one setting were apart. */
struct slope_points {
	double *x, *y, *set, least_ms, most_ms, scatter_ms;
	size_t n;
	bool unknown; /* a repeat has no median */
};

static void add_slope_points(struct slope_points *l, const struct experiment_cell *c)
{
	const struct slope_point *p = extractor_repeat_data(c->repeat);
	double set = cell_number(c, "rtt_ms"), least = INFINITY, most = -INFINITY;

	for (size_t r = 0; r < c->n; r++) {
		if (!p[r].single)
			continue;
		least = fmin(least, p[r].rtt_ms);
		most = fmax(most, p[r].rtt_ms);
		l->unknown = l->unknown || !isfinite(p[r].median_ms);
		l->x[l->n] = p[r].rtt_ms;
		l->set[l->n] = set;
		l->y[l->n++] = p[r].median_ms;
	}
	if (most < least)
		return;
	l->least_ms = fmin(l->least_ms, set);
	l->most_ms = fmax(l->most_ms, set);
	l->scatter_ms = fmax(l->scatter_ms, most - least);
}

static void write_protocol_slope(const struct experiment_cell *first, struct table_out *out)
{
	const struct experiment_run *run = first->run;
	const char *protocol = cell_require_text(first, "protocol"), *why = "";
	size_t room = run->n * (size_t)run->repeats;
	struct slope_points l = { .least_ms = INFINITY, .most_ms = -INFINITY };
	double start = NAN, slope = NAN, squares = 0, apart;
	struct interval i = { NAN, NAN };
	struct figure late = FIGURE_ABSENT;

	if (!cell_is_first(first, "protocol"))
		return;
	l.x = memory_new(3 * room, sizeof(*l.x));
	l.y = l.x + room;
	l.set = l.y + room;
	for (const struct experiment_cell *c = first; c < run->cell + run->n; c++)
		if (!strcmp(cell_require_text(c, "protocol"), protocol))
			add_slope_points(&l, c);
	apart = l.most_ms - l.least_ms;
	if (!(apart >= SLOPE_APART_MS && apart > l.scatter_ms)) {
		free(l.x);
		return;
	}
	why = l.unknown					? "no exact median"
	      : !interval_slope_ci(l.x, l.y, l.n, &i)	? "too few points"
	      : interval_line_bends(l.set, l.y, l.n, 1) ? "its medians lie on no straight line"
							: "";
	if (!*why) {
		slope = interval_slope(l.x, l.y, l.n, &start);
		late = interval_line_reach(l.x, l.y, l.n, run->threshold_ms);
	}
	for (size_t k = 0; k < l.n; k++)
		squares += pow(l.y[k] - start - slope * l.x[k], 2);
	row_set_text(out, "protocol", protocol);
	row_set_number(out, "points", (double)l.n);
	row_set_figure(out, "slope", *why ? FIGURE_ABSENT : figure_estimate(slope, i.low, i.high));
	row_set_text(out, "slope_why", why);
	row_set_figure(out, "late_from_ms", late.value >= l.least_ms && late.value <= l.most_ms ? late : FIGURE_ABSENT);
	row_finish(out, { "start_ms", start }, { "spread_ms", sqrt(squares / (double)(l.n - 2)) });
	free(l.x);
}

const struct extractor_hooks slope_extractor = {
	.name = "slope",
	.repeat_size = sizeof(struct slope_point),
	.read_repeat = read_slope_point,
	.tables = { { NULL, write_protocol_slope } },
};
