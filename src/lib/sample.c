// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample.h"
#include "ascending.h"
#include "memory.h"

#include <math.h>

void sample_reserve(struct sample *s, size_t n)
{
	if (n <= s->room)
		return;
	s->value = must_alloc(reallocarray(s->value, n, sizeof(*s->value)));
	s->room = n;
}

void sample_add(struct sample *s, int64_t value)
{
	if (s->n == s->room)
		sample_reserve(s, s->room ? s->room * 2 : 256);
	s->value[s->n++] = value;
	s->sorted = false;
}

void sample_add_censored(struct sample *s, int64_t later_than)
{
	sample_add(s, later_than);
	if (!s->censored || later_than < s->censored_min)
		s->censored_min = later_than;
	s->censored++;
}

void sample_free(struct sample *s)
{
	free(s->value);
	*s = (struct sample){ 0 };
}

static void sort_sample(struct sample *s)
{
	if (!s->sorted && s->n)
		qsort(s->value, s->n, sizeof(*s->value), ascending_int64);
	s->sorted = true;
}

struct sample_stat sample_quantile(struct sample *s, double p)
{
	struct sample_stat q = { NAN, false };
	double at, low;
	size_t i;

	if (!s->n)
		return q;
	sort_sample(s);
	at = (double)(s->n - 1) * p;
	low = floor(at);
	i = (size_t)low;
	q.value = (double)s->value[i];
	if (i + 1 < s->n)
		q.value += (at - low) * ((double)s->value[i + 1] - (double)s->value[i]);
	/* the upper neighbour counts too, if interpolation uses it */
	if (s->censored)
		q.above = s->value[at > low && i + 1 < s->n ? i + 1 : i] >= s->censored_min;
	return q;
}

struct sample_stat sample_mean(const struct sample *s)
{
	struct sample_stat m = { NAN, s->censored > 0 };
	double mean = 0;

	if (!s->n)
		return m;
	for (size_t i = 0; i < s->n; i++) /* running mean: avoids overflow and loss of digits */
		mean += ((double)s->value[i] - mean) / (double)(i + 1);
	m.value = mean;
	return m;
}

struct sample_stat sample_sd(const struct sample *s)
{
	struct sample_stat sd = { NAN, false };
	double mean = sample_mean(s).value, squares = 0;

	if (s->n < 2 || s->censored)
		return sd;
	for (size_t i = 0; i < s->n; i++) {
		double d = (double)s->value[i] - mean;

		squares += d * d;
	}
	sd.value = sqrt(squares / (double)(s->n - 1));
	return sd;
}

struct sample_stat sample_min(struct sample *s)
{
	return sample_quantile(s, 0);
}

struct sample_stat sample_max(struct sample *s)
{
	struct sample_stat m = sample_quantile(s, 1);

	m.above = s->censored > 0;
	return m;
}

bool sample_supports(const struct sample *s, double p)
{
	if (p <= 0.75)
		return s->n > 0;
	return (double)s->n * (1 - p) >= 10 - 1e-9;
}
