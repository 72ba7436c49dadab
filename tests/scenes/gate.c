// SPDX-License-Identifier: GPL-3.0-or-later
/* gate: compares a run with a baseline, by each repeat's figures, or those of all keys if a repeat has too few. */
#include "scene.h"
#include "judge/limits.h"
#include "judge/pooled.h"
#include "judge/verdict.h"
#include "memory.h"
#include "random.h"
#include "summarize/key_figures.h"

static const char *const names[] = { "late", "p50", "p90", "p95", "p99" };
static const enum figure_name figures[] = { LATE, P50, P90, P95, P99 };
#define LATE_NS 100000000
#define METRICS (sizeof(names) / sizeof(*names))

/* KEY of a run: B's b.KEY, if there is one. */
static double number_of(const struct scene *s, int run, const char *key, double otherwise)
{
	char own[64];

	snprintf(own, sizeof(own), "b.%s", key);
	otherwise = scene_number(s, key, otherwise);
	return run == VARIANT_B ? scene_number(s, own, otherwise) : otherwise;
}

/* A repeat has a level; a share of `tail` keys, in bursts, takes `times` as long. */
static struct key_train_samples draw_repeat(const struct scene *s, int run, uint64_t *rng)
{
	double level = number_of(s, run, "median", 30) * exp(number_of(s, run, "levels", 2) / 100 * random_normal(rng));
	double scatter = scene_number(s, "scatter", 5) / 100, pareto = scene_number(s, "pareto", 0),
	       frame = scene_number(s, "frame", 0);
	double tail = number_of(s, run, "tail", 0) / 100, lost = number_of(s, run, "unanswered", 0) / 100;
	double burst = scene_number(s, "burst", 1), left = 0, range = number_of(s, run, "range", 0);
	struct key_train_samples t = { .overloaded = random_fraction(rng) < number_of(s, run, "overloaded", 0) / 100,
				       .keys = { .n = (size_t)scene_number(s, "keys", 95), .ranged = range > 0 } };

	t.keys.key = memory_new(t.keys.n, sizeof(*t.keys.key));
	for (size_t i = 0; i < t.keys.n; i++) {
		struct key_times *k = &t.keys.key[i];
		double ms = level * (pareto > 0 ? pow(1 - random_fraction(rng), -1 / pareto) : exp(scatter * random_normal(rng)));

		if (left <= 0 && random_fraction(rng) < tail / burst)
			left = burst;
		ms *= left-- > 0 ? scene_number(s, "times", 2.5) : 1;
		ms = frame > 0 ? frame * ceil(ms / frame) : ms;
		k->due_ns = k->sent_ns = (int64_t)(i + 1) * 200000000;
		if (random_fraction(rng) < lost) {
			k->censored_ns = k->due_ns + 5000000000;
			continue;
		}
		k->answer_ns = k->due_ns + llround(1e6 * ms);
		k->high_ns = k->answer_ns + llround(1e6 * range);
		k->exact = range <= 0;
	}
	return t;
}

static void add_run(struct block_table *t, const struct scene *s, int run, uint64_t *rng)
{
	struct block_series *series = t->series;
	size_t n = (size_t)number_of(s, run, "repeats", 5);
	struct key_train_samples *train = memory_new(n, sizeof(*train));
	struct key_figures e;

	t->blocks_of[run] = n;
	t->disturbed_of[run] = (size_t)number_of(s, run, "disturbed", 0);
	t->disturbed += t->disturbed_of[run];
	for (size_t r = 0; r < n; r++) {
		train[r] = draw_repeat(s, run, rng);
		e = keys_estimate_figures(&train[r], 1, LATE_NS);
		for (struct block_series *to = series; to < series + METRICS; to++) {
			const struct figure *f = &e.of[figures[to - series]];

			memory_more(to->value, to->n);
			to->value[to->n++] = (struct block_value){ .start = 1,
								   .pair = (int64_t)r,
								   .variant = (enum variant)run,
								   .disturbed = r < t->disturbed_of[run],
								   .value = f->above ? (double)NAN : f->value };
		}
	}
	e = keys_estimate_figures(train, n, LATE_NS);
	for (struct block_series *to = series; to < series + METRICS; to++) {
		const struct figure *f = &e.of[figures[to - series]];
		const char *why = f->why ? f->why : n ? "" : "failed";

		to->pooled[run] = (struct block_pooled){
			f->from, f->above ? (double)INFINITY : f->to, f->low, f->high, (int64_t)f->repeats, must_alloc(strdup(why))
		};
	}
	while (n)
		keys_free(&train[--n].keys);
	free(train);
}

static double scene_limit(const struct scene *s, const char *metric)
{
	char key[32];

	snprintf(key, sizeof(key), "limit.%s", metric);
	return scene_number(s, key, (double)NAN);
}

/* METRIC=WORD for each that is compared, then what gate says of all, and of limits. */
void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static const char *const words[] = { "open", "lower", "higher", "same" };
	const struct block_effect effect = { .relative = 0.1, .points = 1 };
	struct block_table t = { .series = memory_new(METRICS, sizeof(*t.series)), .n = METRICS };
	struct verdict_question q = { .alpha = 0.05, .runs = true };
	struct verdict v = { 0 };
	uint64_t copy = *rng;
	const char *answer;
	size_t length = 0;

	for (size_t m = 0; m < METRICS; m++) {
		t.series[m].cell = must_alloc(strdup(""));
		t.series[m].metric = must_alloc(strdup(names[m]));
		t.series[m].unit = must_alloc(strdup(m ? "ms" : "%"));
	}
	add_run(&t, s, VARIANT_A, rng);
	add_run(&t, s, VARIANT_B, scene_number(s, "copy", 0) > 0 ? &copy : rng);
	blocks_compare_runs(&t, &effect);
	pooled_compare(&t, &effect);
	q.metrics = scene_word(s, "metrics", NULL);
	answer = verdict_reach(&t, &q, &v) ? v.word : "not decided";
	for (size_t i = 0; i < v.n; i++)
		length += (size_t)snprintf(said + length, SCENE_SAID - length, "%s=%s ", v.family[i]->metric,
					   words[v.family[i]->figure.word]);
	length += (size_t)snprintf(said + length, SCENE_SAID - length, "%s",
				   !strcmp(answer, "worse")					    ? "broken"
				   : !strcmp(answer, "not decided") || !strcmp(answer, "too noisy") ? "open"
												    : "holds");
	for (size_t m = 0; m < METRICS; m++) { /* a limit on B alone, by all its repeats */
		const struct block_pooled *p = &t.series[m].pooled[VARIANT_B];
		struct limit limit = { .op = "<=", .bound = scene_limit(s, names[m]) };

		limit_add(&limit, &(struct limit_figure){ p->from, p->to, p->low, p->high });
		if (!isnan(limit.bound))
			length += (size_t)snprintf(said + length, SCENE_SAID - length, " limit-%s",
						   (const char *[]){ "holds", "broken", "open" }[limit_conclude(&limit)]);
	}
	free(v.family);
	blocks_free(&t);
}
