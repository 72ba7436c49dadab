// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials.h"
#include "medians.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial *trials_add(struct trials *t, const struct cell *c, int64_t repeat, int64_t number)
{
	struct trial *one;

	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		struct trial *grown = reallocarray(t->of, room, sizeof(*grown));

		if (!grown)
			return NULL;
		t->of = grown;
		t->room = room;
	}
	one = &t->of[t->n++];
	*one = (struct trial){ .cell = c, .repeat = repeat, .number = number };
	for (int v = 0; v < TRIALS_VALUES; v++)
		one->value[v] = NAN;
	return one;
}

void trials_free(struct trials *t)
{
	free(t->of);
	*t = (struct trials){ 0 };
}

void trials_set(struct trial *t, int value, double v, bool above)
{
	t->value[value] = v;
	t->above |= (uint32_t)above << value;
}

struct sample trials_sample(const struct trials *t, const struct cell *c, unsigned groups, int value, const char *text)
{
	struct sample s = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		const struct trial *one = &t->of[i];

		if (one->cell != c || !(groups >> one->group & 1) || !isfinite(one->value[value]) || (text && strcmp(text, one->text) != 0))
			continue;
		(one->above >> value & 1 ? sample_add_censored : sample_add)(&s, llround(one->value[value] * TRIALS_SCALE));
	}
	return s;
}

struct figure trials_median(const struct run *run, struct sample *s)
{
	struct sample_stat median = sample_quantile(s, 0.5);
	struct figure f = { median.value / TRIALS_SCALE, NAN, NAN, median.above };

	if (medians_interval(s, run->draws, (uint64_t)run->seed, &f.low, &f.high)) {
		f.low /= TRIALS_SCALE;
		f.high /= TRIALS_SCALE;
	}
	return f;
}

size_t trials_count(const struct trials *t, const struct cell *c, unsigned groups)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->of[i].cell == c && (groups >> t->of[i].group & 1);
	return n;
}

static int trials_place(const char *const *names, const char *word)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

static bool trials_groups(const struct trials *t, char *words, unsigned *groups)
{
	char *rest = NULL;

	*groups = 0;
	for (char *word = strtok_r(words, "+", &rest); word; word = strtok_r(NULL, "+", &rest)) {
		int g = trials_place(t->groups, word);

		if (g < 0)
			return false;
		*groups |= 1u << g;
	}
	return *groups;
}

static int trials_statistic(const struct run *run, struct sample *s, const char *name, struct figure *out)
{
	static const struct {
		const char *name;
		struct sample_stat (*of)(const struct sample *s);
	} moments[] = { { "mean", sample_mean }, { "sd", sample_sd } };
	static const struct {
		const char *name;
		double p;
	} quantiles[] = { { "min", 0 }, { "median", 0.5 }, { "max", 1 } };

	*out = (struct figure){ NAN, NAN, NAN, false };
	if (!strcmp(name, "n") || !strcmp(name, "above")) {
		out->value = (double)(*name == 'n' ? s->n : s->censored);
		return 0;
	}
	if (!strcmp(name, "p50")) {
		*out = trials_median(run, s);
		return 0;
	}
	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++)
		if (!strcmp(name, moments[i].name)) {
			out->value = moments[i].of(s).value / TRIALS_SCALE;
			return 0;
		}
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++)
		if (!strcmp(name, quantiles[i].name)) {
			out->value = sample_quantile(s, quantiles[i].p).value / TRIALS_SCALE;
			return 0;
		}
	return -ENOENT;
}

int trials_figure(const struct trials *t, const struct run *run, const struct cell *c, const char *path, struct figure *out)
{
	char groups[96], value[32], statistic[16];
	int parts = sscanf(path, "%95[^.].%31[^.].%15s", groups, value, statistic), v, err;
	struct sample s;
	unsigned mask;

	if (parts < 2 || !trials_groups(t, groups, &mask))
		return -ENOENT;
	if (parts == 2 && !strcmp(value, "n")) {
		*out = (struct figure){ (double)trials_count(t, c, mask), NAN, NAN, false };
		return 0;
	}
	v = trials_place(t->values, value);
	if (parts < 3 || v < 0)
		return -ENOENT;
	s = trials_sample(t, c, mask, v, NULL);
	err = s.lost ? -ENOMEM : trials_statistic(run, &s, statistic, out);
	sample_free(&s);
	return err;
}
