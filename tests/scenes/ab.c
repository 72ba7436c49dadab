// SPDX-License-Identifier: GPL-3.0-or-later
/* ab: compares sessions B and A after each start. */
#include "scene.h"
#include "starts.h"
#include "judge/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define METRICS_MOST 12

static enum starts_shape read_shape(const char *word)
{
	static const char *const words[] = { "normal", "heavy", "skewed", "two", "exponential", "lognormal" };
	size_t i = 0;

	while (i < sizeof(words) / sizeof(*words) - 1 && strcmp(word, words[i]) != 0)
		i++;
	return (enum starts_shape)i;
}

static void read_law(const struct scene *s, struct starts_law *l)
{
	static const char *const places[] = { "first", "second", "third", "fourth" };

	*l = (struct starts_law){ .shape = read_shape(scene_word(s, "shape", "normal")),
				  .spread = scene_number(s, "spread", 0),
				  .scatter = scene_number(s, "scatter", 1),
				  .correlation = scene_number(s, "correlation", 0) / 100,
				  .level = scene_number(s, "level", 0),
				  .sometimes = scene_number(s, "sometimes", 0),
				  .noise = scene_number(s, "noise", 0),
				  .shift = scene_number(s, "shift", 0) };
	for (int i = 0; i < 4; i++)
		l->position[i] = scene_number(s, places[i], 0);
}

static void write_row(FILE *out, int64_t start, int64_t pair, int v, const char *rest)
{
	fprintf(out, "blocks/1\t%lld\t%lld\t%c\t%s\n", (long long)start, (long long)pair, "ab"[v], rest);
}

static void write_value(char *rest, size_t size, int metric, double value, double wide, int flag)
{
	if (wide > 0)
		snprintf(rest, size, "c\tm%d\tms\tlower\t%.6f..%.6f\t%d", metric, value * (1 - wide), value, flag);
	else
		snprintf(rest, size, "c\tm%d\tms\tlower\t%.6f\t%d", metric, value, flag);
}

/* The rows of a start. Metric 0 has the shift, the others have `others`; of the last one a share of the values of B is
 * `lacking`, as empty rows or none; flat: they are all 20. A share `ranged` of the values of A are ranges that end there, and
 * begin at `wide` percent less. */
static void write_start(const struct scene *s, FILE *out, int64_t start, uint64_t *rng)
{
	int metrics = (int)scene_number(s, "metrics", 1), how = (int)scene_number(s, "counted", 0) ? 2 : 1;
	bool alone = scene_number(s, "alone", 0) > 0; /* only blocks of B are disturbed */
	bool rowless = scene_number(s, "rowless", 0) > 0, flat = scene_number(s, "flat", 0) > 0;
	double disturbed = scene_number(s, "disturbed", 0) / 100, lacking = scene_number(s, "lacking", 0) / 100;
	double ranged = scene_number(s, "ranged", 0) / 100, wide = scene_number(s, "wide", 0) / 100;
	double block[METRICS_MOST][2][STARTS_PAIRS];
	char rest[120];

	for (int k = 0; k < metrics; k++) {
		struct starts_law l;

		read_law(s, &l);
		if (k)
			l.shift = scene_number(s, "others", 0);
		starts_draw(&l, start, rng, block[k]);
	}
	for (int i = 0; i < 2 * STARTS_PAIRS; i++) {
		int64_t pair = STARTS_PAIRS * (start - 1) + i / 2 + 1;
		int flag = random_fraction(rng) < disturbed && (i % 2 || !alone) ? how : 0;

		snprintf(rest, sizeof(rest), "\t\t\t\t\t%d", flag);
		write_row(out, start, pair, i % 2, rest);
		for (int k = 0; k < metrics; k++) {
			bool lacks = k + 1 == metrics && i % 2 && random_fraction(rng) < lacking;

			if (lacks && rowless)
				continue;
			if (lacks)
				snprintf(rest, sizeof(rest), "c\tm%d\tms\tlower\t\t%d", k, flag);
			else
				write_value(rest, sizeof(rest), k, k && flat ? 20 : 20 * exp(block[k][i % 2][i / 2]),
					    !(i % 2) && ranged > 0 && random_fraction(rng) < ranged ? wide : 0, flag);
			write_row(out, start, pair, i % 2, rest);
		}
	}
}

/* What is said of the table so far. */
static const char *judge_text(const struct scene *s, char *text, size_t size, char said[static SCENE_SAID])
{
	struct verdict_question q = { .alpha = 0.05 };
	struct block_effect effect = { .relative = scene_number(s, "effect", 10) / 100, .points = 1 };
	FILE *in = fmemopen(text, size, "r");
	const char *word = "open";
	struct block_table t;
	unsigned long line;
	struct verdict v;

	if (!in || blocks_read(in, &t, &line))
		abort();
	fclose(in);
	blocks_compare(&t, &effect);
	if (verdict_reach(&t, &q, &v)) {
		word = !strcmp(v.word, "no difference of that size") ? "same"
		       : !strcmp(v.word, "not decided")		     ? "open"
		       : !strcmp(v.word, "too noisy")		     ? "noisy"
								     : v.word;
	}
	free(v.family);
	snprintf(said, SCENE_SAID, "%s%s%s", word, t.allowed ? " provisional" : "", t.throughout ? " throughout" : "");
	blocks_free(&t);
	return word;
}

void scene_draw(const struct scene *s, uint64_t *rng, char said[static SCENE_SAID])
{
	int64_t most = (int64_t)scene_number(s, "starts", 20);
	const char *word = "open";
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	fputs("schema\tstart\tpair\tvariant\tcell\tmetric\tunit\tbetter\tvalue\tdisturbed\n", out);
	for (int64_t start = 1; start <= most && (!strcmp(word, "open") || !strcmp(word, "noisy")); start++) {
		write_start(s, out, start, rng);
		fflush(out);
		word = judge_text(s, text, size, said);
	}
	fclose(out);
	free(text);
}
