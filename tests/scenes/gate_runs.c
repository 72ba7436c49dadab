// SPDX-License-Identifier: GPL-3.0-or-later
/* gate_runs - draws two runs, and says their figures, by summarize, for gate.py: of each run its repeats and how many of them were
 * disturbed; then of each metric those of the repeats, and that of all keys: from, to, low, high, repeats, why ("-": nothing). */
#include "scene.h"
#include "memory.h"
#include "random.h"
#include "summarize/key_figures.h"

#include <stdio.h>
#include <string.h>

static const enum figure_name figures[] = { LATE, P50, P90, P95, P99 };
#define LATE_NS 100000000
#define METRICS (sizeof(figures) / sizeof(*figures))

/* KEY of a run: B's b.KEY, if there is one. */
static double number_of(const struct scene *s, int run, const char *key, double otherwise)
{
	char own[64];

	snprintf(own, sizeof(own), "b.%s", key);
	otherwise = scene_number(s, key, otherwise);
	return run ? scene_number(s, own, otherwise) : otherwise;
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

/* Adds " VALUE". */
static void say_number(char said[static SCENE_SAID], double value)
{
	size_t length = strlen(said);

	snprintf(said + length, SCENE_SAID - length, " %.17g", value);
}

static void say_run(const struct scene *s, int run, uint64_t *rng, char said[static SCENE_SAID])
{
	size_t n = (size_t)number_of(s, run, "repeats", 5);
	struct key_train_samples *train = memory_new(n, sizeof(*train));
	struct key_figures *e = memory_new(n + 1, sizeof(*e));

	say_number(said, (double)n);
	say_number(said, number_of(s, run, "disturbed", 0));
	for (size_t r = 0; r < n; r++) {
		train[r] = draw_repeat(s, run, rng);
		e[r] = keys_estimate_figures(&train[r], 1, LATE_NS);
	}
	e[n] = keys_estimate_figures(train, n, LATE_NS);
	for (size_t m = 0; m < METRICS; m++) {
		const struct figure *all = &e[n].of[figures[m]];
		const char *why = all->why ? all->why : n ? "" : "failed";

		for (size_t r = 0; r < n; r++)
			say_number(said, e[r].of[figures[m]].above ? (double)NAN : e[r].of[figures[m]].value);
		say_number(said, all->from);
		say_number(said, all->above ? (double)INFINITY : all->to);
		say_number(said, all->low);
		say_number(said, all->high);
		say_number(said, (double)all->repeats);
		snprintf(said + strlen(said), SCENE_SAID - strlen(said), " %s", !*why ? "-" : strcmp(why, "too few") != 0 ? why : "too_few");
	}
	while (n)
		keys_free(&train[--n].keys);
	free(train);
	free(e);
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	uint64_t copy = *rng;

	say_run(s, 0, rng, said);
	say_run(s, 1, scene_number(s, "copy", 0) > 0 ? &copy : rng, said);
}
