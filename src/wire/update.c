// SPDX-License-Identifier: GPL-3.0-or-later
#include "update.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>

void update_start(struct update_series *u, int64_t merge_ns, int64_t period_ns, struct sample *kept)
{
	/* .random is always 0 at first: the same file gives the same report. */
	*u = (struct update_series){ .merge_ns = merge_ns, .period_ns = period_ns, .kept = kept, .keep_most = UPDATE_GAPS_MAX };
}

static void add_gap(struct update_gaps *g, int64_t gap_ns, int64_t period_ns)
{
	double d = (double)gap_ns - g->mean;

	g->n++;
	g->mean += d / (double)g->n;
	g->squares += d * ((double)gap_ns - g->mean);
	if (g->n == 1 || gap_ns > g->max)
		g->max = gap_ns;
	if (gap_ns > period_ns) {
		g->stalls++;
		g->stalls_sum += (double)(gap_ns - period_ns);
	}
}

static void keep_gap(struct update_series *u, int64_t gap_ns)
{
	uint64_t at;

	if (u->kept->n < u->keep_most) {
		sample_add(u->kept, gap_ns);
		return;
	}
	at = random_bits(&u->random) % u->gaps.n;
	if (at < u->kept->n)
		u->kept->value[at] = gap_ns;
}

bool update_goes_on(enum update_more more, int64_t pause_ns, bool spoken)
{
	if (more == MORE_MESSAGE)
		return pause_ns < UPDATE_MESSAGE_NS;
	return pause_ns < UPDATE_HELD_NS && (more == MORE_UNPUSHED || (more == MORE_FULL && !spoken));
}

bool update_continues(const struct update_series *u, int64_t time_ns)
{
	return u->count && u->first_ns - time_ns < u->merge_ns && time_ns - u->last_ns < u->merge_ns &&
	       time_ns - u->first_ns <= u->period_ns;
}

uint64_t update_add_message(struct update_series *u, int64_t time_ns)
{
	bool stepped = u->first_ns - time_ns >= u->merge_ns;

	if (update_continues(u, time_ns)) {
		if (time_ns > u->last_ns)
			u->last_ns = time_ns;
		return u->count;
	}
	if (u->count && !stepped && u->count >= u->warmup) {
		add_gap(&u->gaps, time_ns - u->first_ns, u->period_ns);
		if (u->kept)
			keep_gap(u, time_ns - u->first_ns);
	}
	u->first_ns = u->last_ns = time_ns;
	return ++u->count;
}

uint64_t update_add_late(struct update_series *u, int64_t time_ns)
{
	if (!u->count || u->first_ns - time_ns < u->merge_ns)
		return update_add_message(u, time_ns);
	u->late += !u->late || llabs(time_ns - u->late_ns) >= u->merge_ns;
	u->late_ns = time_ns;
	return u->count;
}

uint64_t update_count_all(const struct update_series *u)
{
	return u->count + u->late;
}

void update_extend(struct update_series *u, uint64_t number, int64_t time_ns)
{
	if (number == u->count && time_ns > u->last_ns)
		u->last_ns = time_ns;
}

double gaps_variance(const struct update_gaps *g)
{
	return g->n < 2 ? NAN : g->squares / (double)(g->n - 1);
}
