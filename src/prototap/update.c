// SPDX-License-Identifier: GPL-3.0-or-later
#include "update.h"

#include <math.h>

void update_start(struct update_line *u, int64_t merge_ns, int64_t period_ns, struct sample *kept)
{
	*u = (struct update_line){ .merge_ns = merge_ns, .period_ns = period_ns, .kept = kept, .random = 0x9e3779b97f4a7c15 };
}

static void account_gap(struct gap_account *g, int64_t gap_ns, int64_t period_ns)
{
	double d = (double)gap_ns - g->mean;

	g->n++;
	g->mean += d / (double)g->n;
	g->squares += d * ((double)gap_ns - g->mean);
	if (g->n == 1 || gap_ns < g->min)
		g->min = gap_ns;
	if (g->n == 1 || gap_ns > g->max)
		g->max = gap_ns;
	if (gap_ns > period_ns) {
		g->stalls++;
		g->stalls_sum += (double)(gap_ns - period_ns);
	}
}

/* xorshift64* (Marsaglia 2003, Vigna 2016), always from the same start: the same file gives the same report. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1d;
}

static void keep_gap(struct update_line *u, int64_t gap_ns)
{
	uint64_t at;

	if (u->kept->n < UPDATE_GAPS_MAX) {
		sample_add(u->kept, gap_ns);
		return;
	}
	at = next_random(&u->random) % u->gaps.n;
	if (at < u->kept->n)
		u->kept->value[at] = gap_ns;
}

uint64_t update_message(struct update_line *u, int64_t time_ns)
{
	bool stepped = u->first_ns - time_ns >= u->merge_ns;

	if (u->count && !stepped && time_ns - u->last_ns < u->merge_ns && time_ns - u->first_ns <= u->period_ns) {
		if (time_ns > u->last_ns)
			u->last_ns = time_ns;
		return u->count;
	}
	if (u->count && !stepped) {
		account_gap(&u->gaps, time_ns - u->first_ns, u->period_ns);
		if (u->kept)
			keep_gap(u, time_ns - u->first_ns);
	} else if (!u->count) {
		u->start_ns = time_ns;
	}
	u->first_ns = u->last_ns = time_ns;
	return ++u->count;
}

void update_more(struct update_line *u, uint64_t number, int64_t time_ns)
{
	if (number == u->count && time_ns > u->last_ns)
		u->last_ns = time_ns;
}

double gap_variance(const struct gap_account *g)
{
	return g->n < 2 ? NAN : g->squares / (double)(g->n - 1);
}
