// SPDX-License-Identifier: GPL-3.0-or-later
/* coverage - how often the 95 % intervals of summarize hold the truth, by simulation of repeats whose truth is known.
 *
 * usage: build/bench/coverage [DRAWS]		(1000; a table on standard output; the same numbers each time)
 *
 * Keys come at 20/s, 195 in a repeat. "alone": each key for itself; "bursts": ten keys in a row share their fate, as in a stall of
 * half a second; "uneven": bursts whose length is random (geometric) with mean ten. Latencies are lognormal (sigma 0.5), and
 * repeats differ by a factor (sigma 0.1). */
#include "summarize/estimate.h"
#include "summarize/key_figures.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 195
#define BURST 10
#define REPEATS_MOST 10
#define SIGMA 0.5
#define BETWEEN 0.1
#define THRESHOLD 100

enum coverage_kind { ALONE, BURSTS, UNEVEN };
static const char *const coverage_kinds[] = { "alone", "bursts", "uneven" };

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

static void coverage_draw_latencies(enum coverage_kind kind, double ms[KEYS])
{
	double repeat = BETWEEN * coverage_normal(), now = 0;
	int left = 1 + (int)(BURST * coverage_uniform());

	for (int i = 0; i < KEYS; i++) {
		if (i == 0 || kind == ALONE || --left == 0) {
			now = 10 * exp(repeat + SIGMA * coverage_normal());
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
	const struct key_figures_cfg cfg = { THRESHOLD * NS_PER_MS, 10, 1 };
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
		f = keys_estimate_figures(t, repeats, &cfg);
		coverage_count(&c, &f.of[LATE], 100 * p);
		for (size_t r = 0; r < repeats; r++)
			keys_free(&t[r].keys);
	}
	coverage_divide(&c, draws);
	return c;
}

enum { C_P50, C_P90, C_JITTER, C_MEAN, C_DIFFERENCE, C_FIGURES };

/* The difference of two figures, from their intervals alone (Zou & Donner 2008). */
static struct figure coverage_difference(const struct figure *a, const struct figure *b)
{
	return figure_estimate(a->value - b->value, a->value - b->value - hypot(a->value - a->low, b->high - b->value),
			       a->value - b->value + hypot(a->high - a->value, b->value - b->low));
}

/* Simulates the repeats of a cell. Jitter and mean are those of its latencies; summarize has them of intervals between updates. */
static void coverage_draw_cell(enum coverage_kind kind, size_t repeats, bool overloaded, struct figure f[C_FIGURES])
{
	const struct key_figures_cfg cfg = { THRESHOLD * NS_PER_MS, 300, 1 };
	struct key_train_samples t[REPEATS_MOST] = { 0 };
	struct key_figures keys;
	double sd[REPEATS_MOST] = { 0 }, mean[REPEATS_MOST] = { 0 };

	for (size_t r = 0; r < repeats; r++) {
		double ms[KEYS], sum = 0, squares = 0;

		coverage_draw_latencies(kind, ms);
		for (int i = 0; i < KEYS; i++) {
			sum += ms[i];
			squares += ms[i] * ms[i];
		}
		mean[r] = sum / KEYS;
		sd[r] = sqrt((squares - sum * sum / KEYS) / (KEYS - 1));
		t[r] = coverage_make_train((int64_t)r + 1, ms);
		t[r].overloaded = overloaded && r == 0;
	}
	keys = keys_estimate_figures(t, repeats, &cfg);
	f[C_P50] = keys.of[P50];
	f[C_P90] = keys.of[P90];
	f[C_JITTER] = estimate_cell_figure(ESTIMATE_MEAN_CI, sd, NULL, repeats, cfg.draws, cfg.seed);
	f[C_MEAN] = estimate_cell_figure(ESTIMATE_CHANGE_CI, mean, NULL, repeats, cfg.draws, cfg.seed);
	for (size_t r = 0; r < repeats; r++)
		keys_free(&t[r].keys);
}

/* The mean jitter of many repeats: that of few keys in bursts is less than that of the latencies. */
static double coverage_true_jitter(enum coverage_kind kind)
{
	double sum = 0;

	for (int i = 0; i < 1000; i++) {
		struct figure f[C_FIGURES];

		coverage_draw_cell(kind, 5, false, f);
		sum += f[C_JITTER].value;
	}
	return sum / 1000;
}

static void coverage_of_figures(enum coverage_kind kind, size_t repeats, bool overloaded, int draws, struct coverage c[C_FIGURES])
{
	const double sigma = hypot(SIGMA, BETWEEN);
	const double truth[C_FIGURES] = { 10, 10 * exp(1.2815515655 * sigma), coverage_true_jitter(kind),
					  10 * exp(sigma * sigma / 2), 0 };

	memset(c, 0, C_FIGURES * sizeof(*c));
	for (int d = 0; d < draws; d++) {
		struct figure f[C_FIGURES], other[C_FIGURES];

		coverage_draw_cell(kind, repeats, overloaded, f);
		coverage_draw_cell(kind, repeats, overloaded, other);
		f[C_DIFFERENCE] = coverage_difference(&f[C_P50], &other[C_P50]);
		for (int i = 0; i < C_FIGURES; i++)
			coverage_count(&c[i], &f[i], truth[i]);
	}
	for (int i = 0; i < C_FIGURES; i++)
		coverage_divide(&c[i], draws);
}

#ifndef COVERAGE_AS_TEST
int main(int argc, char **argv)
{
	static const char *const figures[] = { "p50", "p90", "jitter", "mean_stall", "difference_of_p50" };
	static const double truth[] = { 0.005, 0.01, 0.05, 0.2 };
	static const size_t repeats[] = { 3, 5, 10 };
	int draws = argc > 1 ? atoi(argv[1]) : 1000;

	printf("figure\ttruth\tkeys\trepeats\theld_percent\tmean_width\tnone_percent\n");
	for (enum coverage_kind kind = ALONE; kind <= UNEVEN; kind++)
		for (size_t r = 0; r < 3; r++) {
			struct coverage c[C_FIGURES];

			for (size_t i = 0; i < sizeof(truth) / sizeof(*truth); i++) {
				c[0] = coverage_of_late_share(kind, repeats[r], truth[i], draws);
				printf("late_share\t%g\t%s\t%zu\t%.1f\t%.2f\t%.0f\n", 100 * truth[i], coverage_kinds[kind],
				       repeats[r], 100 * c[0].held, c[0].width, 100 * c[0].none);
			}
			for (int overloaded = 0; kind != UNEVEN && overloaded < 2; overloaded++) {
				coverage_of_figures(kind, repeats[r], overloaded, draws, c);
				for (int i = 0; i < C_FIGURES; i++)
					if (!overloaded || i <= C_P90)
						printf("%s\t\t%s%s\t%zu\t%.1f\t%.2f\t%.0f\n", figures[i], coverage_kinds[kind],
						       overloaded ? ", overloaded" : "", repeats[r], 100 * c[i].held, c[i].width,
						       100 * c[i].none);
			}
			fflush(stdout);
		}
	return 0;
}
#endif
