// SPDX-License-Identifier: GPL-3.0-or-later
#include "trials.h"
#include "estimate.h"
#include "room.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trial *trials_add(struct trials *t, const struct cell *c, int64_t repeat, int64_t number)
{
	struct trial *one = room_for(t->of, t->n, sizeof(*one));

	if (!one)
		return NULL;
	t->of = one;
	one += t->n++;
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
	struct figure f = { NAN, NAN, NAN, false };
	double *value = calloc(s->n + 1, sizeof(*value));

	for (size_t i = 0; value && i < s->n; i++)
		value[i] = (double)s->value[i];
	if (value)
		estimate(ESTIMATE_MEDIAN_CI, value, NULL, s->n, run->draws, (uint64_t)run->seed, &f);
	free(value);
	return (struct figure){ median.value / TRIALS_SCALE, f.low / TRIALS_SCALE, f.high / TRIALS_SCALE, median.above };
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
	static const char *const names[] = { "n", "above", "mean", "sd", "min", "median", "max", "p50", NULL };
	enum { N, ABOVE, MEAN, SD, MIN, MEDIAN, MAX, P50 } statistic = (unsigned)trials_place(names, name);
	double v;

	switch (statistic) {
	case N: v = (double)s->n * TRIALS_SCALE; break;
	case ABOVE: v = (double)s->censored * TRIALS_SCALE; break;
	case MEAN: v = sample_mean(s).value; break;
	case SD: v = sample_sd(s).value; break;
	case MIN: v = sample_min(s).value; break;
	case MEDIAN: v = sample_quantile(s, 0.5).value; break;
	case MAX: v = sample_max(s).value; break;
	case P50: *out = trials_median(run, s); return 0;
	default: return -ENOENT;
	}
	*out = (struct figure){ v / TRIALS_SCALE, NAN, NAN, false };
	return 0;
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
