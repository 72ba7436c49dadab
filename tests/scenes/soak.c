// SPDX-License-Identifier: GPL-3.0-or-later
/* soak: judges a session after every block of keys. *Scatter*: how much response times differ from block to block.
 *
 * Said: the verdict of the session, the figures of `floor`, `median` and `late` that grow, and "alarm" if growth was told at any
 * block, whether it came back or not. */
#include "scene.h"
#include "starts.h"
#include "judge/drift.h"
#include "ascending.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MOST 1000
#define KEYS 20
#define FIGURES 3

static bool is_word(const struct scene *s, const char *key, const char *word)
{
	return !strcmp(scene_word(s, key, ""), word);
}

/* Noise of block i with a standard deviation of 1. */
static double draw_noise(const struct scene *s, int i, double *before, uint64_t *rng)
{
	double z = random_normal(rng), ar = scene_number(s, "ar", 0), dwell = scene_number(s, "dwell", 10);

	if (is_word(s, "noise", "heavy"))
		return starts_shape(STARTS_HEAVY, rng);
	if (is_word(s, "noise", "spikes")) /* one block in 20 is up to 20 times as slow */
		return z + (random_fraction(rng) < 0.05 ? 3 / scene_number(s, "scatter", 5) * 100 * random_fraction(rng) : 0);
	if (is_word(s, "noise", "levels")) { /* two, each for `dwell` blocks in the mean */
		if (!i || random_fraction(rng) < 1 / dwell)
			*before = random_fraction(rng) < 0.5 ? -1 : 1;
		return *before + z / 10;
	}
	*before = i ? ar * *before + sqrt(1 - ar * ar) * z : z;
	return *before;
}

/* By how much block i is slower than the first, as a share. */
static double growth_at(const struct scene *s, int i, int blocks, double phase)
{
	double from = scene_number(s, "from", 0), by = scene_number(s, "by", 0) / 100,
	       span = scene_number(s, "span", blocks - from);

	if (is_word(s, "shape", "wave"))
		return by * sin(2 * M_PI * (phase + i / span));
	if (is_word(s, "shape", "saw"))
		return by * fmod(i, span) / span;
	if (i < from || i >= from + span)
		return 0;
	return is_word(s, "shape", "slope") ? by * (i - from) / (blocks - from) : by;
}

/* The figures of a block of which a share of the keys, in percent, takes 150 in place of 15 ms. */
static void draw_keys(double share, double level, uint64_t *rng, double out[static FIGURES])
{
	double key[KEYS], late = 0;

	for (int k = 0; k < KEYS; k++) {
		key[k] = (100 * random_fraction(rng) < share ? 150 : 15) * level * exp(0.05 * random_normal(rng));
		late += key[k] > 100;
	}
	qsort(key, KEYS, sizeof(*key), ascending_double);
	out[0] = log(key[KEYS / 10 - 1]);
	out[1] = log((key[KEYS / 2 - 1] + key[KEYS / 2]) / 2);
	out[2] = 100 * late / KEYS;
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static const char *const words[] = { "open", "not-slower", "slower", "returns" }, *const names[] = { "floor", "median",
													     "late" };
	double value[FIGURES][BLOCKS_MOST], before = 0, phase = random_fraction(rng), of[FIGURES],
					    slow = scene_number(s, "slow", -1);
	int blocks = (int)scene_number(s, "blocks", 240), from = (int)scene_number(s, "slow-from", 0);
	size_t n = slow < 0 ? 1 : FIGURES;
	struct drift_figure f[FIGURES];
	int used;

	for (int i = 0; i < blocks; i++) {
		double level = 1 + growth_at(s, i, blocks, phase);

		level *= exp(scene_number(s, "scatter", 5) / 100 * draw_noise(s, i, &before, rng));
		if (scene_number(s, "digit", 0) > 0) /* values are given with so many percent as their last digit */
			level = fmax(1, round(100 * level / scene_number(s, "digit", 0))) * scene_number(s, "digit", 0) / 100;
		of[0] = log(level);
		if (slow >= 0)
			draw_keys(i < from ? scene_number(s, "slow-before", 0) : slow, level, rng, of);
		for (size_t k = 0; k < n; k++)
			value[k][i] = i >= (int)scene_number(s, "mute-from", blocks) ? (double)NAN : of[k];
	}
	for (size_t k = 0; k < n; k++)
		f[k] = (struct drift_figure){ .value = value[k], .effect = k < 2 ? log(1.1) : 10 };
	drift_decide(f, n, (size_t)blocks, 0.05);
	used = snprintf(said, SCENE_SAID, "%s", words[drift_combine(f, n)]);
	for (size_t k = 0; k < n; k++)
		used += snprintf(said + used, SCENE_SAID - (size_t)used, "%s%s%s", f[k].told || f[k].returned ? " alarm" : "",
				 f[k].word == DRIFT_GROWS ? " " : "", f[k].word == DRIFT_GROWS ? names[k] : "");
}
