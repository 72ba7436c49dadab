// SPDX-License-Identifier: GPL-3.0-or-later
/* ab_rates [BLOCKS [MINUTES]] | --bound HITS N - how often `thinprobe ab` is wrong, and how soon it is right: sequences with a look
 * after each start, simulated, and drawn from the starts of real comparisons of a variant with itself. Prints Markdown
 * (docs/ab-error-rates.sh). */
#include "judge/blocks.h"
#include "judge/welch.h"
#include "ascending.h"
#include "binomial.h"
#include "memory.h"
#include "random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SEQUENCES 2000
#define STARTS_MOST 40
#define METRICS_MOST 64
#define ALPHA 0.05
#define EFFECT log(1.1)

enum shape { NORMAL, HEAVY, SKEWED, SHAPES };
static const char *const shapes[] = { "normal", "heavy tails (Student's t, 3 degrees)", "of skewed values (log-normal)" };

static double draw_normal(uint64_t *rng)
{
	return sqrt(-2 * log(1 - random_fraction(rng))) * cos(2 * M_PI * random_fraction(rng));
}

/* Mean 0, and standard deviation 1 where there is one. */
static double draw(enum shape shape, uint64_t *rng)
{
	double sum = 0;

	switch (shape) {
	case HEAVY:
		for (int i = 0; i < 3; i++) {
			double z = draw_normal(rng);

			sum += z * z;
		}
		return draw_normal(rng) / sqrt(sum / 3) / sqrt(3);
	case SKEWED: /* both variants have a long tail to one side; the difference of two such values is symmetric */
		return (exp(0.75 * draw_normal(rng)) - exp(0.75 * draw_normal(rng))) /
		       sqrt(2 * exp(0.75 * 0.75) * (exp(0.75 * 0.75) - 1));
	default: return draw_normal(rng);
	}
}

struct outcome {
	size_t called, decided;
	int64_t starts[SEQUENCES];
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

/* Decides all figures; returns how many stay open. */
static size_t look(struct decide_figure *f, size_t n)
{
	size_t open = 0;

	decide_all(f, n, ALPHA);
	for (size_t k = 0; k < n; k++)
		open += f[k].word == DECIDE_OPEN;
	return open;
}

static bool any_told(const struct decide_figure *f, size_t n)
{
	bool told = false;

	for (size_t k = 0; k < n; k++)
		told = told || is_told(&f[k]);
	return told;
}

/* Sequences of `metrics` figures, all with the same true shift. A figure is looked at until all are decided. */
static void simulate(struct outcome *o, enum shape shape, size_t metrics, double sd, double shift, uint64_t *rng)
{
	*o = (struct outcome){ 0 };
	for (size_t i = 0; i < SEQUENCES; i++) {
		struct decide_figure f[METRICS_MOST] = { 0 };
		size_t open = metrics, n = 0;

		for (size_t k = 0; k < metrics; k++)
			f[k].effect = EFFECT;
		while (open && n < STARTS_MOST) {
			n++;
			for (size_t k = 0; k < metrics; k++)
				decide_add(&f[k], shift + sd * draw(shape, rng));
			open = look(f, metrics);
		}
		o->called += any_told(f, metrics);
		o->decided += !open;
		o->starts[i] = (int64_t)n;
	}
}

/* The same looks by a t test for one look, which ends at the first p < 5 %. */
static double naive_rate(size_t looks, uint64_t *rng)
{
	size_t called = 0;

	for (size_t i = 0; i < SEQUENCES; i++) {
		struct decide_figure f = { 0 };
		bool told = false;

		for (size_t n = 0; n < looks && !told; n++) {
			decide_add(&f, draw_normal(rng));
			told = f.n >= DECIDE_STARTS &&
			       welch_p((double)(f.n - 1), f.mean / decide_sd(&f) * sqrt((double)f.n)) < ALPHA;
		}
		called += told;
	}
	return 100.0 * (double)called / SEQUENCES;
}

static void print_simulated(void)
{
	static const size_t metrics[] = { 1, 4, 12 };
	static const double sds[] = { 0.02, 0.04, 0.08 };
	struct outcome *o = memory_new(1, sizeof(*o));
	uint64_t rng = 20261124;

	printf("| differences of starts | spread of a start | metrics | called, of %d | decided |\n|---|---:|---:|---:|---:|\n",
	       SEQUENCES);
	for (enum shape s = 0; s < SHAPES; s++)
		for (size_t i = 0; i < 6; i++) {
			double sd = i % 2 ? 0.3 : 0.04;

			simulate(o, s, metrics[i / 2], sd, 0, &rng);
			printf("| %s | %.0f %% | %zu | %.1f %% | %.0f %% |\n", shapes[s], 100 * sd, metrics[i / 2],
			       100.0 * (double)o->called / SEQUENCES, 100.0 * (double)o->decided / SEQUENCES);
		}
	printf("\nA t test for one look, looked at after each of 10, 28 and 40 starts: %.1f %%, %.1f %% and %.1f %%.\n",
	       naive_rate(10, &rng), naive_rate(28, &rng), naive_rate(40, &rng));
	printf("\n| spread of a start | metrics | found, of %d | median starts |\n|---:|---:|---:|---:|\n", SEQUENCES);
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < 3; i++) {
			simulate(o, NORMAL, metrics[k], sds[i], log(1.1), &rng);
			printf("| %.0f %% | %zu | %.1f %% | %" PRId64 " |\n", 100 * sds[i], metrics[k],
			       100.0 * (double)o->called / SEQUENCES, median_of(o));
		}
	free(o);
}

/* One sequence drawn from real starts: each with a random sign, so that no metric differs in truth; `shift` is added to the first
 * metric. */
static bool draw_sequence(const struct block_table *t, size_t pool, double shift, uint64_t *rng, int64_t *starts, bool *first)
{
	struct decide_figure f[METRICS_MOST] = { 0 };
	size_t metrics = 0, open = 1;

	for (size_t i = 0; i < t->n && metrics < METRICS_MOST; i++)
		f[metrics++].effect = t->series[i].figure.effect;
	for (*starts = 0; open && *starts < STARTS_MOST; ++*starts) {
		size_t k = (size_t)(random_fraction(rng) * (double)pool);
		double sign = random_fraction(rng) < 0.5 ? -1 : 1;

		for (size_t i = 0; i < metrics; i++)
			decide_add(&f[i], sign * t->series[i].difference[k] + (i ? 0 : shift));
		open = look(f, metrics);
	}
	*first = is_told(&f[0]) && f[0].mean > 0;
	return any_told(f, metrics);
}

/* Leaves only the metrics that have a difference in every start, the median latency first. */
static size_t keep_whole(struct block_table *t)
{
	size_t n = 0, pool = 0;

	for (size_t i = 0; i < t->n; i++)
		pool = t->series[i].figure.n > pool ? t->series[i].figure.n : pool;
	for (size_t i = 0; i < t->n; i++)
		if (pool && t->series[i].figure.n == pool && !t->series[i].constant && !t->series[i].same_as) {
			struct block_series s = t->series[n];

			t->series[n] = t->series[i];
			t->series[i] = s;
			n++;
		}
	t->n = n;
	for (size_t i = 1; i < n; i++)
		if (!strcmp(t->series[i].metric, "latency_p50_ms") && strcmp(t->series[0].metric, "latency_p50_ms") != 0) {
			struct block_series s = t->series[0];

			t->series[0] = t->series[i];
			t->series[i] = s;
		}
	return pool;
}

static void print_resampled(const char *file, double minutes)
{
	struct outcome *o = memory_new(1, sizeof(*o));
	size_t pool, wrong = 0, found = 0;
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
	for (size_t i = 0; i < SEQUENCES; i++) {
		bool first;

		wrong += draw_sequence(&t, pool, 0, &rng, &o->starts[i], &first);
	}
	printf("%zu starts, %s%s.\n\n", pool, t.n > 1 ? "several metrics, the first is " : "", t.series[0].metric);
	printf("| truth | called or found, of %d | median starts | minutes |\n|---|---:|---:|---:|\n", SEQUENCES);
	printf("| B is A | %.1f %% called | %" PRId64 " | %.1f |\n", 100.0 * (double)wrong / SEQUENCES, median_of(o),
	       minutes * (double)median_of(o));
	for (size_t i = 0; i < SEQUENCES; i++) {
		bool first;

		draw_sequence(&t, pool, log(1.1), &rng, &o->starts[i], &first);
		found += first;
	}
	printf("| median of B 10 %% longer | %.1f %% found | %" PRId64 " | %.1f |\n", 100.0 * (double)found / SEQUENCES,
	       median_of(o), minutes * (double)median_of(o));
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
