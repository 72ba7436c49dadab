// SPDX-License-Identifier: GPL-3.0-or-later
/* coverage - how often the 95 % intervals of summarize hold the truth, by simulation of repeats whose truth is known.
 *
 * usage: build/bench/coverage [DRAWS]             (1000; a table on standard output; the same numbers each time)
 *
 * Keys come at 20/s, 200 in a repeat. "alone": each key for itself; "bursts": ten keys in a row share their fate, as in a
 * stall of half a second; "uneven": bursts whose length is random (geometric) with mean ten; "rare stalls": once in 400 keys, 20
 * take ten times as long; "repeats differ": the share of late keys is lognormal over the repeats (sigma 0.6).
 * Latencies are lognormal or Pareto (index 1.5), and repeats may differ by a factor (sigma 0.1, 0.3, 0.8).
 * "stop": repeats are added from the fifth on, until the interval is 20 or 10 % to each side (--until-sure); held is how often it
 * holds then (of a fifth of the draws), and repeats how many there are on average, of at most 60. */
#include "summarize/estimate.h"
#include "summarize/sure.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>

#define KEYS 200
#define BURST 10
#define STALL 20
#define STALL_EVERY 400
#define REPEATS_MOST 60
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

enum coverage_kind { ALONE, BURSTS, UNEVEN, RARE, APART };
static const char *const coverage_kinds[] = { "alone", "bursts", "uneven", "rare stalls", "repeats differ" };

static const struct coverage_law {
	const char *name;
	double sigma, between; /* sigma 0: Pareto */
} coverage_laws[] = {
	{ "lognormal 0.3", 0.3, 0 },
	{ "lognormal 0.8", 0.8, 0 },
	{ "Pareto 1.5", 0, 0 },
	{ "lognormal 0.5, repeats differ by 10 %", 0.5, 0.1 },
	{ "lognormal 0.3, repeats differ by 30 %", 0.3, 0.3 },
	{ "lognormal 0.3, repeats differ by 80 %", 0.3, 0.8 },
};

/* Share of draws in which the interval held the truth; in which there was none. */
struct coverage {
	double held, none, width;
};

static uint64_t coverage_state;

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
		if (kind == ALONE || kind == APART) {
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

static double coverage_draw_latency(const struct coverage_law *law)
{
	return 10 * exp(law->sigma > 0 ? law->sigma * coverage_normal() : -log(coverage_uniform()) / 1.5);
}

static void coverage_add_repeat(struct latency_pool *pool, size_t repeat, const struct coverage_law *law, enum coverage_kind kind)
{
	double level = exp(law->between * coverage_normal()), now = 0;
	int left = 1 + (int)(BURST * coverage_uniform());

	if (kind == RARE)
		left = coverage_uniform() < (double)STALL / STALL_EVERY ? 1 + (int)(STALL * coverage_uniform()) : 0;
	for (int i = 0; i < KEYS; i++) {
		bool stalled = false;

		if (kind == RARE) {
			if (!left && coverage_uniform() * (STALL_EVERY - STALL + 1) < 1)
				left = STALL;
			stalled = left > 0;
			left -= stalled;
		}
		if (i == 0 || kind != BURSTS || --left == 0) {
			now = level * coverage_draw_latency(law);
			left = i && kind == BURSTS ? BURST : left;
		}
		pool_add_latency(pool, llround(now * (stalled ? 10 : 1) * NS_PER_MS), repeat);
	}
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

	coverage_state = 1;
	for (int d = 0; d < draws; d++) {
		double hits[REPEATS_MOST] = { 0 }, n[REPEATS_MOST];
		struct share_runs share = { .hits = hits, .n = n, .repeats = repeats, .stated = BURST };
		struct figure f = FIGURE_ABSENT;
		struct interval i;
		bool apart;

		for (size_t r = 0; r < repeats; r++) {
			bool late[KEYS];
			double run = 0;

			coverage_draw_late(kind, p * (kind == APART ? exp(0.6 * coverage_normal() - 0.18) : 1), late);
			n[r] = KEYS;
			for (int k = 0; k < KEYS; k++) {
				hits[r] += late[k];
				run++;
				if (k + 1 < KEYS && late[k] == late[k + 1])
					continue;
				share_runs_add(&share, late[k], run);
				run = 0;
			}
		}
		if (interval_clustered_share_ci(&share, &i, &apart))
			f = figure_estimate(0, 100 * i.low, 100 * i.high);
		coverage_count(&c, &f, 100 * p);
	}
	coverage_divide(&c, draws);
	return c;
}

enum { C_P50, C_P90, C_P95, C_P99, C_DIFFERENCE, C_FIGURES };
static const double coverage_quantiles[] = { 0.5, 0.9, 0.95, 0.99 };

/* The share of keys whose latency is above `ms`. */
static double coverage_share_above(const struct coverage_law *law, enum coverage_kind kind, double ms)
{
	double share = (double)STALL / STALL_EVERY;

	if (kind == RARE)
		return (1 - share) * coverage_share_above(law, ALONE, ms) + share * coverage_share_above(law, ALONE, ms / 10);
	return law->sigma > 0 ? erfc(log(ms / 10) / hypot(law->sigma, law->between) / sqrt(2)) / 2 : fmin(1, pow(ms / 10, -1.5));
}

static double coverage_true_quantile(const struct coverage_law *law, enum coverage_kind kind, double q)
{
	double low = 1, high = 1e5;

	for (int i = 0; i < 60; i++) {
		double middle = sqrt(low * high);

		*(coverage_share_above(law, kind, middle) > 1 - q ? &low : &high) = middle;
	}
	return low;
}

/* The difference of two figures, from their intervals alone (Zou & Donner 2008). */
static struct figure coverage_difference(const struct figure *a, const struct figure *b)
{
	return figure_estimate(a->value - b->value, a->value - b->value - hypot(a->value - a->low, b->high - b->value),
			       a->value - b->value + hypot(a->high - a->value, b->value - b->low));
}

static struct figure coverage_quantile(const struct latency_pool *pool, int i)
{
	bool apart;

	return pool_quantile(pool, coverage_quantiles[i], NS_PER_MS, POOL_KEYS, &apart);
}

static void coverage_of_figures(const struct coverage_law *law, enum coverage_kind kind, size_t repeats, int draws,
				struct coverage c[C_FIGURES])
{
	struct figure before = FIGURE_ABSENT;
	double truth[C_FIGURES] = { 0 };

	coverage_state = 1;
	for (int i = C_P50; i <= C_P99; i++)
		truth[i] = coverage_true_quantile(law, kind, coverage_quantiles[i]);
	for (int i = 0; i < C_FIGURES; i++)
		c[i] = (struct coverage){ 0 };
	for (int d = 0; d < draws; d++) {
		struct latency_pool pool = { .stall = BURST };
		struct figure f[C_FIGURES];

		for (size_t r = 0; r < repeats; r++)
			coverage_add_repeat(&pool, r, law, kind);
		pool_sort(&pool);
		for (int i = C_P50; i <= C_P99; i++)
			f[i] = coverage_quantile(&pool, i);
		f[C_DIFFERENCE] = coverage_difference(&f[C_P50], &before);
		before = f[C_P50];
		for (int i = 0; i < C_FIGURES; i++)
			coverage_count(&c[i], &f[i], truth[i]);
		pool_free(&pool);
	}
	for (int i = 0; i < C_FIGURES; i++)
		coverage_divide(&c[i], draws);
}

/* Adds repeats until percentile i is known to `width` of itself, as --until-sure does. Sets *repeats: how many it took on
 * average. */
static struct coverage coverage_of_stop(const struct coverage_law *law, enum coverage_kind kind, int i, double width, int draws,
					double *repeats)
{
	struct coverage c = { 0 };
	double truth = coverage_true_quantile(law, kind, coverage_quantiles[i]);

	coverage_state = 1;
	*repeats = 0;
	for (int d = 0; d < draws; d++) {
		struct latency_pool pool = { .stall = BURST };
		struct figure now = FIGURE_ABSENT, before;
		size_t n = 0;

		do {
			coverage_add_repeat(&pool, n++, law, kind);
			if (n < 4)
				continue;
			pool_sort(&pool);
			before = now;
			now = coverage_quantile(&pool, i);
		} while (n < 5 || (n < REPEATS_MOST && sure_judge(&now, &before, width) != SURE_KNOWN));
		pool_free(&pool);
		*repeats += (double)n / draws;
		coverage_count(&c, &now, truth);
	}
	coverage_divide(&c, draws);
	return c;
}

/* The median (or mean) of n single values: of a law, or (law NULL) of two modes, `slow` percent ten times as long. */
static struct coverage coverage_of_values(enum estimator e, const struct coverage_law *law, double slow, size_t n, int draws)
{
	struct coverage c = { 0 };
	/* the quantile of the quick ones (sigma 0.05) where slow ones bring the share to a half */
	double truth = law ? 10 : 10 * exp(0.05 * (slow < 35 ? 0.5659 : 0.9674));

	if (e == ESTIMATE_MEAN_CI)
		truth = law->sigma > 0 ? 10 * exp(law->sigma * law->sigma / 2) : 10;
	coverage_state = 1;
	for (int d = 0; d < draws; d++) {
		double v[REPEATS_MOST];
		struct figure f;

		for (size_t i = 0; i < n; i++)
			v[i] = law ? coverage_draw_latency(law)
				   : (coverage_uniform() < slow / 100 ? 100 : 10) * exp(0.05 * coverage_normal());
		f = estimate_cell_figure(e, v, NULL, n, 300, 1);
		coverage_count(&c, &f, truth);
	}
	coverage_divide(&c, draws);
	return c;
}

#ifndef COVERAGE_AS_TEST
static void coverage_print(const char *figure, const char *truth, const char *keys, const char *more, double repeats,
			   const struct coverage *c)
{
	char held[32] = "", width[32] = "";

	if (c->none < 1) { /* otherwise no interval was there */
		snprintf(held, sizeof(held), "%.1f", 100 * c->held);
		snprintf(width, sizeof(width), "%.2f", c->width);
	}
	printf("%s\t%s\t%s%s\t%.3g\t%s\t%s\t%.0f\n", figure, truth, keys, more, repeats, held, width, 100 * c->none);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const char *const figures[] = { "p50", "p90", "p95", "p99", "difference_of_p50" };
	static const double late[] = { 0.005, 0.01, 0.05, 0.2 }, widths[] = { 0.2, 0.1 };
	static const size_t repeats[] = { 3, 5, 7, 10, 20 };
	int draws = argc > 1 ? atoi(argv[1]) : 1000;
	struct coverage c[C_FIGURES];
	char truth[16], more[64];

	printf("figure\ttruth\tkeys\trepeats\theld_percent\tmean_width\tnone_percent\n");
	for (enum coverage_kind kind = ALONE; kind <= APART; kind++)
		for (size_t r = 0; r < COUNT(repeats); r++) {
			for (size_t i = 0; kind != RARE && i < COUNT(late); i++) {
				snprintf(truth, sizeof(truth), "%g", 100 * late[i]);
				c[0] = coverage_of_late_share(kind, repeats[r], late[i], draws);
				coverage_print("late_share", truth, coverage_kinds[kind], "", (double)repeats[r], c);
			}
			for (size_t law = 0; kind != UNEVEN && kind != APART && law < COUNT(coverage_laws); law++) {
				coverage_of_figures(&coverage_laws[law], kind, repeats[r], draws, c);
				for (int i = 0; i < C_FIGURES; i++)
					coverage_print(figures[i], coverage_laws[law].name, coverage_kinds[kind], "",
						       (double)repeats[r], &c[i]);
			}
		}
	for (size_t n = 3; n <= 12; n++)
		for (int i = 0; i < 4; i++) {
			c[0] = coverage_of_values(ESTIMATE_MEDIAN_CI, i < 2 ? &coverage_laws[i] : NULL, i == 2 ? 30 : 40, n, draws);
			coverage_print("median_of_values", i < 2 ? coverage_laws[i].name : "two modes",
				       i == 2	? "30 % slow"
				       : i == 3 ? "40 % slow"
						: "",
				       "", (double)n, c);
		}
	for (size_t n = 3; n <= 40; n += n < 12 ? 1 : 7)
		for (int i = 0; i < 2; i++) {
			c[0] = coverage_of_values(ESTIMATE_MEAN_CI, &coverage_laws[i], 0, n, draws);
			coverage_print("mean_of_values", coverage_laws[i].name, "", "", (double)n, c);
		}
	for (size_t law = 0; law < COUNT(coverage_laws); law++)
		for (int i = C_P50; i <= C_P99; i++)
			for (size_t w = 0; w < COUNT(widths); w++) {
				double mean;

				c[0] = coverage_of_stop(&coverage_laws[law], ALONE, i, widths[w], (draws + 4) / 5, &mean);
				snprintf(more, sizeof(more), ", stop at %g %%", 100 * widths[w]);
				coverage_print(figures[i], coverage_laws[law].name, coverage_kinds[ALONE], more, mean, c);
			}
	return 0;
}
#endif
