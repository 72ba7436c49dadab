// SPDX-License-Identifier: GPL-3.0-or-later
#include "ticks.h"
#include "ascending.h"
#include "clock.h"

#include <stdlib.h>
#include <time.h>

#define WINDOW_NS 60000
#define MARGIN_NS 10000
#define LEAST_LONGEST_NS 20000
#define LOOK_BACK_NS (2 * NS_PER_S)
#define TRY_NS (150 * NS_PER_MS)
#define SLOTS_MOST 2500
#define MET_LEAST 30
#define MET_SHARE 0.7  /* minimum share of the periods that are not hidden */
#define MET_CHANCE 5.0 /* minimum ratio to the number that gaps at random times would have */

struct tick_candidate {
	int64_t phase_ns, length_ns, slot;
};

static int compare_phases(const void *a, const void *b)
{
	const struct tick_candidate *x = a, *y = b;

	return x->phase_ns < y->phase_ns ? -1 : x->phase_ns > y->phase_ns;
}

/* Finds the window of phases that holds most gaps: *begin is its first gap, the result their number. `c` is sorted by phase, and
 * used as a ring. */
static int find_fullest_window(const struct tick_candidate *c, int n, int64_t period, int *begin)
{
	int most = 0;

	for (int first = 0, end = 0; first < n; first++) {
		if (end < first)
			end = first;
		while (end < first + n && c[end % n].phase_ns + (end >= n ? period : 0) - c[first].phase_ns <= WINDOW_NS)
			end++;
		if (end - first > most) {
			most = end - first;
			*begin = first;
		}
	}
	return most;
}

/* Learns phase, width and length from the gaps in the window, nearly all of which are ticks. */
static void learn_window(struct tick_detector *t, const struct tick_candidate *c, int n, int begin, int count)
{
	const int64_t period = t->period_ns;
	const struct tick_candidate *last = &c[(begin + count - 1) % n];
	int64_t length[TICKS_LEARN], width = last->phase_ns - c[begin].phase_ns;

	for (int i = 0; i < count; i++)
		length[i] = c[(begin + i) % n].length_ns;
	qsort(length, (size_t)count, sizeof(*length), ascending_int64);
	t->learned = true;
	t->phase_ns = (c[begin].phase_ns - MARGIN_NS + period) % period;
	t->window_ns = (width < 0 ? width + period : width) + 2 * MARGIN_NS;
	t->longest_ns = 4 * length[count / 2];
	if (t->longest_ns < LEAST_LONGEST_NS)
		t->longest_ns = LEAST_LONGEST_NS;
	if (t->longest_ns > TICKS_SHORT_NS)
		t->longest_ns = TICKS_SHORT_NS;
	t->slot = -1;
}

/* State of each period from `first` on: without a tick, hidden by a longer gap, with a tick. */
enum { OPEN, HIDDEN, MET };
struct tick_period_states {
	int64_t first;
	int n;
	unsigned char is[SLOTS_MOST];
};

static void set_period_state(struct tick_period_states *s, int64_t slot, unsigned char is)
{
	if (slot >= s->first && slot < s->first + s->n)
		s->is[slot - s->first] = is;
}

/* Marks the periods whose tick, at this phase, is hidden by a longer gap. */
static void mark_hidden_periods(const struct tick_detector *t, struct tick_period_states *s, int64_t period, int64_t phase)
{
	int kept = t->n < TICKS_LEARN ? t->n : TICKS_LEARN;

	for (int i = 0; i < kept; i++) {
		int64_t start = t->kept[i].start_ns, last = (start + t->kept[i].length_ns - phase) / period;
		int64_t k = (start - WINDOW_NS - phase + period - 1) / period;

		if (t->kept[i].length_ns <= TICKS_SHORT_NS)
			continue;
		for (k = k < s->first ? s->first : k; k <= last && k < s->first + s->n; k++)
			set_period_state(s, k, HIDDEN);
	}
}

/* Learns the phase from the gaps between the times `from` and `now`, if there are enough. */
static void learn_phase(struct tick_detector *t, int64_t from, int64_t now)
{
	const int64_t period = t->period_ns;
	struct tick_candidate c[TICKS_LEARN];
	struct tick_period_states s = { .first = from / period + 1, .n = (int)(now / period - from / period) - 1 };
	int n = 0, begin = 0, count, met = 0, open = 0, kept = t->n < TICKS_LEARN ? t->n : TICKS_LEARN;

	for (int i = 0; i < kept; i++) {
		int64_t start = t->kept[i].start_ns;

		if (start >= from && t->kept[i].length_ns <= TICKS_SHORT_NS)
			c[n++] = (struct tick_candidate){ start % period, t->kept[i].length_ns, start / period };
	}
	if (n < MET_LEAST || s.n < MET_LEAST || s.n > SLOTS_MOST)
		return;
	qsort(c, (size_t)n, sizeof(*c), compare_phases);
	count = find_fullest_window(c, n, period, &begin);
	mark_hidden_periods(t, &s, period, c[begin].phase_ns);
	for (int i = begin; i < begin + count; i++) /* a gap beyond the end of the ring belongs to the period before */
		set_period_state(&s, c[i % n].slot - (i >= n), MET);
	for (int i = 0; i < s.n; i++) {
		met += s.is[i] == MET;
		open += s.is[i] == OPEN;
	}
	if (met < MET_LEAST || met < MET_SHARE * (met + open) || met < MET_CHANCE * n * WINDOW_NS / (double)period)
		return;
	learn_window(t, c, n, begin, count);
}

static void learn_gap(struct tick_detector *t, int64_t start_ns, int64_t length_ns)
{
	int64_t oldest;

	t->kept[t->n % TICKS_LEARN].start_ns = start_ns;
	t->kept[t->n % TICKS_LEARN].length_ns = length_ns;
	t->n = t->n + 1 < 2 * TICKS_LEARN ? t->n + 1 : TICKS_LEARN;
	if (!t->tried_ns)
		t->tried_ns = start_ns;
	if (start_ns - t->tried_ns < TRY_NS)
		return;
	t->tried_ns = start_ns;
	oldest = t->n > TICKS_LEARN ? t->kept[t->n % TICKS_LEARN].start_ns : t->kept[0].start_ns;
	learn_phase(t, start_ns - oldest > LOOK_BACK_NS ? start_ns - LOOK_BACK_NS : oldest, start_ns);
}

int64_t ticks_period_ns(void)
{
	struct timespec ts;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &ts) ? 0 : (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

bool ticks_classify_gap(struct tick_detector *t, int64_t start_ns, int64_t length_ns)
{
	int64_t slot, into;

	if (!t->period_ns)
		return false;
	if (!t->learned) {
		learn_gap(t, start_ns, length_ns);
		return false;
	}
	slot = (start_ns - t->phase_ns) / t->period_ns;
	into = (start_ns - t->phase_ns) % t->period_ns;
	if (into > t->window_ns || length_ns > t->longest_ns || slot == t->slot)
		return false;
	t->slot = slot;
	return true;
}
