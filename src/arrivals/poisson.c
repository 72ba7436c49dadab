#include "poisson.h"
#include "chances.h"
#include "gaps.h"
#include "random.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS 1e9
#define PER_INTERVAL 10.0	/* arrivals, on average */
#define INTERVALS_FEWEST 10
#define FREQUENCIES_MOST ((size_t)1 << 20)

const char *const poisson_test_names[] = { "cov", "ks", "dispersion", "lag1", "periodogram" };

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void poisson_spread(int64_t *time_ns, size_t n, int64_t tick_ns, uint64_t seed)
{
	for (size_t i = 0; i < n && tick_ns > 1; i++)
		time_ns[i] += (int64_t)(random_unit(&seed) * (double)tick_ns);
	qsort(time_ns, n, sizeof(*time_ns), ascending);
}

/* --- the tests ------------------------------------------------------------------------------------------------- */

static void test_gaps(const double *gap, double *scratch, const struct nulls *nulls, struct poisson *out)
{
	struct gaps_figures f;

	gaps_figures(gap, out->n, &f);
	out->mean_s = f.mean;
	out->sd_s = f.sd;
	if (!out->gaps_told)
		return;
	out->cov = f.cov;
	out->lag1 = f.lag1;
	memcpy(scratch, gap, out->n * sizeof(*gap));
	out->ks = gaps_ks(scratch, out->n, f.mean);
	if (!nulls)
		return;
	out->p[POISSON_COV] = nulls_cov(nulls, f.cov);
	out->p[POISSON_LAG1] = nulls_lag1(nulls, f.lag1);
	out->p[POISSON_KS] = nulls_ks(nulls, out->ks);
}

/* Arrivals thrown at random into so many intervals: chi-squared of their counts (Cochran 1954). */
static void test_counts(const int64_t *time_ns, const struct poisson_cfg *cfg, struct poisson *out)
{
	int64_t span = time_ns[out->n] - time_ns[0];
	double width = cfg->interval_ns ? (double)cfg->interval_ns : fmax(PER_INTERVAL * (double)span / (double)out->n, 3 * (double)cfg->tick_ns);
	double intervals = floor((double)span / width), sum = 0, squares = 0;
	size_t at = 1;	/* the first arrival begins the first interval and is in none */

	out->interval_s = width / NS;
	if (!(intervals >= INTERVALS_FEWEST))
		return;
	out->intervals = (size_t)intervals;
	for (size_t i = 0; i < out->intervals; i++) {
		double count = 0, end = width * (double)(i + 1);

		for (; at < out->n && (double)(time_ns[at] - time_ns[0]) < end; at++)
			count++;
		sum += count;
		squares += count * count;
	}
	out->dispersion = sum > 0 ? (squares - sum * sum / intervals) / (intervals - 1) / (sum / intervals) : (double)NAN;
	if (isfinite(out->dispersion))
		out->p[POISSON_DISPERSION] = chances_chi2_both((intervals - 1) * out->dispersion, intervals - 1);
}

/* How likely so large a power is of n directions at random (Rayleigh; Greenwood & Durand 1955). */
static double rayleigh(double z, double n)
{
	double p = exp(-z) * (1 + (2 * z - z * z) / (4 * n) - (24 * z - 132 * z * z + 76 * z * z * z - 9 * z * z * z * z) / (288 * n * n));

	/* the series is for small z / n; exp(-z) is never exceeded by much, and is safe */
	return z * z > n ? exp(-z) : fmin(1, fmax(p, 0));
}

static int test_peak(const int64_t *time_ns, const struct poisson_cfg *cfg, struct poisson *out)
{
	double span = (double)(time_ns[out->n] - time_ns[0]), most = span / (2.0 * (double)cfg->tick_ns), inside = (double)(out->n - 1);
	size_t frequencies = out->n < FREQUENCIES_MOST ? out->n : FREQUENCIES_MOST, bins = 4;
	double *bin;

	if (cfg->tick_ns > 1 && most < (double)frequencies)
		frequencies = (size_t)most;
	if (frequencies < 2 || !(span > 0))
		return 0;
	while (bins < 4 * (frequencies + 1))
		bins *= 2;
	bin = calloc(bins, sizeof(*bin));
	if (!bin)
		return -ENOMEM;
	for (size_t i = 1; i < out->n; i++) {
		size_t b = (size_t)((double)(time_ns[i] - time_ns[0]) / span * (double)bins);

		bin[b < bins ? b : bins - 1]++;
	}
	if (chances_power(bin, bins)) {
		free(bin);
		return 0;
	}
	out->frequencies = frequencies;
	out->peak = 0;
	for (size_t k = 1; k <= frequencies; k++)
		if (bin[k] / inside > out->peak) {
			out->peak = bin[k] / inside;
			out->peak_period_s = span / NS / (double)k;
		}
	free(bin);
	out->p[POISSON_PEAK] = -expm1((double)frequencies * log1p(-fmin(rayleigh(out->peak, inside), 1 - 1e-16)));
	return 0;
}

/* Holm: the smallest against level / m, the next against level / (m - 1), until one is above. */
static void judge(struct poisson *out)
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

int poisson_judge(const int64_t *time_ns, size_t arrivals, const struct poisson_cfg *cfg, const struct nulls *nulls, struct poisson *out)
{
	double *gap;
	int err;

	*out = (struct poisson){ .n = arrivals ? arrivals - 1 : 0, .mean_s = NAN, .sd_s = NAN, .cov = NAN, .lag1 = NAN, .ks = NAN, .dispersion = NAN, .peak = NAN,
				 .peak_period_s = NAN, .interval_s = NAN, .p_joint = NAN, .gaps_told = true };
	for (size_t t = 0; t < POISSON_TESTS; t++)
		out->p[t] = NAN;
	if (out->n < 2)
		return 0;
	gap = malloc(2 * out->n * sizeof(*gap));
	if (!gap)
		return -ENOMEM;
	for (size_t i = 0; i < out->n; i++) {
		gap[i] = (double)(time_ns[i + 1] - time_ns[i]) / NS;
		out->ties += time_ns[i + 1] / cfg->tick_ns == time_ns[i] / cfg->tick_ns;
	}
	out->span_s = (double)(time_ns[out->n] - time_ns[0]) / NS;
	out->gaps_told = cfg->tick_ns <= 1 || (double)cfg->tick_ns / NS * 2 * (double)out->n <= out->span_s;
	test_gaps(gap, gap + out->n, out->n >= POISSON_FEWEST ? nulls : NULL, out);
	free(gap);
	test_counts(time_ns, cfg, out);
	err = test_peak(time_ns, cfg, out);
	if (!err)
		judge(out);
	return err;
}

/* --- in words -------------------------------------------------------------------------------------------------- */

static const char *manner(const struct poisson *p)
{
	double off = p->gaps_told ? p->cov - 1 : p->dispersion - 1;

	if (p->rejected[POISSON_COV] || p->rejected[POISSON_DISPERSION])
		return off < 0 ? ", too regular" : ", too bursty";
	return "";
}

void poisson_words(const struct poisson *p, char *text, size_t size)
{
	char figure[160], by[96] = "";
	double band = POISSON_BAND / sqrt((double)p->n);

	if (!p->verdict) {
		snprintf(text, size, "no verdict: %zu gaps, at least %d are needed", p->n, POISSON_FEWEST);
		return;
	}
	for (size_t t = 0; t < POISSON_TESTS; t++)
		if (p->rejected[t])
			snprintf(by + strlen(by), sizeof(by) - strlen(by), "%s%s", *by ? ", " : "", poisson_test_names[t]);
	if (p->gaps_told)
		snprintf(figure, sizeof(figure), "CoV %.3f %s 1 +- %.3f", p->cov, fabs(p->cov - 1) <= band ? "within" : "outside", band);
	else
		snprintf(figure, sizeof(figure), "told by counts alone: ticks are longer than half a gap");
	if (p->poisson)
		snprintf(text, size, "as a Poisson process: %s, none of %zu tests rejects at %g %% (Holm)", figure, p->tested, 100 * POISSON_LEVEL);
	else
		snprintf(text, size, "not a Poisson process%s: %s, rejected by %s at %g %% (Holm)", manner(p), figure, by, 100 * POISSON_LEVEL);
}
