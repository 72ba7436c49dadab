// SPDX-License-Identifier: GPL-3.0-or-later
/* rates: decides statements about figures and counted events, such as that two figures are near each other. */
/* ask=off: the first figure is `off` percent off the second in truth (in the first half of `rows`: `half`), of which up to `limit`
 * is near: "near" in all rows, "apart" in one, "untold".
 * ask=rate: events at random, `faster` percent faster than a known rate: "more", "less", "untold".
 * ask=model: the same in `rows`, in either direction (in the first `wrong` rows: `faster`): "apart", "untold".
 * ask=cov: standard deviation by mean of gaps: "above" or "below" 1, "untold".
 * ask=line: points of a line that rises by `rise`, with an arch of the height `bend`: "straight", "bent", "untold".
 * known=1: the first figure is a number, as of a model; other=1: the second figure is measured, too. */
#include "scene.h"
#include "figures.h"
#include "judge/lines.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

#define ROWS_MOST 40

static const struct claim_figure absent = { NAN, NAN, NAN, NAN, 0 };

static struct claim_figure know(double value)
{
	return (struct claim_figure){ value, value, NAN, NAN, 0 };
}

static enum claim_word ask(const char *kind, int share, struct claim_figure a, struct claim_figure b)
{
	char name[32];
	struct claim c = { .kind = name, .share = share, .figure = { a, b } };

	snprintf(name, sizeof(name), "%s", kind);
	return claim_judge(&c) ? CLAIM_UNTOLD : c.word;
}

/* The first `disturbed` repeats are `by` percent more. */
static struct claim_figure draw_repeats(const struct scene *s, uint64_t *rng, double truth)
{
	double value[FIGURES_REPEATS];
	int n = (int)scene_number(s, "repeats", 5);

	for (int i = 0; i < n; i++) {
		value[i] = truth * fmax(0, 1 + scene_number(s, "scatter", 2) / 100 * random_normal(rng));
		if (i < (int)scene_number(s, "disturbed", 0))
			value[i] *= 1 + scene_number(s, "by", 50) / 100;
	}
	return figures_estimate(value, n);
}

static const char *ask_off(const struct scene *s, uint64_t *rng)
{
	int rows = (int)scene_number(s, "rows", 1), near = 0, apart = 0;
	char kind[32];

	snprintf(kind, sizeof(kind), "off %g", scene_number(s, "limit", 10));
	for (int i = 0; i < rows; i++) {
		double off = scene_number(s, i < rows / 2 ? "half" : "off", scene_number(s, "off", 0)), ratio = 1 + off / 100;
		bool known = scene_number(s, "known", 0) > 0, other = known || scene_number(s, "other", 0) > 0;
		struct claim_figure a = known ? know(ratio) : draw_repeats(s, rng, ratio),
				    b = other ? draw_repeats(s, rng, 1) : know(1);
		enum claim_word word = ask(kind, 1, i < (int)scene_number(s, "lacking", 0) ? absent : a, b);

		near += word == CLAIM_HOLDS;
		apart += word == CLAIM_FAILS;
	}
	return apart ? "apart" : near == rows ? "near" : "untold";
}

/* A rate by the events of a second, or of several repeats, of which there are `events` on average at a rate of 1. */
static struct claim_figure draw_rate(const struct scene *s, uint64_t *rng, double truth)
{
	double value[FIGURES_REPEATS], mean = scene_number(s, "events", 400);
	int repeats = (int)scene_number(s, "repeats", 1), events = 0;
	struct claim_figure rate;

	for (int i = 0; i < repeats; i++) {
		int before = events;

		for (double at = -log(1 - random_fraction(rng)); at < truth * mean; at -= log(1 - random_fraction(rng)))
			events++;
		value[i] = (events - before) / mean;
	}
	rate = figures_estimate(value, events ? repeats : 0);
	if (repeats < 3) {
		rate.low = rate.high = NAN;
		rate.repeats = events;
	}
	return rate;
}

static const char *ask_rate(const struct scene *s, uint64_t *rng)
{
	struct claim_figure rate = draw_rate(s, rng, 1 + scene_number(s, "faster", 0) / 100);
	enum claim_word word = ask("rate", 1, rate, scene_number(s, "other", 0) > 0 ? draw_rate(s, rng, 1) : know(1));

	return word == CLAIM_HOLDS ? "more" : word == CLAIM_FAILS ? "less" : "untold";
}

static const char *ask_model(const struct scene *s, uint64_t *rng)
{
	int rows = (int)scene_number(s, "rows", 12), apart = 0;

	for (int i = 0; i < rows; i++) {
		double faster = i < (int)scene_number(s, "wrong", 0) ? scene_number(s, "faster", 0) : 0;
		struct claim_figure rate = draw_rate(s, rng, 1 + faster / 100);

		apart += ask("rate", rows, rate, know(1)) == CLAIM_HOLDS || ask("rate", rows, know(1), rate) == CLAIM_HOLDS;
	}
	return apart ? "apart" : "untold";
}

/* gap=: exponential, even (half to one and a half of the mean), or bursts (a half has a nineteenth of the mean of the others). */
static double draw_gap(const char *law, uint64_t *rng)
{
	double gap = -log(1 - random_fraction(rng));

	if (!strcmp(law, "even"))
		return 0.5 + random_fraction(rng);
	if (!strcmp(law, "bursts"))
		return gap * (random_fraction(rng) < 0.5 ? 0.1 : 1.9);
	return gap;
}

static const char *ask_cov(const struct scene *s, uint64_t *rng)
{
	const char *law = scene_word(s, "gap", "exponential");
	bool even = !strcmp(law, "even"), bursts = !strcmp(law, "bursts");
	int n = (int)scene_number(s, "gaps", 1000);
	double sum = 0, squares = 0, cov;
	struct claim_figure one = { 1, 1, NAN, NAN, n };

	for (int i = 0; i < n; i++) {
		double gap = draw_gap(even ? "even" : bursts ? "bursts" : "", rng);

		sum += gap;
		squares += gap * gap;
	}
	cov = sqrt(fmax(0, squares - sum * sum / n) / (n - 1)) / (sum / n);
	if (n < 2)
		return ask("rate", 1, absent, absent) == CLAIM_UNTOLD ? "untold" : "above";
	return ask("rate", 1, know(cov), one) == CLAIM_HOLDS   ? "above"
	       : ask("rate", 1, one, know(cov)) == CLAIM_HOLDS ? "below"
							       : "untold";
}

static const char *ask_line(const struct scene *s, uint64_t *rng)
{
	struct claim c[ROWS_MOST];
	char name[] = "line share";
	int n = (int)scene_number(s, "points", 7);

	for (int i = 0; i < n; i++) {
		double x = (double)i / (n - 1), y = scene_number(s, "rise", 60) * x + scene_number(s, "bend", 0) * 4 * x * (1 - x);

		y += scene_number(s, "scatter", 1) * random_normal(rng);
		c[i] = (struct claim){ .kind = name, .share = 1 };
		c[i].figure[0] = know(x);
		c[i].figure[1] = i < (int)scene_number(s, "lacking", 0) ? absent : know(y);
	}
	lines_judge(c, (size_t)n);
	return c[0].word == CLAIM_HOLDS ? "straight" : c[0].word == CLAIM_FAILS ? "bent" : "untold";
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	static const struct {
		const char *name;
		const char *(*ask)(const struct scene *s, uint64_t *rng);
	} asks[] = { { "off", ask_off }, { "rate", ask_rate }, { "model", ask_model }, { "cov", ask_cov }, { "line", ask_line } };

	*said = '\0';
	for (size_t i = 0; i < sizeof(asks) / sizeof(*asks); i++)
		if (!strcmp(scene_word(s, "ask", "off"), asks[i].name)) {
			snprintf(said, SCENE_SAID, "%s", asks[i].ask(s, rng));
			return;
		}
}
