// SPDX-License-Identifier: GPL-3.0-or-later
#include "headcount.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

bool headcount_criterion(const char *text, bool *apdex, double *value)
{
	*apdex = !strncmp(text, "apdex:", 6);
	if (!*apdex && strncmp(text, "p95:", 4) != 0)
		return false;
	*value = strtod(strchr(text, ':') + 1, NULL);
	return isfinite(*value) && *value > 0;
}

static double alone(const struct headcount_system *s, const struct headcount_limit *l)
{
	const struct headcount_step *one = headcount_find(s, 1, l->repeat);
	double value;
	bool apdex;

	if (!one || !headcount_criterion(l->criterion, &apdex, &value))
		return NAN;
	return 100 * (apdex ? value / one->of[HEADCOUNT_APDEX] : one->of[HEADCOUNT_P95] / value);
}

double headcount_value(const struct headcount_system *s, const struct headcount_limit *l, const struct headcount_rule *r,
		       double users)
{
	const struct headcount_step *step = headcount_find(s, users, l->repeat);

	if (r->figure == HEADCOUNT_ALONE)
		return alone(s, l);
	return step ? step->of[r->figure] : (double)NAN;
}

/* Pages are read back because what users work with no longer fits, or by other programs of the machine, which are counted with
 * it: by these where at least half is available of what was with one user. */
static bool fits(const struct headcount_system *s, const struct headcount_limit *l, double users)
{
	const struct headcount_step *step = headcount_find(s, users, l->repeat), *one = headcount_find(s, 1, l->repeat);

	return step && one && step->of[HEADCOUNT_AVAILABLE] > 0 &&
	       step->of[HEADCOUNT_AVAILABLE] >= one->of[HEADCOUNT_AVAILABLE] / 2;
}

bool headcount_full(const struct headcount *h, const struct headcount_system *s, const struct headcount_limit *l,
		    const struct headcount_rule *r, double users)
{
	if (!(headcount_value(s, l, r, users) >= r->at_least))
		return false;
	if (r->figure == HEADCOUNT_FAULTS && fits(s, l, users))
		return false;
	for (size_t i = 0; i < h->rules; i++)
		if (&h->rule[i] != r && !strcmp(h->rule[i].name, r->unless) &&
		    headcount_value(s, l, &h->rule[i], users) >= h->rule[i].at_least)
			return false;
	return true;
}

#define TALLIES (HEADCOUNT_RULES + 8)

/* One resource over the repeats. */
struct tally {
	const char *name;
	size_t times;
	int64_t repeat;		/* the latest, from 1 */
	double fullness;	/* sum of value over threshold */
};

static int fullest_first(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->times != y->times)
		return x->times < y->times ? 1 : -1;
	return (x->fullness < y->fullness) - (x->fullness > y->fullness);
}

/* Once for each repeat, whatever number of rules it fulfils. */
static void count(struct tally *t, size_t *n, const char *name, int64_t repeat, double fullness)
{
	size_t i = 0;

	while (i < *n && strcmp(t[i].name, name) != 0)
		i++;
	if (i == TALLIES)
		return;
	if (i == *n)
		t[(*n)++] = (struct tally){ .name = name };
	if (t[i].repeat == repeat)
		return;
	t[i].repeat = repeat;
	t[i].times++;
	t[i].fullness += fullness;
}

void headcount_words(const struct headcount *h, const struct headcount_system *s, const char *criterion, char *text, size_t size)
{
	struct tally t[TALLIES];
	size_t n = 0, reached = 0, used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < s->limits; i++) {
		const struct headcount_limit *l = &s->limit[i];
		bool any = false;

		if (strcmp(l->criterion, criterion) != 0 || !l->reached)
			continue;
		reached++;
		/* who could not be added could not be measured: that is as full as it gets */
		if (l->ended[0]) {
			count(t, &n, l->resource, l->repeat, HUGE_VAL);
			any = true;
		}
		for (size_t k = 0; k < h->rules; k++) {
			const struct headcount_rule *r = &h->rule[k];

			if (!headcount_full(h, s, l, r, l->beyond) || !strcmp(r->name, l->resource))
				continue;
			count(t, &n, r->name, l->repeat, headcount_value(s, l, r, l->beyond) / r->at_least);
			any = true;
		}
		if (!any)
			count(t, &n, "unexplained", l->repeat, 0);
	}
	qsort(t, n, sizeof(*t), fullest_first);
	for (size_t i = 0; i < n && used < size; i++) {
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", t[i].name);
		if (t[i].times < reached && used < size)
			used += (size_t)snprintf(text + used, size - used, " (%zu of %zu)", t[i].times, reached);
	}
}
