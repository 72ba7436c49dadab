// SPDX-License-Identifier: GPL-3.0-or-later
/* ab_rates [BLOCKS [MINUTES]] | --bound HITS N - how often `thinprobe ab` is wrong, and how soon it is right: sequences with a look
 * after each start, simulated, and drawn from the starts of real comparisons of a variant with itself. Prints Markdown
 * (tests/ab-error-rates.sh). */
#include "../tests/scenes/starts.h"
#include "judge/blocks.h"
#include "judge/decide.h"
#include "ascending.h"
#include "binomial.h"
#include "cli.h"
#include "memory.h"

#include <inttypes.h>
#include <stdio.h>

#define SEQUENCES 1000
#define STARTS_MOST 40
#define METRICS_MOST 64
#define ALPHA 0.05
#define EFFECT log(1.1)

static const struct simulated {
	const char *what;
	struct starts_law law;
} nuisances[] = { /* nothing differs in truth */
	{ "normal, spread 4 %", { .spread = 4 } },
	{ "normal, spread 30 %", { .spread = 30 } },
	{ "heavy tails (Student's t, 3 degrees), spread 30 %", { .shape = STARTS_HEAVY, .spread = 30 } },
	{ "differences of log-normal values, spread 30 %", { .shape = STARTS_SKEWED, .spread = 30 } },
	{ "two levels, 20 % apart", { .shape = STARTS_TWO, .spread = 10 } },
	{ "two levels, 60 % apart", { .shape = STARTS_TWO, .spread = 30 } },
	{ "first block 12 % slower, scatter 1 %", { .position = { 12 }, .scatter = 1 } },
	{ "first block 20 % slower, scatter 1 %", { .position = { 20 }, .scatter = 1 } },
	{ "first block 20 % slower, scatter 2 %", { .position = { 20 }, .scatter = 2 } },
	{ "first block 20 % slower, scatter 5 %", { .position = { 20 }, .scatter = 5 } },
	{ "first block 50 % slower, scatter 1 %", { .position = { 50 }, .scatter = 1 } },
	{ "first block 50 % slower, scatter 3 %", { .position = { 50 }, .scatter = 3 } },
	{ "first block 50 % slower in half of the starts, scatter 1 %", { .position = { 50 }, .sometimes = 50, .scatter = 1 } },
	{ "blocks of a start 0, 0, 10, 40 % slower, scatter 3 %", { .position = { 0, 0, 10, 40 }, .scatter = 3 } },
	{ "levels of A and of B vary by 6 % from start to start, scatter 1 %", { .level = 6, .scatter = 1 } },
	{ "scatter 5 %, correlated by 0.8", { .scatter = 5, .correlation = 0.8 } },
	{ "*provisional*: other programs delay each block by 25 %, scatter 1 %", { .noise = 25, .scatter = 1 } },
	{ "equal means, exponential, spread 4 %", { .shape = STARTS_EXPONENT, .spread = 4 } },
	{ "equal means, exponential, spread 10 %", { .shape = STARTS_EXPONENT, .spread = 10 } },
	{ "equal means, exponential, spread 30 %", { .shape = STARTS_EXPONENT, .spread = 30 } },
	{ "equal means, log-normal, spread 4 %", { .shape = STARTS_LOGNORMAL, .spread = 4 } },
	{ "equal means, log-normal, spread 10 %", { .shape = STARTS_LOGNORMAL, .spread = 10 } },
	{ "equal means, log-normal, spread 30 %", { .shape = STARTS_LOGNORMAL, .spread = 30 } },
}, powers[] = { /* B is 10 % slower in truth */
	{ "spread 2 %", { .shift = 10, .spread = 2 } },
	{ "spread 4 %", { .shift = 10, .spread = 4 } },
	{ "spread 8 %", { .shift = 10, .spread = 8 } },
	{ "heavy tails, spread 8 %", { .shift = 10, .spread = 8, .shape = STARTS_HEAVY } },
	{ "first block 20 % slower, spread 4 %", { .shift = 10, .spread = 4, .position = { 20 } } },
	{ "first block 50 % slower, spread 4 %", { .shift = 10, .spread = 4, .position = { 50 } } },
	{ "*provisional*: other programs delay each block by 25 %", { .shift = 10, .noise = 25, .scatter = 1 } },
};

/* Of all sequences of one kind. */
struct outcome {
	size_t called;
	int64_t starts[SEQUENCES];
};

/* A comparison that is looked at after each start. */
struct sequence {
	struct decide_figure f[METRICS_MOST];
	size_t n, open;
	int64_t starts;
	bool told; /* of one of them, or more */
};

static int64_t median_of(struct outcome *o)
{
	qsort(o->starts, SEQUENCES, sizeof(*o->starts), ascending_int64);
	return o->starts[SEQUENCES / 2];
}

static bool is_told(const struct decide_figure *f)
{
	return f->word == DECIDE_LOWER || f->word == DECIDE_HIGHER;
}

static void look(struct sequence *s)
{
	s->starts++;
	s->open = 0;
	s->told = false;
	decide_all(s->f, s->n, ALPHA);
	for (size_t k = 0; k < s->n; k++) {
		s->open += s->f[k].word == DECIDE_OPEN;
		s->told |= is_told(&s->f[k]);
	}
}

static void end_sequence(struct sequence *s)
{
	for (size_t k = 0; k < s->n; k++)
		decide_free(&s->f[k]);
}

static double draw_difference(const struct starts_law *l, int64_t start, uint64_t *rng)
{
	double block[2][STARTS_PAIRS], sum = 0;

	starts_draw(l, start, rng, block);
	for (int i = 0; i < STARTS_PAIRS; i++)
		sum += (block[1][i] - block[0][i]) / STARTS_PAIRS;
	return sum;
}

/* Sequences of `metrics` figures of one law, looked at after each start until one is called, or all are decided. */
static void simulate(struct outcome *o, const struct starts_law *l, size_t metrics, uint64_t *rng)
{
	o->called = 0;
	for (size_t i = 0; i < SEQUENCES; i++) {
		struct sequence s = { .n = metrics, .open = metrics };

		for (size_t k = 0; k < metrics; k++)
			s.f[k].effect = EFFECT;
		while (s.open && !s.told && s.starts < STARTS_MOST) {
			for (size_t k = 0; k < metrics; k++)
				decide_add(&s.f[k], s.starts + 1, draw_difference(l, s.starts + 1, rng));
			look(&s);
		}
		o->called += s.told;
		o->starts[i] = s.starts;
		end_sequence(&s);
	}
}

/* The same looks by a t test for one look, which ends at the first p < 5 %. */
static double naive_rate(size_t looks, uint64_t *rng)
{
	size_t called = 0;

	for (size_t i = 0; i < SEQUENCES; i++) {
		struct decide_figure f = { .effect = 1 };
		bool told = false;

		for (size_t n = 0; n < looks && !told; n++) {
			decide_add(&f, (int64_t)n + 1, random_normal(rng));
			told = f.n >= 3 &&
			       2 * welch_upper_p((double)(f.n - 1), fabs(f.mean) / decide_sd(&f) * sqrt((double)f.n)) < ALPHA;
		}
		called += told;
		decide_free(&f);
	}
	return 100.0 * (double)called / SEQUENCES;
}

static void print_laws(const struct simulated *of, size_t n, bool starts, uint64_t *rng)
{
	static const size_t metrics[] = { 1, 4, 12 };
	struct outcome *o = memory_new(1, sizeof(*o));

	for (const struct simulated *s = of; s < of + n; s++) {
		printf("| %s |", s->what);
		for (size_t i = 0; i < 3; i++) {
			simulate(o, &s->law, metrics[i], rng);
			printf(" %.1f %%", 100.0 * (double)o->called / SEQUENCES);
			if (starts)
				printf(", %" PRId64, median_of(o));
			printf(" |");
		}
		printf("\n");
	}
	free(o);
}

static void print_simulated(void)
{
	uint64_t rng = 20261126;

	printf("| what disturbs | called: 1 metric | 4 metrics | 12 metrics |\n|---|---:|---:|---:|\n");
	print_laws(nuisances, sizeof(nuisances) / sizeof(*nuisances), false, &rng);
	printf("\nFor comparison: an ordinary t test after each start gives a false alarm in %.1f %% of the comparisons of 10 "
	       "starts, in %.1f %% of\nthose of 28, and in %.1f %% of those of 40.\n",
	       naive_rate(10, &rng), naive_rate(28, &rng), naive_rate(40, &rng));
	printf("\n| B is 10 %% slower | found, starts: 1 metric | 4 metrics | 12 metrics |\n|---|---:|---:|---:|\n");
	print_laws(powers, sizeof(powers) / sizeof(*powers), true, &rng);
}

/* One sequence drawn from real starts: each with a random sign, so that no metric differs in truth; `shift` is added to the first
 * metric. */
static bool draw_sequence(const struct block_table *t, size_t pool, double shift, uint64_t *rng, int64_t *starts, bool *first)
{
	struct sequence s = { .n = t->n < METRICS_MOST ? t->n : METRICS_MOST, .open = 1 };

	for (size_t i = 0; i < s.n; i++)
		s.f[i].effect = t->series[i].figure.effect;
	while (s.open && s.starts < STARTS_MOST) {
		size_t k = (size_t)(random_fraction(rng) * (double)pool);
		double sign = random_fraction(rng) < 0.5 ? -1 : 1;

		for (size_t i = 0; i < s.n; i++)
			decide_add(&s.f[i], s.starts + 1, sign * t->series[i].figure.value[k] + (i ? 0 : shift));
		look(&s);
	}
	*starts = s.starts;
	*first = is_told(&s.f[0]) && s.f[0].mean > 0;
	end_sequence(&s);
	return s.told;
}

static void swap_series(struct block_series *a, struct block_series *b)
{
	struct block_series s = *a;

	*a = *b;
	*b = s;
}

/* Leaves only the metrics that have a difference in every start, the median latency first. */
static size_t keep_whole(struct block_table *t)
{
	size_t n = 0, pool = 0;

	for (size_t i = 0; i < t->n; i++)
		pool = t->series[i].figure.n > pool ? t->series[i].figure.n : pool;
	for (size_t i = 0; i < t->n; i++)
		if (pool && t->series[i].figure.n == pool && !t->series[i].constant && !t->series[i].same_as)
			swap_series(&t->series[n++], &t->series[i]);
	t->n = n;
	for (size_t i = 1; i < n; i++)
		if (!strcmp(t->series[i].metric, "latency_p50_ms") && strcmp(t->series[0].metric, "latency_p50_ms") != 0)
			swap_series(&t->series[0], &t->series[i]);
	return pool;
}

static void print_resampled(const char *file, double minutes)
{
	struct outcome *o = memory_new(1, sizeof(*o));
	size_t pool;
	FILE *in = cli_open_input(file);
	uint64_t rng = 31;
	struct block_table t;
	unsigned long line;
	int err = blocks_read(in, &t, &line);

	cli_close_input(in, file, err, line, "not a table of blocks/1");
	blocks_compare(&t, &(struct block_effect){ .relative = 0.1, .points = 1 });
	pool = keep_whole(&t);
	if (!t.n)
		die(EXIT_RUN, "%s: no metric has a difference in every start", file);
	printf("The table draws from %zu starts. It judges %s%s.\n\n", pool,
	       t.n > 1 ? "several metrics, of which the first is " : "", t.series[0].metric);
	printf("| truth | called or found, of %d | median starts | minutes |\n|---|---:|---:|---:|\n", SEQUENCES);
	for (int shifted = 0; shifted < 2; shifted++) {
		size_t hits = 0;

		for (size_t i = 0; i < SEQUENCES; i++) {
			bool first, told = draw_sequence(&t, pool, shifted * log(1.1), &rng, &o->starts[i], &first);

			hits += shifted ? first : told;
		}
		printf("| %s | %.1f %% %s | %" PRId64 " | %.1f |\n", shifted ? "median of B 10 % longer" : "B is A",
		       100.0 * (double)hits / SEQUENCES, shifted ? "found" : "called", median_of(o),
		       minutes * (double)median_of(o));
	}
	free(o);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		print_simulated();
	else if (argc == 4) /* the upper bound of a share that was seen, in percent */
		printf("%.1f\n", 100 * binomial_share_bound(atoll(argv[2]), atoll(argv[3])));
	else
		print_resampled(argv[1], argc > 2 ? atof(argv[2]) : 0);
	return EXIT_OK;
}
