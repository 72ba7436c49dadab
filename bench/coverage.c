// SPDX-License-Identifier: GPL-3.0-or-later
/* coverage - how often the 95 % intervals of summarize hold the truth, by simulation of repeats whose truth is known.
 *
 * usage: build/bench/coverage [DRAWS]             (1000; a table on standard output; the same numbers each time)
 *
 * Keys come at 20/s, 200 in a repeat. "alone": each key for itself; "bursts": ten keys in a row share their fate, as in a
 * stall of half a second; "uneven": bursts whose length is random (geometric) with mean ten. Latencies are lognormal or Pareto
 * (index 1.5), and repeats may differ by a factor (sigma 0.1). "stop": repeats are added from the fifth on, until the interval
 * is 20 or 10 % to each side (--until-sure); held is how often it holds then, and repeats how many there are on average. */
#include "summarize/estimate.h"
#include "summarize/key_figures.h"
#include "summarize/sure.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 200
#define BURST 10
#define REPEATS_MOST 150
#define THRESHOLD 100

enum coverage_kind { ALONE, BURSTS, UNEVEN };
static const char *const coverage_kinds[] = { "alone", "bursts", "uneven" };

static const struct coverage_law {
	const char *name;
	double sigma, between; /* sigma 0: Pareto */
} coverage_laws[] = {
	{ "lognormal 0.3", 0.3, 0 },
	{ "lognormal 0.8", 0.8, 0 },
	{ "Pareto 1.5", 0, 0 },
	{ "lognormal 0.5, repeats differ by 10 %", 0.5, 0.1 },
	{ "lognormal 0.3, repeats differ by 30 %", 0.3, 0.3 },
};
#define COVERAGE_LAWS (sizeof(coverage_laws) / sizeof(*coverage_laws))
#define DIFFERING (&coverage_laws[3])

/* Share of draws in which the interval held the truth; in which there was none. */
struct coverage {
	double held, none, width;
};

static uint64_t coverage_state = 1;

/* SplitMix64 (Steele, Lea & Flood 2014): uniform in (0, 1) */
static double coverage_uniform(void)
{
	uint64_t z = coverage_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double coverage_normal(void)
{
	return sqrt(-2 * log(coverage_uniform())) * cos(2 * M_PI * coverage_uniform());
}

/* Draws which keys of a repeat are late, each with probability p; stalls begin at random, and one may be under way at the start. */
static void coverage_draw_late(enum coverage_kind kind, double p, bool late[KEYS])
{
	double begin = p / (BURST * (1 - p)); /* chance that a stall begins with a key: mean gap BURST (1 - p) / p */
	bool is = coverage_uniform() < p;
	int left = is ? 1 + (int)(BURST * coverage_uniform()) : 0;

	for (int i = 0; i < KEYS; i++) {
		if (kind == ALONE) {
			late[i] = coverage_uniform() < p;
			continue;
		}
		late[i] = is;
		is = is ? kind == BURSTS ? --left > 0 : coverage_uniform() >= 1.0 / BURST : false;
		if (!is && !late[i] && coverage_uniform() < begin) {
			is = true;
			left = BURST;
		}
	}
}

static void coverage_draw_latencies(const struct coverage_law *law, enum coverage_kind kind, double ms[KEYS])
{
	double repeat = law->between * coverage_normal(), now = 0;
	int left = 1 + (int)(BURST * coverage_uniform());

	for (int i = 0; i < KEYS; i++) {
		if (i == 0 || kind == ALONE || --left == 0) {
			now = law->sigma > 0 ? law->sigma * coverage_normal() : -log(coverage_uniform()) / 1.5;
			now = 10 * exp(repeat + now);
			left = i ? BURST : left;
		}
		ms[i] = now;
	}
}

static struct key_train_samples coverage_make_train(int64_t repeat, const double ms[KEYS])
{
	struct key_train_samples t = { .repeat = repeat };

	t.keys.key = calloc(KEYS, sizeof(*t.keys.key));
	t.keys.n = KEYS;
	for (int i = 0; i < KEYS; i++) {
		int64_t due = (i + 1) * 50 * NS_PER_MS;

		t.keys.key[i] = (struct key_times){ .number = i + 1,
						    .due_ns = due,
						    .sent_ns = due,
						    .exact = true,
						    .answer_ns = due + llround(ms[i] * NS_PER_MS),
						    .high_ns = due + llround(ms[i] * NS_PER_MS) };
	}
	return t;
}

static void coverage_count(struct coverage *c, const struct figure *f, double truth)
{
	c->held += f->low <= truth && truth <= f->high;
	c->none += isnan(f->low);
	c->width += isnan(f->low) ? 0 : f->high - f->low;
}

static void coverage_divide(struct coverage *c, int draws)
{
	c->width /= draws - c->none;
	c->held /= draws - c->none;
	c->none /= draws;
}

static struct coverage coverage_of_late_share(enum coverage_kind kind, size_t repeats, double p, int draws)
{
	struct coverage c = { 0 };

	for (int d = 0; d < draws; d++) {
		struct key_train_samples t[REPEATS_MOST] = { 0 };
		struct key_figures f;

		for (size_t r = 0; r < repeats; r++) {
			bool late[KEYS];
			double ms[KEYS];

			coverage_draw_late(kind, p, late);
			for (int i = 0; i < KEYS; i++)
				ms[i] = late[i] ? 2 * THRESHOLD : 1;
			t[r] = coverage_make_train((int64_t)r + 1, ms);
		}
		f = keys_estimate_figures(t, repeats, THRESHOLD * NS_PER_MS);
		coverage_count(&c, &f.of[LATE], 100 * p);
		for (size_t r = 0; r < repeats; r++)
			keys_free(&t[r].keys);
	}
	coverage_divide(&c, draws);
	return c;
}

enum { C_P50, C_P90, C_P95, C_P99, C_JITTER, C_MEAN, C_DIFFERENCE, C_FIGURES };
static const double coverage_quantiles[] = { 0.5, 0.9, 0.95, 0.99 };

static double coverage_true_quantile(const struct coverage_law *law, int i)
{
	static const double z[] = { 0, 1.2815515655, 1.6448536270, 2.3263478740 };

	return 10 * (law->sigma > 0 ? exp(z[i] * hypot(law->sigma, law->between)) : pow(1 - coverage_quantiles[i], -1 / 1.5));
}

/* The difference of two figures, from their intervals alone (Zou & Donner 2008). */
static struct figure coverage_difference(const struct figure *a, const struct figure *b)
{
	return figure_estimate(a->value - b->value, a->value - b->value - hypot(a->value - a->low, b->high - b->value),
			       a->value - b->value + hypot(a->high - a->value, b->value - b->low));
}

/* Simulates the repeats of a cell. Jitter and mean are those of its latencies; summarize has them of intervals between updates. */
static void coverage_draw_cell(const struct coverage_law *law, enum coverage_kind kind, size_t repeats, bool overloaded,
			       struct figure f[C_FIGURES])
{
	struct key_train_samples t[REPEATS_MOST] = { 0 };
	struct key_figures keys;
	double sd[REPEATS_MOST] = { 0 }, mean[REPEATS_MOST] = { 0 };

	for (size_t r = 0; r < repeats; r++) {
		double ms[KEYS], sum = 0, squares = 0;

		coverage_draw_latencies(law, kind, ms);
		for (int i = 0; i < KEYS; i++) {
			sum += ms[i];
			squares += ms[i] * ms[i];
		}
		mean[r] = sum / KEYS;
		sd[r] = sqrt((squares - sum * sum / KEYS) / (KEYS - 1));
		t[r] = coverage_make_train((int64_t)r + 1, ms);
		t[r].overloaded = overloaded && r == 0;
	}
	keys = keys_estimate_figures(t, repeats, THRESHOLD * NS_PER_MS);
	for (int i = C_P50; i <= C_P99; i++)
		f[i] = keys.of[P50 + i];
	f[C_JITTER] = estimate_cell_figure(ESTIMATE_MEAN_CI, sd, NULL, repeats, 300, 1);
	f[C_MEAN] = estimate_cell_figure(ESTIMATE_CHANGE_CI, mean, NULL, repeats, 300, 1);
	for (size_t r = 0; r < repeats; r++)
		keys_free(&t[r].keys);
}

/* The mean jitter of many repeats: that of few keys in bursts is less than that of the latencies. */
static double coverage_true_jitter(const struct coverage_law *law, enum coverage_kind kind)
{
	double sum = 0;

	for (int i = 0; i < 1000; i++) {
		struct figure f[C_FIGURES];

		coverage_draw_cell(law, kind, 5, false, f);
		sum += f[C_JITTER].value;
	}
	return sum / 1000;
}

static void coverage_of_figures(const struct coverage_law *law, enum coverage_kind kind, size_t repeats, bool overloaded, int draws,
				struct coverage c[C_FIGURES])
{
	double sigma = hypot(law->sigma, law->between), truth[C_FIGURES] = { 0 };

	for (int i = C_P50; i <= C_P99; i++)
		truth[i] = coverage_true_quantile(law, i);
	truth[C_JITTER] = law == DIFFERING ? coverage_true_jitter(law, kind) : 0;
	truth[C_MEAN] = 10 * exp(sigma * sigma / 2);
	memset(c, 0, C_FIGURES * sizeof(*c));
	for (int d = 0; d < draws; d++) {
		struct figure f[C_FIGURES], other[C_FIGURES];

		coverage_draw_cell(law, kind, repeats, overloaded, f);
		coverage_draw_cell(law, kind, repeats, overloaded, other);
		f[C_DIFFERENCE] = coverage_difference(&f[C_P50], &other[C_P50]);
		for (int i = 0; i < C_FIGURES; i++)
			coverage_count(&c[i], &f[i], truth[i]);
	}
	for (int i = 0; i < C_FIGURES; i++)
		coverage_divide(&c[i], draws);
}

/* Adds repeats until percentile i is known to `width` of itself, as --until-sure does. Sets *repeats: how many it took on
 * average. */
static struct coverage coverage_of_stop(const struct coverage_law *law, int i, double width, int draws, double *repeats)
{
	struct coverage c = { 0 };

	*repeats = 0;
	for (int d = 0; d < draws; d++) {
		struct latency_pool pool = { 0 };
		struct figure now = FIGURE_ABSENT, before;
		size_t n = 0;
		bool apart;

		do {
			double ms[KEYS];

			coverage_draw_latencies(law, ALONE, ms);
			for (int k = 0; k < KEYS; k++)
				pool_add_latency(&pool, llround(ms[k] * NS_PER_MS), n);
			pool_sort(&pool);
			before = now;
			now = pool_quantile(&pool, coverage_quantiles[i], NS_PER_MS, POOL_KEYS, &apart);
		} while (++n < 5 || (n < REPEATS_MOST && sure_judge(&now, &before, width) != SURE_KNOWN));
		pool_free(&pool);
		*repeats += (double)n / draws;
		coverage_count(&c, &now, coverage_true_quantile(law, i));
	}
	coverage_divide(&c, draws);
	return c;
}

/* The median of n single values: of a law, or (law NULL) of two modes, `slow` percent ten times as long. */
static struct coverage coverage_of_median(const struct coverage_law *law, double slow, size_t n, int draws)
{
	struct coverage c = { 0 };
	/* the quantile of the quick ones (sigma 0.05) where slow ones bring the share to a half */
	double truth = law ? coverage_true_quantile(law, C_P50) : 10 * exp(0.05 * (slow < 35 ? 0.5659 : 0.9674));

	for (int d = 0; d < draws; d++) {
		double v[REPEATS_MOST];
		struct figure f;

		for (size_t i = 0; i < n; i++)
			v[i] = law ? 10 * exp(law->sigma * coverage_normal())
				   : (coverage_uniform() < slow / 100 ? 100 : 10) * exp(0.05 * coverage_normal());
		f = estimate_cell_figure(ESTIMATE_MEDIAN_CI, v, NULL, n, 300, 1);
		coverage_count(&c, &f, truth);
	}
	coverage_divide(&c, draws);
	return c;
}

#ifndef COVERAGE_AS_TEST
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void coverage_print(const char *figure, const char *truth, const char *keys, const char *more, double repeats,
			   const struct coverage *c)
{
	printf("%s\t%s\t%s%s\t%.3g\t%.1f\t%.2f\t%.0f\n", figure, truth, keys, more, repeats, 100 * c->held, c->width,
	       100 * c->none);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const char *const figures[] = { "p50", "p90", "p95", "p99", "jitter", "mean_stall", "difference_of_p50" };
	static const double late[] = { 0.005, 0.01, 0.05, 0.2 }, widths[] = { 0.2, 0.1 };
	static const size_t repeats[] = { 3, 5, 7, 10, 20 };
	int draws = argc > 1 ? atoi(argv[1]) : 1000;
	struct coverage c[C_FIGURES];
	char truth[16], more[64];

	printf("figure\ttruth\tkeys\trepeats\theld_percent\tmean_width\tnone_percent\n");
	for (enum coverage_kind kind = ALONE; kind <= UNEVEN; kind++)
		for (size_t r = 0; r < COUNT(repeats); r++) {
			for (size_t i = 0; i < COUNT(late); i++) {
				snprintf(truth, sizeof(truth), "%g", 100 * late[i]);
				c[0] = coverage_of_late_share(kind, repeats[r], late[i], draws);
				coverage_print("late_share", truth, coverage_kinds[kind], "", (double)repeats[r], c);
			}
			for (size_t law = 0; kind != UNEVEN && law < COVERAGE_LAWS; law++) {
				coverage_of_figures(&coverage_laws[law], kind, repeats[r], false, draws, c);
				for (int i = 0; i < C_FIGURES; i++)
					if (i <= C_P99 || &coverage_laws[law] == DIFFERING)
						coverage_print(figures[i], coverage_laws[law].name, coverage_kinds[kind], "",
							       (double)repeats[r], &c[i]);
			}
		}
	for (size_t n = 3; n <= 12; n++)
		for (int i = 0; i < 4; i++) {
			c[0] = coverage_of_median(i < 2 ? &coverage_laws[i] : NULL, i == 2 ? 30 : 40, n, draws);
			coverage_print("median_of_values", i < 2 ? coverage_laws[i].name : "two modes",
				       i == 2	? "30 % slow"
				       : i == 3 ? "40 % slow"
						: "",
				       "", (double)n, c);
		}
	for (size_t law = 0; law + 1 < COVERAGE_LAWS; law++)
		for (int i = C_P50; i <= C_P99; i++)
			for (size_t w = 0; w < COUNT(widths); w++) {
				double mean;

				c[0] = coverage_of_stop(&coverage_laws[law], i, widths[w], draws, &mean);
				snprintf(more, sizeof(more), ", stop at %g %%", 100 * widths[w]);
				coverage_print(figures[i], coverage_laws[law].name, coverage_kinds[ALONE], more, mean, c);
			}
	return 0;
}
#endif
