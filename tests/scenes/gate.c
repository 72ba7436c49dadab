// SPDX-License-Identifier: GPL-3.0-or-later
/* gate: a run against a baseline, from the keys of both, by single repeats and by all together, as `gate --baseline` does. */
#include "scene.h"
#include "judge/pooled.h"
#include "memory.h"
#include "random.h"
#include "summarize/key_figures.h"

#include <math.h>

static const struct {
	const char *name;
	enum figure_name figure;
} metrics[] = { { "late", LATE }, { "p50", P50 }, { "p90", P90 }, { "p95", P95 }, { "p99", P99 } };
#define METRICS (sizeof(metrics) / sizeof(*metrics))

/* KEY of the run: b.KEY, or that of both. */
static double number_of(const struct scene *s, int run, const char *key, double otherwise)
{
	char own[64];

	snprintf(own, sizeof(own), "b.%s", key);
	otherwise = scene_number(s, key, otherwise);
	return run == VARIANT_B ? scene_number(s, own, otherwise) : otherwise;
}

/* A repeat: its level scatters, then each key; a share of `tail` keys, in bursts, takes `times` as long. */
static struct key_train_samples draw_repeat(const struct scene *s, int run, uint64_t *rng)
{
	double level = number_of(s, run, "median", 30) * exp(number_of(s, run, "levels", 2) / 100 * scene_normal(rng));
	double scatter = number_of(s, run, "scatter", 5) / 100, burst = number_of(s, run, "burst", 1),
	       frame = scene_number(s, "frame", 0);
	double tail = number_of(s, run, "tail", 0) / 100, lost = number_of(s, run, "unanswered", 0) / 100, left = 0;
	struct key_train_samples t = { .repeat = 1, .overloaded = random_fraction(rng) < number_of(s, run, "overloaded", 0) / 100 };

	t.keys.n = (size_t)number_of(s, run, "keys", 95);
	t.keys.key = memory_new(t.keys.n, sizeof(*t.keys.key));
	for (size_t i = 0; i < t.keys.n; i++) {
		struct key_times *k = &t.keys.key[i];
		double ms = level * exp(scatter * scene_normal(rng));

		if (scene_number(s, "pareto", 0) > 0)
			ms = level * pow(1 - random_fraction(rng), -1 / scene_number(s, "pareto", 0));
		if (left <= 0 && random_fraction(rng) < tail / burst)
			left = burst;
		ms *= left-- > 0 ? number_of(s, run, "times", 2.5) : 1;
		ms = frame > 0 ? frame * ceil(ms / frame) : ms;
		k->due_ns = k->sent_ns = (int64_t)(i + 1) * 200000000;
		if (random_fraction(rng) < lost) {
			k->censored_ns = k->due_ns + 5000000000;
			continue;
		}
		k->answer_ns = k->due_ns + llround(1e6 * ms);
		k->high_ns = k->answer_ns + llround(1e6 * number_of(s, run, "range", 0));
		k->exact = k->high_ns == k->answer_ns;
		t.keys.ranged = t.keys.ranged || !k->exact;
	}
	return t;
}

static double number_or_nan(const struct figure *f)
{
	return f->above ? (double)NAN : f->value;
}

static void add_run(struct block_table *t, const struct scene *s, int run, uint64_t *rng)
{
	const struct key_figures_cfg cfg = { .threshold_ns = 100000000, .draws = 200, .seed = 1 };
	size_t n = (size_t)number_of(s, run, "repeats", 5);
	struct key_train_samples *train = memory_new(n, sizeof(*train));
	struct key_figures all;

	for (size_t r = 0; r < n; r++) {
		struct key_figures one;

		train[r] = draw_repeat(s, run, rng);
		one = keys_estimate_figures(&train[r], 1, &cfg);
		for (size_t m = 0; m < METRICS; m++) {
			struct block_series *to = &t->series[m];

			memory_more(to->value, to->n);
			to->value[to->n++] = (struct block_value){ .start = 1,
								   .pair = (int64_t)r,
								   .variant = (enum variant)run,
								   .value = number_or_nan(&one.of[metrics[m].figure]) };
		}
	}
	all = keys_estimate_figures(train, n, &cfg);
	for (size_t m = 0; m < METRICS; m++) {
		const struct figure *f = &all.of[metrics[m].figure];
		const char *why = f->why ? f->why : n ? "" : "failed";

		t->series[m].pooled[run] = (struct block_pooled){ .from = figure_at_least(f),
								  .to = figure_at_most(f),
								  .low = f->low,
								  .high = f->high,
								  .repeats = (int64_t)f->repeats,
								  .why = must_alloc(strdup(why)) };
	}
	for (size_t r = 0; r < n; r++)
		keys_free(&train[r].keys);
	free(train);
}

/* METRIC=WORD for each that is compared or cannot be, then what gate says of all. */
void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static const char *const words[] = { "open", "lower", "higher", "same" };
	const struct block_effect effect = { .relative = 0.1, .points = 1 };
	struct block_table t = { .series = memory_new(METRICS, sizeof(*t.series)), .n = METRICS };
	struct decide_figure family[METRICS];
	bool open = false, broken = false;
	size_t n = 0, length = 0;

	for (size_t m = 0; m < METRICS; m++) {
		t.series[m].cell = must_alloc(strdup(""));
		t.series[m].metric = must_alloc(strdup(metrics[m].name));
		t.series[m].unit = must_alloc(strdup(m ? "ms" : "%"));
	}
	for (int run = 0; run < VARIANTS; run++)
		add_run(&t, s, run, rng);
	blocks_compare_runs(&t, &effect);
	pooled_compare(&t, &effect);
	for (size_t m = 0; m < METRICS; m++)
		if (t.series[m].figure.n && !t.series[m].constant)
			family[n++] = t.series[m].figure;
	decide_all(family, n, 0.05);
	for (size_t m = METRICS; m-- > 0;) {
		const struct block_series *k = &t.series[m];
		bool compared = k->figure.n && !k->constant, left_out = k->why || (k->known[VARIANT_A] && !k->known[VARIANT_B]);
		enum decision word = compared ? family[--n].word : DECIDE_OPEN;

		if (!compared && !left_out)
			continue;
		open = open || word == DECIDE_OPEN;
		broken = broken || word == DECIDE_HIGHER;
		length += (size_t)snprintf(said + length, SCENE_SAID - length, "%s=%s ", k->metric, words[word]);
	}
	snprintf(said + length, SCENE_SAID - length, "%s", broken ? "broken" : open ? "open" : "holds");
	blocks_free(&t);
}
