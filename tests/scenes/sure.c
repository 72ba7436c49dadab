// SPDX-License-Identifier: GPL-3.0-or-later
/* sure: adds repeats until a percentile is known well enough (--until-sure). It is right if the interval has the true value. */
/* Says "holds" or "misses", "open" where the run did not stop, "untold" where no number of keys tells it; and "early" where that
 * was at the least of repeats. */
#include "scene.h"
#include "clock.h"
#include "random.h"
#include "summarize/key_figures.h"
#include "summarize/sure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS_MOST 30

/* Draws the latency of a key, or of a stall of `burst` keys, in ms. sigma 0: Pareto (index 1.5). */
static double draw_latency(const struct scene *s, uint64_t *rng, double level)
{
	double sigma = scene_number(s, "sigma", 0.3), second = scene_number(s, "second", 0);
	double log_ms = sigma > 0 ? sigma * random_normal(rng) : -log(1 - random_fraction(rng)) / 1.5;

	return 10 * level * exp(log_ms) * (random_fraction(rng) < second / 100 ? 10 : 1);
}

/* Share of the keys that take longer than `ms`. */
static double exceed_share(const struct scene *s, double differ, double ms)
{
	double sigma = scene_number(s, "sigma", 0.3), second = scene_number(s, "second", 0) / 100, share = 0;

	for (int slow = 0; slow < 2; slow++) {
		double log_ms = log(ms / (slow ? 100 : 10));

		share += (slow ? second : 1 - second) *
			 (sigma > 0 ? erfc(log_ms / sqrt(2) / hypot(sigma, differ / 100)) / 2 : exp(-1.5 * fmax(0, log_ms)));
	}
	return share;
}

/* The true quantile of the law of draw_latency, in ms. */
static double find_truth(const struct scene *s, double q, double differ)
{
	double low = 1e-3, high = 1e9;

	for (int i = 0; i < 60; i++) {
		double middle = sqrt(low * high);

		*(exceed_share(s, differ, middle) > 1 - q ? &low : &high) = middle;
	}
	return low;
}

static struct key_train_samples make_train(const struct scene *s, uint64_t *rng, size_t keys, double differ)
{
	struct key_train_samples t = { .keys = { .key = calloc(keys, sizeof(struct key_times)), .n = keys } };
	double level = exp(differ / 100 * random_normal(rng)), ms = 0, burst = scene_number(s, "burst", 1);
	double range_ms = scene_number(s, "range", 0), lost = scene_number(s, "lost", 0);

	for (size_t i = 0; i < keys; i++) {
		int64_t due = (int64_t)(i + 1) * 50 * NS_PER_MS;

		if (i == 0 || random_fraction(rng) * burst < 1)
			ms = draw_latency(s, rng, level);
		t.keys.key[i] = (struct key_times){ .due_ns = due, .sent_ns = due, .exact = range_ms == 0 };
		t.keys.key[i].answer_ns = due + llround(ms * NS_PER_MS);
		t.keys.key[i].high_ns = t.keys.key[i].answer_ns + llround(range_ms * NS_PER_MS);
		if (random_fraction(rng) < lost / 100)
			t.keys.key[i] = (struct key_times){ .due_ns = due, .sent_ns = due, .censored_ns = due + 10 * NS_PER_S };
	}
	t.keys.ranged = range_ms > 0;
	t.overloaded = scene_number(s, "overloaded", 0) > 0;
	return t;
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static const struct {
		const char *name;
		enum figure_name figure;
		double q;
	} percentiles[] = { { "p50", P50, 0.5 }, { "p90", P90, 0.9 }, { "p95", P95, 0.95 }, { "p99", P99, 0.99 } };
	struct key_train_samples t[REPEATS_MOST];
	struct figure now = FIGURE_ABSENT, before;
	size_t n = 0, least = (size_t)scene_number(s, "repeats", 5), keys = (size_t)scene_number(s, "keys", 200), p = 0;
	double differ = scene_number(s, "differ", 0), width = scene_number(s, "width", 20) / 100, truth;
	enum sure_word word;

	while (strcmp(percentiles[p].name, scene_word(s, "percentile", "p90")) != 0)
		p++;
	do {
		t[n] = make_train(s, rng, keys, differ);
		n++;
		before = now;
		now = n + 1 < least ? FIGURE_ABSENT : keys_estimate_figures(t, n, 100 * NS_PER_MS).of[percentiles[p].figure];
		word = sure_judge(&now, &before, width);
	} while (n < least || (n < REPEATS_MOST && word > SURE_KNOWN));
	truth = find_truth(s, percentiles[p].q, differ);
	snprintf(said, SCENE_SAID, "%s%s",
		 word == SURE_UNTOLD			 ? "untold"
		 : word != SURE_KNOWN			 ? "open"
		 : now.low <= truth && truth <= now.high ? "holds"
							 : "misses",
		 n == least ? " early" : "");
	while (n)
		keys_free(&t[--n].keys);
}
