// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures.h"
#include "binomial.h"
#include "memory.h"
#include "plan.h"

#include <math.h>

#define LEFT_LATE_NS (10 * NS_PER_MS) /* later than what polling, or a caret that blinks meanwhile, may take */

/* Index of the first update that did not begin before from_ns. */
static size_t find_update_at(const struct observations *seen, int64_t from_ns)
{
	size_t low = 0, high = seen->updates;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (seen->update[middle].first_ns < from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Pairs keys with updates by the position of a terminal's caret. False: the changes are not those of a caret. */
static bool pair_caret(struct key_train *t, const struct observations *seen)
{
	struct shown_number *shown = memory_new(seen->steps, sizeof(*shown));
	size_t sent = 0, steps = 0;
	bool known;

	for (size_t i = 0; i < t->due; i++)
		sent += t->key[i].sent_ns != 0;
	if (!seen->steps_lost && sent == t->due)
		steps = caret_count_shown(seen->step, seen->steps, sent, shown);
	known = steps && !pair_patch_numbers(t->key, t->due, shown, steps, 0, t->end_ns);
	free(shown);
	return known;
}

/* True if a key had no answer when the next one was sent, although keys are sent one by one: it may never have one. */
static bool block_gave_up(const struct key_train *t, const struct key_train_block *b)
{
	return t->one_by_one && b->n > 1 && t->key[b->first + 1].sent_ns;
}

/* A drained block counts as noisy where an update without a key is likely, or a key without an update: as many updates as keys then
 * does not prove one update for each key. */
static enum pair_drain pairing_drain(const struct figures_cfg_of_train *cfg, const struct key_train *t,
				     const struct key_train_block *b)
{
	bool proven = !block_gave_up(t, b) && !pair_expects_stray(cfg->noise_per_s, b->end_ns - b->begin_ns);

	return b->drain == PAIR_DRAINED && !proven ? PAIR_NOISY : b->drain;
}

/* Keys that were surely counted, not lost: those sent before the last picture that showed all keys sent by then. */
static size_t count_keys_not_lost(const struct key_train *t, const struct observations *seen)
{
	size_t gone = 0, sure = 0;

	for (size_t j = 0; j < seen->shows; j++) {
		while (gone < t->due && key_sent_time(&t->key[gone]) <= seen->shown[j].at_ns)
			gone++;
		if (((seen->shown[j].number - t->base) & 0xffffffu) == gone)
			sure = gone;
	}
	return sure;
}

/* Returns how often the patch was ahead of the keys sent. If it counted more or fewer keys in the end, others typed, or keys were
 * lost; which ones is not known. The late ends are those if all keys of others came first, the early ends if all lost ones did. */
static size_t pair_patch(struct key_train *t, const struct observations *seen)
{
	size_t shows = seen->shows, ahead = pair_patch_numbers(t->key, t->due, seen->shown, shows, t->base, t->end_ns);
	struct key_times *other;
	uint32_t more;
	bool fewer;

	if (!shows)
		return ahead;
	other = memory_new(t->due, sizeof(*other));
	more = seen->shown[shows - 1].number - t->base;
	for (size_t i = 0; i < t->due; i++) {
		other[i] = t->key[i];
		more -= key_sent_time(&t->key[i]) != INT64_MAX;
	}
	more &= 0xffffffu;
	fewer = more > 0x7fffffu;
	/* an application that still counts in the end may only be slow */
	if (fewer && (t->end != SENDER_COMPLETE || t->end_ns - seen->shown[shows - 1].at_ns < NS_PER_S))
		more = 0;
	pair_patch_numbers(other, t->due, seen->shown, shows, t->base + more, t->end_ns);
	for (size_t i = fewer && more ? count_keys_not_lost(t, seen) : 0; i < t->due && more; i++) {
		struct key_times *key = &t->key[i];

		if (fewer) {
			key->answer_ns = other[i].answer_ns;
		} else {
			key->high_ns = other[i].high_ns;
			key->censored_ns = other[i].censored_ns;
		}
		key->exact = key->exact && !fewer && key->high_ns == key->answer_ns;
	}
	free(other);
	return ahead;
}

/* Makes the answer of a key a range. high_ns 0: no late end is known. */
static void set_late_end(const struct key_train *t, struct key_times *key, int64_t high_ns)
{
	key->exact = false;
	key->high_ns = high_ns;
	key->censored_ns = high_ns ? 0 : t->block[t->blocks - 1].end_ns;
}

/* The keys up to the last one that was sent. */
static size_t count_sent_keys(const struct key_train *t, size_t keys)
{
	while (keys && !t->key[keys - 1].sent_ns)
		keys--;
	return keys;
}

/* Widens late ends after keys that were given up. Such a key, if no update accounts for it, was dropped, or its update comes with
 * the next key. Then each later update may answer the key before, up to the end of the train; also if the number of updates catches
 * up, since one of them may be without a key. A stray update accounts for none: it was taken for an answer that came later, until
 * a key has one more. */
static void widen_after_owed(struct key_train *t, const struct observations *seen, struct train_figures *f)
{
	size_t owed = 0, taken = 0;

	for (size_t b = 0; b < t->blocks; b++) {
		const struct key_train_block *block = &t->block[b];
		size_t from = find_update_at(seen, block->begin_ns), to = find_update_at(seen, block->end_ns), echoes = 0, missing;

		for (size_t u = from; u < to; u++)
			echoes += !seen->update[u].stray;
		missing = block->n > echoes ? block->n - echoes : 0;
		if (echoes < to - from)
			taken += missing;
		else if (taken && echoes > block->n)
			taken--;
		for (size_t i = block->first; owed + taken && i < block->first + block->n && i < t->due; i++) {
			struct key_times *key = &t->key[i];

			if (key->high_ns)
				set_late_end(t, key, i + owed + taken < t->due ? t->key[i + owed + taken].high_ns : 0);
		}
		/* (an update that was left out later, as it came by itself, had been taken for the answer) */
		if (echoes == to - from && missing && !(echoes && !block_gave_up(t, block)) && b + 1 < t->blocks)
			owed += missing;
		f->owed = owed + taken;
	}
}

#define STRAYS_IN_WAIT 0.25 /* expected updates without a key (--noise) in a wait, above which they may end it */

#define STRAYS_IN_CONTROL 2 /* updates while the display is watched without keys, from which on those before may be no answers */

/* True if updates of the display itself may have been taken for answers: the display still changed at the end of the train (an
 * interrupted train does not wait for rest; there it had more updates than keys); or half of the waits are so long that updates
 * without a key may have ended them. */
static bool display_is_restless(const struct figures_cfg_of_train *cfg, const struct key_train *t, const struct observations *seen)
{
	size_t long_waits = 0;
	const struct key_train_block *last = &t->block[t->blocks - 1];
	size_t end = find_update_at(seen, last->end_ns);
	size_t updates = end - find_update_at(seen, t->block[0].begin_ns), keys = count_sent_keys(t, last->first + last->n);

	for (size_t i = 0; i < keys; i++) {
		int64_t until = t->key[i].high_ns ? t->key[i].high_ns : t->key[i].answer_ns;

		long_waits += until && (double)(until - t->key[i].sent_ns) * cfg->noise_per_s > STRAYS_IN_WAIT * NS_PER_S;
	}
	if (2 * long_waits > keys)
		return true;
	return last->drain == PAIR_CUT && updates && last->end_ns - seen->update[end - 1].last_ns < NS_PER_S &&
	       (t->end == SENDER_COMPLETE || (double)updates > (1 + PAIR_STRAY_LIKELY) * (double)keys);
}

static void drop_late_ends(struct key_train *t)
{
	for (size_t i = 0; i < t->due; i++)
		if (t->key[i].high_ns)
			set_late_end(t, &t->key[i], 0);
}

/* A window in front of what is watched changes the picture, and hides echoes. */
static void drop_covered_ends(struct key_train *t, int64_t covered_ns)
{
	for (size_t i = 0; i < t->due && t->blocks && covered_ns; i++)
		if (t->key[i].high_ns >= covered_ns)
			set_late_end(t, &t->key[i], 0);
}

/* In a train of keys sent one by one, only the last key is followed by rest. If the display changed more than once after it, and
 * there were more updates than keys, the application may draw more than once for a key, and later than the next key: then any key
 * may have been answered as late as the last change after the last key. */
static void widen_to_redraw(struct key_train *t, const struct observations *seen)
{
	const struct key_train_block *last = &t->block[t->blocks - 1];
	int64_t sent = key_sent_time(&t->key[last->first]), redraw;
	size_t keys = last->first + 1, end = find_update_at(seen, last->end_ns);
	size_t updates = end - find_update_at(seen, t->block[0].begin_ns);

	if (last->n != 1 || last->drain != PAIR_DRAINED || end < find_update_at(seen, sent) + 2 ||
	    (double)updates <= (1 + PAIR_STRAY_LIKELY) * (double)keys)
		return;
	redraw = seen->update[end - 1].last_ns - sent;
	for (size_t i = 0; i < keys; i++) {
		struct key_times *key = &t->key[i];
		size_t at = key->high_ns ? find_update_at(seen, key->sent_ns + redraw) : end;
		int64_t latest = seen->update[at < end ? at : end - 1].last_ns;

		key->exact = false;
		if (key->high_ns && key->high_ns < latest)
			key->high_ns = latest;
	}
}

/* Pairs keys that are erased: each was sent when the one before was answered, by an update of what it types. */
static void pair_erased(struct key_train *t, const struct observations *seen)
{
	for (size_t i = 0; i < t->due; i++) {
		struct key_times *key = &t->key[i];
		size_t at = find_update_at(seen, key_sent_time(key)),
		       end = i + 1 < t->due && t->key[i + 1].sent_ns ? find_update_at(seen, t->key[i + 1].sent_ns) : seen->updates;

		key->answer_ns = key->high_ns = key->censored_ns = 0;
		key->exact = key->coalesced = false;
		if (!key->sent_ns || at >= end) {
			key->censored_ns = t->end_ns;
			continue;
		}
		key->answer_ns = key->high_ns = seen->update[at].first_ns;
		key->exact = seen->update[at].last_ns - key->answer_ns <= OBSERVATIONS_GAP_NS;
		if (!key->exact)
			key->high_ns = seen->update[at].last_ns;
	}
}

static void pair_train(const struct figures_cfg_of_train *cfg, struct key_train *t, const struct observations *seen,
		       struct train_figures *f)
{
	if (t->erased) {
		pair_erased(t, seen);
		return;
	}
	if (cfg->watch == WATCH_PATCH)
		f->ahead = pair_patch(t, seen);
	else if (cfg->watch == WATCH_UPDATE)
		f->caret = pair_caret(t, seen);
	if (f->caret)
		return;
	for (size_t b = 0; cfg->watch == WATCH_UPDATE && b < t->blocks; b++) {
		const struct key_train_block *block = &t->block[b];
		size_t from = find_update_at(seen, block->begin_ns);
		size_t to = find_update_at(seen, block->end_ns);
		size_t n = block->first < t->due ? t->due - block->first : 0;

		/* an update that had begun before the block may have gone on in it */
		from -= from > 0 && seen->update[from - 1].last_ns >= block->begin_ns;
		pair_block_updates(&t->key[block->first], n < block->n ? n : block->n, seen->update + from, to - from,
				   pairing_drain(cfg, t, block), block->end_ns);
		if (!block_gave_up(t, block))
			continue;
		for (size_t i = block->first; i < block->first + block->n; i++) {
			t->key[i].high_ns = 0;
			t->key[i].censored_ns = block->end_ns;
		}
	}
	if (cfg->watch != WATCH_UPDATE || !t->blocks)
		return;
	if (t->one_by_one)
		widen_after_owed(t, seen, f);
	/* after the last key the display went on to change, at places that had not changed by themselves before */
	f->restless = t->strays >= STRAYS_IN_CONTROL || (t->one_by_one && display_is_restless(cfg, t, seen));
	if (f->restless)
		drop_late_ends(t);
	else if (t->one_by_one)
		widen_to_redraw(t, seen);
}

/* Leaves out the last keys of an interrupted train that have waited no longer than the slowest answer took, or than the threshold:
 * their missing answers are no information. Returns their number. */
static size_t drop_in_flight(const struct figures_cfg_of_train *cfg, struct key_train *t)
{
	int64_t longest = cfg->threshold_ns;
	size_t due = t->due;

	if (t->end != SENDER_INTERRUPTED || cfg->watch == WATCH_NONE)
		return 0;
	for (size_t i = 0; i < t->due; i++)
		if (t->key[i].answer_ns && t->key[i].answer_ns - t->key[i].due_ns > longest)
			longest = t->key[i].answer_ns - t->key[i].due_ns;
	while (t->due && !t->key[t->due - 1].answer_ns && t->end_ns - t->key[t->due - 1].due_ns <= longest)
		t->due--;
	return due - t->due;
}

/* Sets the earliest possible answers of keys that had to wait for their turn, or never had one. A server that answers in order
 * answers no key before the one that was sent before the key was due. If that was answered by then, only the probe was late: the
 * answer could have come as fast as it did from sending. If that may never be answered, it could have come at once. */
static void set_earliest_answers(struct key_train *t)
{
	const struct key_times *before = NULL; /* the last key that was sent before this one was due */
	size_t next = 0;

	for (size_t i = 0; i < t->due && t->one_by_one; i++) {
		struct key_times *key = &t->key[i];

		while (next < i && t->key[next].sent_ns && t->key[next].sent_ns <= key->due_ns)
			before = &t->key[next++];
		if (key->sent_ns && key->sent_ns - key->due_ns <= PACE_HELD_NS)
			continue;
		if (before && !before->censored_ns && before->answer_ns > key->due_ns)
			key->earliest_ns = before->answer_ns;
		else if (!key->answer_ns || (before && before->censored_ns))
			key->earliest_ns = key->due_ns;
		else
			key->earliest_ns = key->due_ns + key->answer_ns - key->sent_ns;
	}
}

/* Widens the answers of autorepeats. The time at which an X display repeated a held key is not known: the display falls behind the
 * due times by its own timer, and leaves repeats out. A repeat was answered no earlier than it was due, and no later than found. */
static void widen_to_repeats(struct key_train *t)
{
	bool any = false;

	for (size_t i = 0; i < t->due; i++)
		any = any || t->key[i].answer_ns;
	for (size_t i = 0; i < t->due && any; i++)
		if (t->key[i].repeated) {
			t->key[i].answer_ns = t->key[i].due_ns;
			t->key[i].exact = false;
		}
}

static void add_key_figures(const struct figures_cfg_of_train *cfg, const struct key_times *key, struct train_figures *f)
{
	f->keys_due++;
	f->keys_sent += key->sent_ns || key->repeated;
	if (key->sent_ns)
		sample_add(&f->lateness, key->sent_ns - key->due_ns);
	if (cfg->watch == WATCH_NONE)
		return;
	f->keys_answered += key->answer_ns && !key->censored_ns;
	f->keys_in_doubt += key->answer_ns && key->censored_ns;
	f->keys_exact += key->exact;
	f->coalesced += key->coalesced;
	key_add_latency(key, KEY_FROM_DUE | KEY_EARLY, &f->from_due);
	key_add_latency(key, KEY_FROM_SENT | KEY_EARLY, &f->from_sent);
	key_add_latency(key, KEY_FROM_DUE | KEY_LATE, &f->high);
	key_add_latency(key, KEY_FROM_SENT | KEY_LATE, &f->sent_high);
	f->late += key_is_late(key, KEY_EARLY, cfg->threshold_ns);
	f->late_high += key_is_late(key, KEY_LATE, cfg->threshold_ns);
}

/* When the latest update that began before `at_ns` changed the display last (an answer's time is that of the first change);
 * 0: there is none. */
static int64_t find_change_before(const struct observations *seen, int64_t at_ns)
{
	size_t after = find_update_at(seen, at_ns);

	return after ? seen->update[after - 1].last_ns : 0;
}

/* Counts a key that was sent late, though the one before was answered and the display at rest. `before` NULL: the first key. */
static void count_left_late(const struct key_times *key, const struct key_times *before, const struct observations *seen,
			    struct train_figures *f)
{
	int64_t rest = find_change_before(seen, key->sent_ns) + OBSERVATIONS_GAP_NS;
	int64_t late = key->sent_ns - (rest > key->due_ns ? rest : key->due_ns);

	if (!key->sent_ns || (before && (!before->answer_ns || before->censored_ns)) || late <= LEFT_LATE_NS)
		return;
	f->left_late++;
	if (late > f->left_late_max_ns)
		f->left_late_max_ns = late;
}

static void add_gap(const struct figures_cfg_of_train *cfg, struct train_figures *f, int64_t gap_ns)
{
	int64_t stall = gap_ns - cfg->period_ns;

	sample_add(&f->interarrival, gap_ns);
	sample_add(&f->stall, stall);
	f->stalls += stall > 0;
	if (gap_ns > f->largest_gap_ns)
		f->largest_gap_ns = gap_ns;
}

/* Counts the updates and gaps of one block from its first key that counts. Gaps between blocks are caused by the schedule. */
static void add_block_updates(const struct figures_cfg_of_train *cfg, const struct key_train *t, const struct key_train_block *b,
			      const struct observations *seen, struct train_figures *f)
{
	size_t due = t->due > b->first ? t->due - b->first : 0, n = due < b->n ? due : b->n, skip = 0;
	const struct key_times *key = &t->key[b->first];
	size_t begin, from, to;
	int64_t end, open_end;

	while (skip < n && key[skip].skipped)
		skip++;
	if (skip == n || key_sent_time(&key[skip]) == INT64_MAX)
		return;
	end = key[n - 1].high_ns ? key[n - 1].high_ns : b->end_ns; /* later updates answer no key */
	begin = find_update_at(seen, b->begin_ns);
	from = find_update_at(seen, key_sent_time(&key[skip]));
	/* start at the update that answered the first key, so that late echoes of skipped keys do not count */
	if (key[skip].answer_ns)
		from = find_update_at(seen, key[skip].answer_ns + 1);
	if (key[skip].answer_ns && from > begin)
		from--;
	to = find_update_at(seen, end + 1);
	f->updates += to > from ? to - from : 0;
	/* the first gap begins at the update before, the echo of a skipped key, if there is one */
	for (size_t i = from > begin ? from : begin + 1; i < to; i++)
		add_gap(cfg, f, seen->update[i].first_ns - seen->update[i - 1].first_ns);
	/* if the last key was never answered, the time from the last update to the end is a gap, too; to its due time, if the
	 * display was to repeat it and perhaps did not */
	open_end = key[n - 1].repeated ? key[n - 1].due_ns : b->end_ns;
	if (n && !key[n - 1].high_ns && to > begin && open_end - seen->update[to - 1].first_ns > f->largest_gap_ns)
		f->largest_gap_ns = open_end - seen->update[to - 1].first_ns;
}

/* True if one of the keys that were sent one by one was given up, so that the probe made later keys and updates wait. */
static bool has_given_up_keys(const struct key_train *t, const struct train_figures *f)
{
	return t->one_by_one && t->blocks && !f->caret && t->blocks < t->block[t->blocks - 1].first + t->block[t->blocks - 1].n;
}

/* Keys sent one by one are one train to the display; at a period that was made longer, gaps are those of the schedule. */
static void add_single_updates(const struct figures_cfg_of_train *cfg, const struct key_train *t, const struct observations *seen,
			       struct train_figures *f)
{
	const struct key_train_block *last = &t->block[t->blocks - 1];
	struct key_train_block all = { 0, last->first + last->n, t->block[0].begin_ns, last->end_ns, last->drain };

	add_block_updates(cfg, t, &all, seen, f);
	if (t->period_ns == cfg->period_ns && !has_given_up_keys(t, f) && !f->restless)
		return;
	f->interarrival.n = f->stall.n = f->stalls = 0;
	f->largest_gap_ns = -1;
}

/* Computes the backlog from the earliest possible answers. A key without an answer counts as answered with the next key that has
 * one: otherwise it would stay in the queue to the end. */
static void compute_backlog(const struct key_train *t, struct train_figures *f)
{
	int64_t *due = memory_new(2 * t->due, sizeof(*due)), *answer = due + t->due;

	for (size_t i = 0; i < t->due; i++) {
		const struct key_times *key = &t->key[i];

		due[i] = key->due_ns;
		answer[i] = key->answer_ns && !key->censored_ns ? key->answer_ns : INT64_MAX;
	}
	for (size_t i = t->due; i-- > 1;)
		if (answer[i - 1] > answer[i])
			answer[i - 1] = answer[i];
	backlog_judge(due, answer, t->due, &f->backlog);
	free(due);
}

#define ASSUMED_STALL_NS (NS_PER_S / 2) /* where no key is late */

static double bound_late_percent(const struct figures_cfg_of_train *cfg, const struct key_train *t)
{
	struct binomial_runs runs = { 0 };

	for (size_t i = 0; i < t->due; i++)
		if (!t->key[i].skipped)
			binomial_runs_add(&runs, key_is_late(&t->key[i], KEY_LATE, cfg->threshold_ns));
	return 100 * binomial_runs_bound(&runs, ASSUMED_STALL_NS / (double)t->period_ns);
}

/* True if the answers to the last keys may be on the way: updates still came in the end. Where the display rests for longer than it
 * ever did between updates, there is no queue: unanswered keys are lost. */
static bool updates_still_come(const struct key_train *t, const struct observations *seen)
{
	const struct key_train_block *last = &t->block[t->blocks - 1];
	size_t from = find_update_at(seen, t->block[0].begin_ns), end = find_update_at(seen, last->end_ns);
	int64_t longest = NS_PER_S / 2;

	for (size_t i = from + 1; i < end; i++)
		if (seen->update[i].first_ns - seen->update[i - 1].first_ns > longest)
			longest = seen->update[i].first_ns - seen->update[i - 1].first_ns;
	return end > from && last->end_ns - seen->update[end - 1].last_ns < 2 * longest;
}

/* Finds what was lost, once `t->end` is SENDER_COMPLETE. */
static void find_lost_keys(const struct key_train *t, const struct observations *seen, struct train_figures *f)
{
	size_t silent = t->due;

	if (t->end != SENDER_COMPLETE || !t->due || !t->blocks || updates_still_come(t, seen))
		return;
	while (silent && !t->key[silent - 1].answer_ns)
		silent--;
	if (silent == t->due)
		return;
	f->backlog.overloaded = false;
	f->silent_ns = key_sent_time(&t->key[silent]) - t->key[0].due_ns;
	for (size_t i = 0; i < t->due; i++)
		f->lost += t->key[i].sent_ns && !t->key[i].answer_ns && !t->key[i].skipped;
}

static double compute_typed_pace(const struct key_train *t)
{
	int64_t first = 0, last = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->due; i++) {
		if (t->key[i].skipped || !t->key[i].sent_ns)
			continue;
		first = n++ ? first : t->key[i].sent_ns;
		last = t->key[i].sent_ns;
	}
	return n > 1 && last > first ? (double)(n - 1) * NS_PER_S / (double)(last - first) : (double)NAN;
}

void figures_compute(const struct figures_cfg_of_train *cfg, struct key_train *train, const struct observations *seen,
		     struct train_figures *out)
{
	double positive = 0;

	*out = (struct train_figures){
		.largest_gap_ns = -1, .typed_per_s = NAN, .backlog = { NAN, false }, .mean_positive_ns = NAN
	};
	pair_train(cfg, train, seen, out);
	drop_covered_ends(train, seen->covered_ns);
	out->in_flight = drop_in_flight(cfg, train);
	widen_to_repeats(train);
	set_earliest_answers(train);
	for (size_t i = 0; i < train->due; i++) {
		out->any_answer = out->any_answer || train->key[i].answer_ns;
		if (train->key[i].skipped)
			out->keys_skipped++;
		else
			add_key_figures(cfg, &train->key[i], out);
		if (train->one_by_one && !train->key[i].skipped)
			count_left_late(&train->key[i], i ? &train->key[i - 1] : NULL, seen, out);
	}
	out->typed_per_s = compute_typed_pace(train);
	out->late_percent = out->keys_due ? 100.0 * (double)out->late / (double)out->keys_due : NAN;
	out->late_high_percent = out->keys_due ? 100.0 * (double)out->late_high / (double)out->keys_due : NAN;
	if (cfg->watch == WATCH_NONE)
		return;
	out->late_bound_percent = bound_late_percent(cfg, train);
	if (!train->blocks) { /* no keys were sent: all updates count */
		size_t from = find_update_at(seen, train->begin_ns);

		out->updates = seen->updates - from;
		for (size_t i = from + 1; i < seen->updates; i++)
			add_gap(cfg, out, seen->update[i].first_ns - seen->update[i - 1].first_ns);
	}
	for (size_t b = 0; b < train->blocks && !train->one_by_one; b++)
		add_block_updates(cfg, train, &train->block[b], seen, out);
	if (train->one_by_one && train->blocks)
		add_single_updates(cfg, train, seen, out);
	out->updates_per_key = out->keys_sent ? (double)out->updates / (double)out->keys_sent : NAN;
	for (size_t i = 0; i < out->stall.n; i++)
		positive += out->stall.value[i] > 0 ? (double)out->stall.value[i] / (double)out->stall.n : 0;
	if (out->stall.n)
		out->mean_positive_ns = positive;
	if (!has_given_up_keys(train, out) && !out->restless && !seen->covered_ns)
		compute_backlog(train, out);
	find_lost_keys(train, seen, out);
	out->backlog.overloaded |= train->unsent > 0;
}

void figures_free(struct train_figures *f)
{
	sample_free(&f->lateness);
	sample_free(&f->from_due);
	sample_free(&f->from_sent);
	sample_free(&f->high);
	sample_free(&f->sent_high);
	sample_free(&f->interarrival);
	sample_free(&f->stall);
}
