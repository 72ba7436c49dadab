// SPDX-License-Identifier: GPL-3.0-or-later
#include "response.h"

#define HIST_SHIFT 5  /* 32 bins an octave */
#define HIST_FLOOR 14 /* of 1 << 14 ns and above */

void response_add(struct response_times *h, int64_t ns)
{
	uint64_t scaled = ns < 0 ? 0 : (uint64_t)ns >> (HIST_FLOOR - HIST_SHIFT);
	int octave = scaled < 1 << (HIST_SHIFT + 1) ? 0 : 63 - __builtin_clzll(scaled) - HIST_SHIFT;
	int64_t at = (int64_t)octave * (1 << HIST_SHIFT) + (int64_t)(scaled >> octave);

	h->bin[at < RESPONSE_BINS ? at : RESPONSE_BINS - 1]++;
	if (!h->n || ns < h->min_ns)
		h->min_ns = ns;
	if (!h->n || ns > h->max_ns)
		h->max_ns = ns;
	h->n++;
}

void response_add_all(struct response_times *h, const struct response_times *more)
{
	if (!more->n)
		return;
	for (int i = 0; i < RESPONSE_BINS; i++)
		h->bin[i] += more->bin[i];
	h->min_ns = h->n && h->min_ns < more->min_ns ? h->min_ns : more->min_ns;
	h->max_ns = h->n && h->max_ns > more->max_ns ? h->max_ns : more->max_ns;
	h->n += more->n;
}

int64_t response_quantile(const struct response_times *h, double p)
{
	double rank = p * h->n, before = 0;
	int64_t low, width, ns;
	int at = 0, octave;

	if (!h->n)
		return -1;
	while (at < RESPONSE_BINS - 1 && (before += h->bin[at]) < rank)
		at++;
	octave = at < 1 << (HIST_SHIFT + 1) ? 0 : at / (1 << HIST_SHIFT) - 1;
	width = (int64_t)1 << (octave + HIST_FLOOR - HIST_SHIFT);
	low = (at - octave * (1 << HIST_SHIFT)) * width;
	ns = low + width / 2;
	return ns < h->min_ns ? h->min_ns : ns > h->max_ns ? h->max_ns : ns;
}
