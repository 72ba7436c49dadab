// SPDX-License-Identifier: GPL-3.0-or-later
#include "poisson.h"
#include "ascending.h"
#include "memory.h"
#include "random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS 1e9
#define PER_INTERVAL 10.0 /* mean number of arrivals in an interval */
#define INTERVALS_FEWEST 10
#define FREQUENCIES_MOST ((size_t)1 << 20)
#define BROKEN 0.02 /* share of arrivals that are ties, beyond those by chance, for a warning */
#define BREAK 0.25  /* share of the whole time that one gap takes, for a warning */

const char *const poisson_test_names[] = { "cov", "ks", "dispersion", "lag1", "periodogram" };

void poisson_spread_times(int64_t *time_ns, size_t n, int64_t tick_ns, uint64_t seed)
{
	for (size_t i = 0; i < n && tick_ns > 1; i++)
		time_ns[i] += (int64_t)(random_fraction(&seed) * (double)tick_ns);
	qsort(time_ns, n, sizeof(*time_ns), ascending_int64);
}

/* --- the tests ------------------------------------------------------------------------------------------------- */

static void test_gaps(const double *gap, double *scratch, const struct gap_nulls *nulls, struct poisson_result *out)
{
	struct gaps_statistics f;

	gaps_compute_statistics(gap, out->n, &f);
	out->mean_s = f.mean;
	out->sd_s = f.sd;
	if (!out->gaps_told)
		return;
	out->cov = f.cov;
	out->lag1 = f.lag1;
	memcpy(scratch, gap, out->n * sizeof(*gap));
	out->ks = gaps_ks_distance(scratch, out->n, f.mean);
	if (!nulls)
		return;
	out->p[POISSON_COV] = nulls_cov_p(nulls, f.cov);
	out->p[POISSON_LAG1] = nulls_lag1_p(nulls, f.lag1);
	out->p[POISSON_KS] = nulls_ks_p(nulls, out->ks);
}

/* Arrivals that are uniformly distributed from `begin` to `end` if the process is Poisson. */
struct test_window {
	const int64_t *time_ns;
	size_t n;
	int64_t begin, end;
};

/* Returns the arrivals between the first and the last; if ticks hold several arrivals, those of all ticks except the first and the
 * last, which the log has only in part. */
static struct test_window select_window(const int64_t *time_ns, int64_t tick_ns, const struct poisson_result *p)
{
	struct test_window w = { time_ns + 1, p->n - 1, time_ns[0], time_ns[p->n] };

	if (p->gaps_told)
		return w;
	w.begin = (w.begin / tick_ns + 1) * tick_ns;
	w.end = w.end / tick_ns * tick_ns;
	while (w.n && w.time_ns[0] < w.begin) {
		w.time_ns++;
		w.n--;
	}
	while (w.n && w.time_ns[w.n - 1] >= w.end)
		w.n--;
	return w;
}

/* Tests the counts in intervals of equal length: chi-squared (Cochran 1954). */
static void test_counts(const struct test_window *w, const struct poisson_test_cfg *cfg, struct poisson_result *out)
{
	double span = (double)(w->end - w->begin);
	double width = cfg->interval_ns ? (double)cfg->interval_ns
					: fmax(PER_INTERVAL * span / (double)(w->n + 1), 3 * (double)cfg->tick_ns);
	double intervals = floor(span / width), sum = 0, squares = 0;
	size_t at = 0;

	out->interval_s = width / NS;
	if (!(intervals >= INTERVALS_FEWEST))
		return;
	out->intervals = (size_t)intervals;
	for (size_t i = 0; i < out->intervals; i++) {
		double count = 0, end = width * (double)(i + 1);

		for (; at < w->n && (double)(w->time_ns[at] - w->begin) < end; at++)
			count++;
		sum += count;
		squares += count * count;
	}
	out->dispersion = sum > 0 ? (squares - sum * sum / intervals) / (intervals - 1) / (sum / intervals) : (double)NAN;
	if (isfinite(out->dispersion))
		out->p[POISSON_DISPERSION] = chances_chi2_p((intervals - 1) * out->dispersion, intervals - 1);
}

/* Returns the probability of a power of at least z for n random directions (Rayleigh; Greenwood & Durand 1955). */
static double rayleigh_p(double z, double n)
{
	double p = exp(-z) *
		   (1 + (2 * z - z * z) / (4 * n) - (24 * z - 132 * z * z + 76 * z * z * z - 9 * z * z * z * z) / (288 * n * n));

	/* the series holds for small z / n; elsewhere exp(-z), which is hardly ever exceeded */
	return z * z > n ? exp(-z) : fmin(1, fmax(p, 0));
}

static void test_periodogram(const struct test_window *w, const struct poisson_test_cfg *cfg, struct poisson_result *out)
{
	double span = (double)(w->end - w->begin), most = span / (2.0 * (double)cfg->tick_ns), inside = (double)w->n;
	size_t frequencies = w->n + 1 < FREQUENCIES_MOST ? w->n + 1 : FREQUENCIES_MOST, bins = 4;
	double *bin;

	if (cfg->tick_ns > 1 && most < (double)frequencies)
		frequencies = (size_t)most;
	if (frequencies < 2 || !(span > 0) || !w->n)
		return;
	while (bins < 4 * (frequencies + 1))
		bins *= 2;
	bin = memory_new(bins, sizeof(*bin));
	for (size_t i = 0; i < w->n; i++) {
		size_t b = (size_t)((double)(w->time_ns[i] - w->begin) / span * (double)bins);

		bin[b < bins ? b : bins - 1]++;
	}
	chances_spectrum(bin, bins);
	out->frequencies = frequencies;
	out->peak = 0;
	for (size_t k = 1; k <= frequencies; k++)
		if (bin[k] / inside > out->peak) {
			out->peak = bin[k] / inside;
			out->peak_period_s = span / NS / (double)k;
		}
	free(bin);
	out->p[POISSON_PEAK] = -expm1((double)frequencies * log1p(-fmin(rayleigh_p(out->peak, inside), 1 - 1e-16)));
}

/* Holm's method: the smallest p-value is compared with level / m, the next with level / (m - 1), until one is larger. */
static void decide_holm(struct poisson_result *out)
{
	double last = 0;
	size_t left;

	for (size_t t = 0; t < POISSON_TESTS; t++)
		out->tested += isnan(out->p[t]) ? 0 : 1;
	left = out->tested;
	out->p_joint = NAN;
	out->verdict = out->n >= POISSON_FEWEST && left > 0;
	out->poisson = out->verdict;
	while (out->verdict && left > 0) {
		size_t least = POISSON_TESTS;

		for (size_t t = 0; t < POISSON_TESTS; t++)
			if (!isnan(out->p[t]) && !out->rejected[t] && (least == POISSON_TESTS || out->p[t] < out->p[least]))
				least = t;
		last = out->p[least] * (double)left;
		if (left == out->tested)
			out->p_joint = fmin(1, last);
		if (last > POISSON_LEVEL)
			break;
		out->rejected[least] = true;
		out->poisson = false;
		left--;
	}
}

void poisson_test_all(const int64_t *time_ns, size_t arrivals, const struct poisson_test_cfg *cfg, const struct gap_nulls *nulls,
		      struct poisson_result *out)
{
	struct test_window w;
	double *gap, ticks;

	*out = (struct poisson_result){ .n = arrivals ? arrivals - 1 : 0,
					.mean_s = NAN,
					.sd_s = NAN,
					.cov = NAN,
					.lag1 = NAN,
					.ks = NAN,
					.dispersion = NAN,
					.peak = NAN,
					.peak_period_s = NAN,
					.interval_s = NAN,
					.p_joint = NAN,
					.gaps_told = true };
	for (size_t t = 0; t < POISSON_TESTS; t++)
		out->p[t] = NAN;
	out->span_s = NAN;
	if (!out->n || time_ns[out->n] / cfg->tick_ns == time_ns[0] / cfg->tick_ns) {
		out->ties = out->n;
		out->ties_expected = (double)out->n;
		out->gaps_told = false;
		return;
	}
	if (out->n < 2) {
		out->span_s = out->mean_s = (double)(time_ns[1] - time_ns[0]) / NS;
		return;
	}
	gap = memory_new(2 * out->n, sizeof(*gap));
	for (size_t i = 0; i < out->n; i++) {
		gap[i] = (double)(time_ns[i + 1] - time_ns[i]) / NS;
		out->ties += time_ns[i + 1] / cfg->tick_ns == time_ns[i] / cfg->tick_ns;
		out->longest_s = fmax(out->longest_s, gap[i]);
	}
	out->span_s = (double)(time_ns[out->n] - time_ns[0]) / NS;
	/* of n balls thrown into m boxes, n + m expm1(-n / m) are not the first in their box */
	ticks = fmax(out->span_s * NS / (double)cfg->tick_ns, 1);
	out->ties_expected = (double)out->n + ticks * expm1(-(double)out->n / ticks);
	out->gaps_told = cfg->tick_ns <= 1 || (double)cfg->tick_ns / NS * 2 * (double)out->n <= out->span_s;
	test_gaps(gap, gap + out->n, out->n >= POISSON_FEWEST ? nulls : NULL, out);
	free(gap);
	w = select_window(time_ns, cfg->tick_ns, out);
	test_counts(&w, cfg, out);
	test_periodogram(&w, cfg, out);
	decide_holm(out);
}

/* --- in words -------------------------------------------------------------------------------------------------- */

bool poisson_format_hint(const struct poisson_result *p, char *text, size_t size)
{
	double n = (double)p->n, over = (double)p->ties - p->ties_expected;

	if (p->n < POISSON_FEWEST)
		return false;
	if (over > fmax(BROKEN * n, 6 * sqrt(p->ties_expected + 1))) {
		snprintf(text, size,
			 "%zu of %zu arrivals bear the time of the one before, of which chance makes %.0f: "
			 "written down in batches, or by a clock in longer "
			 "steps (--tick)?",
			 p->ties, p->n + 1, p->ties_expected);
		return true;
	}
	/* the longest of n gaps is about log(n) times the mean */
	if (p->longest_s > BREAK * p->span_s && p->longest_s > p->mean_s * (log(n) + 12)) {
		snprintf(text, size,
			 "one gap of %.6g s is %.0f %% of all the time: a break, two logs in one, or a clock that was set?",
			 p->longest_s, 100 * p->longest_s / p->span_s);
		return true;
	}
	return false;
}

void poisson_list_tests(const struct poisson_result *p, char *text, size_t size)
{
	*text = '\0';
	for (size_t t = 0; t < POISSON_TESTS; t++)
		if (p->rejected[t])
			snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? ", " : "", poisson_test_names[t]);
}

void poisson_format_verdict(const struct poisson_result *p, char *text, size_t size)
{
	bool skewed = p->rejected[POISSON_COV] || p->rejected[POISSON_DISPERSION];
	double band = POISSON_BAND / sqrt((double)p->n);
	char figure[160], by[96];

	if (!p->verdict) {
		if (p->doubt_step_ns)
			snprintf(text, size,
				 "no verdict: all times are whole multiples of %g ms, the arrivals' own or the clock's; "
				 "--tick says which",
				 (double)p->doubt_step_ns / 1e6);
		else if (p->n < POISSON_FEWEST)
			snprintf(text, size, "no verdict: %zu gaps, at least %d are needed", p->n, POISSON_FEWEST);
		else
			snprintf(text, size, "no verdict: none of the tests can be made of arrivals that are so close together");
		return;
	}
	poisson_list_tests(p, by, sizeof(by));
	if (p->gaps_told)
		snprintf(figure, sizeof(figure), "CoV %.3f %s 1 +- %.3f", p->cov, fabs(p->cov - 1) <= band ? "within" : "outside",
			 band);
	else
		snprintf(figure, sizeof(figure), "told by counts alone: ticks are longer than half a gap");
	if (p->poisson)
		snprintf(text, size, "as a Poisson process: %s, none of %zu tests rejects at %g %% (Holm)", figure, p->tested,
			 100 * POISSON_LEVEL);
	else
		snprintf(text, size, "not a Poisson process%s: %s, rejected by %s at %g %% (Holm)",
			 !skewed				       ? ""
			 : (p->gaps_told ? p->cov : p->dispersion) < 1 ? ", too regular"
								       : ", too bursty",
			 figure, by, 100 * POISSON_LEVEL);
}

/* --- rows for a plot ------------------------------------------------------------------------------------------- */

#define MARKS 200   /* most arrivals that are drawn as points */
#define GAP_BINS 25 /* bins of gaps, from 0 to five times the mean gap */
#define GAP_BIN 0.2
#define COUNTS_MOST 10000

const char *const draw_columns[] = { "kind", "x", "y", "expected", "low", "high", NULL };

void draw_write_row(struct row_file *t, const char *kind, double x, double y, double expected, double low, double high)
{
	rows_write_str(t, kind);
	rows_write_real(t, x);
	rows_write_real(t, y);
	rows_write_real(t, expected);
	rows_write_real(t, low);
	rows_write_real(t, high);
	rows_end_row(t);
}

static void write_gaps(struct row_file *t, const int64_t *time_ns, const struct poisson_result *p)
{
	double seen[GAP_BINS] = { 0 }, n = (double)p->n;

	for (size_t i = 0; i < p->n; i++) {
		double bin = floor((double)(time_ns[i + 1] - time_ns[i]) / 1e9 / (GAP_BIN * p->mean_s));

		if (bin < GAP_BINS)
			seen[(size_t)bin]++;
	}
	for (size_t b = 0; b < GAP_BINS; b++) {
		double low = GAP_BIN * (double)b;

		draw_write_row(t, "gap", (low + GAP_BIN / 2) * p->mean_s * 1000, seen[b] / n, exp(-low) - exp(-low - GAP_BIN), NAN,
			       NAN);
	}
}

/* Bins of counts are half a standard deviation of the Poisson distribution wide, at least one count. */
static void write_counts(struct row_file *t, const int64_t *time_ns, const struct poisson_result *p)
{
	double *seen = memory_new(COUNTS_MOST, sizeof(*seen)), mean = 0, width = p->interval_s * 1e9;
	double drawn = (double)(time_ns[p->n < MARKS ? p->n : MARKS - 1] - time_ns[0]);
	size_t at = 1, most = 0;

	for (size_t i = 0; i < p->intervals; i++) {
		size_t count = 0;

		for (; at < p->n && (double)(time_ns[at] - time_ns[0]) < width * (double)(i + 1); at++)
			count++;
		mean += (double)count / (double)p->intervals;
		if (count < COUNTS_MOST)
			seen[count]++;
		most = count > most && count < COUNTS_MOST ? count : most;
		if (width * (double)(i + 1) <= drawn)
			draw_write_row(t, "tally", ((double)i + 0.5) * width / 1e6, (double)count, NAN, NAN, NAN);
	}
	for (size_t c = 0, step = (size_t)fmax(1, sqrt(mean) / 2); p->intervals && c <= most + 1 && c < COUNTS_MOST; c += step) {
		double share = 0, expected = 0;

		for (size_t i = c; i < c + step && i < COUNTS_MOST; i++) {
			share += seen[i] / (double)p->intervals;
			expected += chances_poisson_count_p((unsigned)i, mean);
		}
		draw_write_row(t, "count", (double)c + (double)(step - 1) / 2, share, expected, NAN, NAN);
	}
	free(seen);
	if (p->intervals)
		draw_write_row(t, "interval", p->interval_s * 1000, NAN, NAN, NAN, NAN);
}

void draw_write_rows(struct row_file *t, const int64_t *time_ns, const struct poisson_result *p)
{
	for (size_t i = 0; i <= p->n && i < MARKS; i++)
		draw_write_row(t, "arrival", (double)(time_ns[i] - time_ns[0]) / 1e6, NAN, NAN, NAN, NAN);
	if (p->mean_s > 0 && p->gaps_told)
		write_gaps(t, time_ns, p);
	write_counts(t, time_ns, p);
}
