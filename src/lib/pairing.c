// SPDX-License-Identifier: GPL-3.0-or-later
#include "pairing.h"

#include <math.h>

#define NUMBER_BITS 0xffffffu

static void clear_answer(struct key_times *key)
{
	key->answer_ns = key->high_ns = key->censored_ns = 0;
	key->exact = key->coalesced = false;
}

int64_t pair_unwrap_number(int64_t near, uint32_t number)
{
	uint32_t ahead = (number - (uint32_t)near) & NUMBER_BITS;

	return ahead > NUMBER_BITS / 2 ? near + ahead - NUMBER_BITS - 1 : near + ahead;
}

size_t pair_patch_numbers(struct key_times *keys, size_t n, const struct shown_number *shown, size_t m, uint32_t base,
			  int64_t end_ns)
{
	size_t gone = 0, ahead = 0;
	int64_t answered = 0;

	for (size_t i = 0; i < n; i++)
		clear_answer(&keys[i]);
	for (size_t j = 0; j < m; j++) {
		int64_t count = pair_unwrap_number(answered, shown[j].number - base); /* below: an outdated screen */

		while (gone < n && key_sent_time(&keys[gone]) <= shown[j].at_ns)
			gone++;
		if (count > (int64_t)gone) {
			ahead++;
			count = (int64_t)gone;
		}
		for (; answered < count; answered++) {
			keys[answered].answer_ns = keys[answered].high_ns = shown[j].at_ns;
			keys[answered].exact = true;
			keys[answered].coalesced = answered + 1 < count;
		}
	}
	for (; answered < (int64_t)n; answered++)
		keys[answered].censored_ns = end_ns;
	return ahead;
}

#define PAUSE_PERIODS 4

/* True if the last update came after a pause and the one before may show the last key already: what an application draws once
 * typing pauses, such as completions. It would make up for an update that answers two keys. */
static bool ends_after_pause(const struct key_times *keys, size_t n, const struct pair_update *update)
{
	int64_t pause;

	if (n < 2 || update[n - 2].first_ns < key_sent_time(&keys[n - 1]))
		return false;
	pause = PAUSE_PERIODS * (keys[n - 1].due_ns - keys[0].due_ns) / (int64_t)(n - 1);
	return update[n - 1].first_ns - update[n - 2].first_ns > pause;
}

/* Pairs the i-th update with the i-th key. False, with nothing changed, if an update began before its key: the equal numbers of
 * both are a coincidence; or if they may be one. */
static bool pair_in_order(struct key_times *keys, size_t n, const struct pair_update *update)
{
	for (size_t i = 0; i < n; i++)
		if (update[i].first_ns < key_sent_time(&keys[i]))
			return false;
	if (ends_after_pause(keys, n, update))
		return false;
	for (size_t i = 0; i < n; i++) {
		keys[i].answer_ns = keys[i].high_ns = update[i].first_ns;
		keys[i].exact = true;
	}
	return true;
}

/* Index of the first update, from `next` on, whose last change was not before the key was sent: no earlier one can answer it. */
static size_t find_answering_update(const struct pair_update *update, size_t m, size_t next, const struct key_times *key)
{
	while (next < m && update[next].last_ns < key_sent_time(key))
		next++;
	return next;
}

/* Sets the late end to the last change of update `last`, the latest possible one. */
static void set_late_end(struct key_times *key, const struct pair_update *update, size_t m, size_t last, enum pair_drain drain,
			 int64_t end_ns)
{
	key->high_ns = key->censored_ns = 0;
	if (last >= m && drain == PAIR_CUT)
		key->censored_ns = end_ns; /* the answer may still have been on the way */
	else
		key->high_ns = update[last < m ? last : m - 1].last_ns;
	if (key->high_ns && key->high_ns < key->answer_ns)
		key->high_ns = key->answer_ns;
}

void pair_block_updates(struct key_times *keys, size_t n, const struct pair_update *update, size_t m, enum pair_drain drain,
			int64_t end_ns)
{
	size_t gone = 0, surplus, next = 0, begun;

	for (size_t i = 0; i < n; i++)
		clear_answer(&keys[i]);
	while (gone < n && key_sent_time(&keys[gone]) != INT64_MAX)
		gone++;
	for (size_t i = gone; i < n; i++)
		keys[i].censored_ns = end_ns;
	if (!gone)
		return;
	next = find_answering_update(update, m, 0, &keys[0]);
	update += next;
	m -= next;
	if (m == gone && drain == PAIR_DRAINED && pair_in_order(keys, gone, update))
		return;
	/* an update that had begun before the first key may be without a key */
	begun = m && update[0].first_ns < key_sent_time(&keys[0]);
	surplus = (m - begun > gone ? m - begun - gone : 0) + begun;
	next = 0;
	for (size_t i = 0; i < gone; i++) {
		struct key_times *key = &keys[i];

		next = find_answering_update(update, m, next, key);
		if (next == m) {
			key->censored_ns = end_ns;
			continue;
		}
		key->answer_ns = update[next].first_ns < key_sent_time(key) ? key_sent_time(key) : update[next].first_ns;
		set_late_end(key, update, m, i + surplus > next ? i + surplus : next, drain, end_ns);
	}
}

bool pair_expects_stray(double noise_per_s, int64_t ns)
{
	return -expm1(-noise_per_s * (double)ns / 1e9) > PAIR_STRAY_LIKELY;
}

void pair_narrow_ranges(struct key_times *keys, size_t n, const struct pair_update *update, size_t m, enum pair_drain drain,
			int64_t end_ns)
{
	size_t next = 0;

	for (size_t i = 0; i < n; i++) {
		if (keys[i].exact || !keys[i].answer_ns)
			continue;
		next = find_answering_update(update, m, next, &keys[i]);
		set_late_end(&keys[i], update, m, next + PAIR_COALESCING_BEYOND, drain, end_ns);
	}
}

bool pair_merge_change(struct pair_merger *m, int64_t at_ns, int64_t gap_ns, int64_t longest_ns)
{
	bool fresh = !m->last_ns || at_ns - m->last_ns >= gap_ns || at_ns - m->first_ns >= longest_ns;

	if (fresh)
		m->first_ns = at_ns;
	m->last_ns = at_ns;
	return fresh;
}
