// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_join.h"
#include "memory.h"

#include <math.h>

#define LIMIT_NS (10 * NS_PER_S)      /* keyrepeat waits this long for a display to rest, */
#define LIMIT_NOISY_NS (2 * NS_PER_S) /* and only this long with more than NOISY_PER_S updates a second without a key */
#define NOISY_PER_S 0.5

#define EARLY_LEAST_NS (3 * NS_PER_MS) /* before a key, keyrepeat may ask the display where it would go */
#define EARLY_MOST_NS (200 * NS_PER_MS)

const char *const key_join_columns[] = { "kind",   "n",	      "time_ns", "end_ns", "packets",  "bytes", "key",
					 "low_ns", "high_ns", "exact",	 "block",  "captured", NULL };

void key_join_init(struct key_update_join *w, const struct key_join_cfg *cfg)
{
	*w = (struct key_update_join){ .cfg = *cfg };
	if (isnan(cfg->noise_per_s))
		w->cfg.noise_per_s = 0;
	if (cfg->typed)
		w->seen_ns = memory_new(cfg->typed->n, sizeof(*w->seen_ns));
}

void key_join_free(struct key_update_join *w)
{
	free(w->update);
	free(w->seen_ns);
	sample_free(&w->low);
	sample_free(&w->high);
	sample_free(&w->sent_low);
	sample_free(&w->sent_high);
}

static void write_update_row(struct key_update_join *w)
{
	struct row_file *r = w->cfg.rows;

	if (!r || !w->now.n)
		return;
	rows_write_str(r, "update");
	rows_write_ints(r, (int64_t)w->now.n, w->now.first_ns, w->now.last_ns, (int64_t)w->now.packets, (int64_t)w->now.bytes);
	for (int i = 0; i < 4; i++)
		rows_write_empty(r);
	rows_write_time(r, w->now.block);
	rows_write_empty(r);
	rows_end_row(r);
}

static void write_key_row(struct key_update_join *w, size_t i, bool captured)
{
	const struct key_log *t = w->cfg.typed;
	struct row_file *r = w->cfg.rows;
	bool paired = w->cfg.pairing == PAIRING_BLOCKS;

	if (!r)
		return;
	rows_write_str(r, "key");
	rows_write_int(r, (int64_t)i + 1);
	rows_write_time(r, w->seen_ns[i]);
	for (int k = 0; k < 3; k++)
		rows_write_empty(r);
	rows_write_int(r, t->key[i].number);
	rows_write_times(r, t->key[i].answer_ns, t->key[i].high_ns);
	rows_write_count(r, paired ? t->key[i].exact : -1);
	rows_write_time(r, t->block[i]);
	rows_write_count(r, paired ? captured : -1);
	rows_end_row(r);
}

/* Index of the first sent key from `i` on; t->n: none. */
static size_t find_sent_key(const struct key_log *t, size_t i)
{
	while (i < t->n && !t->key[i].sent_ns)
		i++;
	return i;
}

static void count_key_outcome(struct key_update_join *w, const struct key_times *k)
{
	if (k->skipped) {
		w->skipped++;
		return;
	}
	w->keys++;
	w->not_sent += !k->sent_ns;
	w->exact += k->exact;
	w->ranged += k->answer_ns && !k->exact;
	w->unanswered += !k->answer_ns;
	key_add_latency(k, KEY_FROM_DUE | KEY_EARLY, &w->low);
	key_add_latency(k, KEY_FROM_DUE | KEY_LATE, &w->high);
	key_add_latency(k, KEY_FROM_SENT | KEY_EARLY, &w->sent_low);
	key_add_latency(k, KEY_FROM_SENT | KEY_LATE, &w->sent_high);
}

static size_t find_block_end(const struct key_log *t, size_t first)
{
	size_t end = first + 1;

	while (end < t->n && t->block[end] == t->block[first])
		end++;
	return end;
}

/* When key `i` went, or was due to; of the first one of a block, its begin. */
static int64_t key_begin_ns(const struct key_log *t, size_t i)
{
	return t->key[i].sent_ns ? t->key[i].sent_ns : t->key[i].due_ns;
}

/* Time when the last key of the current block was sent; 0: none was sent. */
static int64_t block_last_ns(const struct key_update_join *w)
{
	size_t i = w->end;

	while (i > w->first && !w->cfg.typed->key[i - 1].sent_ns)
		i--;
	return i > w->first ? w->cfg.typed->key[i - 1].sent_ns : 0;
}

/* Whether an update followed the last key, and none came within a second after it. */
static bool has_rested(const struct key_update_join *w, int64_t now_ns)
{
	return w->updates && w->now.last_ns >= block_last_ns(w) && now_ns - w->now.last_ns >= BLOCK_REST_NS;
}

/* Decides how the current block ended, at `end_ns`. */
static enum pair_drain classify_end(struct key_update_join *w, int64_t end_ns)
{
	bool likely;

	if (!block_last_ns(w)) /* no key was sent, so no update answers one */
		return PAIR_NOISY;
	likely = pair_expects_stray(w->cfg.noise_per_s, end_ns - key_begin_ns(w->cfg.typed, w->first));
	w->marked += likely;
	if (has_rested(w, end_ns)) {
		w->drained++;
		return likely ? PAIR_NOISY : PAIR_DRAINED;
	}
	if (end_ns - block_last_ns(w) >= (w->cfg.noise_per_s > NOISY_PER_S ? LIMIT_NOISY_NS : LIMIT_NS))
		return PAIR_NOISY;
	w->cut++;
	return PAIR_CUT;
}

/* Whether the current block is in the capture. It began while the display rested, so its first key usually has a packet of its
 * own. If that key was delayed until the second one was sent, the block counts as captured where the capture had begun before and
 * has a later key. A block without a key that could be sent has nothing to capture. */
static bool is_captured(const struct key_update_join *w)
{
	bool seen = false;

	if (w->seen_ns[w->first])
		return true;
	if (!w->tapped_ns || w->tapped_ns >= key_begin_ns(w->cfg.typed, w->first))
		return false;
	for (size_t i = w->first; i < w->end; i++)
		seen = seen || w->seen_ns[i];
	return seen || !block_last_ns(w);
}

/* Removes the upper ends of latencies after the capture's end has cut a block: further updates may have been under way. */
static void drop_upper_bounds(struct key_times *key, size_t n, int64_t end_ns)
{
	for (size_t i = 0; i < n; i++) {
		if (!key[i].answer_ns)
			continue;
		key[i].high_ns = 0;
		key[i].censored_ns = end_ns;
	}
}

static void end_block(struct key_update_join *w, int64_t end_ns)
{
	struct key_log *t = w->cfg.typed;
	struct key_times *key = &t->key[w->first];
	size_t n = w->end - w->first;
	enum pair_drain drain;

	w->open = false;
	w->blocks++;
	if (!is_captured(w)) {
		w->missed++;
		for (size_t i = w->first; i < w->end; i++) {
			w->missed_keys += !t->key[i].skipped;
			write_key_row(w, i, false);
		}
		return;
	}
	w->unsent += !block_last_ns(w);
	drain = classify_end(w, end_ns);
	pair_block_updates(key, n, w->update, w->updates, drain, end_ns);
	if (w->cfg.assume == ASSUME_COALESCING)
		pair_narrow_ranges(key, n, w->update, w->updates, drain, end_ns);
	if (drain == PAIR_CUT)
		drop_upper_bounds(key, n, end_ns);
	w->paired_updates += w->updates;
	for (size_t i = w->first; i < w->end; i++) {
		/* false: the capture ended before the key. After a rest, the block's end is not that of the capture. */
		bool captured = drain != PAIR_CUT || key_begin_ns(t, i) <= end_ns;

		if (captured)
			count_key_outcome(w, &t->key[i]);
		else
			w->missed_keys += !t->key[i].skipped;
		write_key_row(w, i, captured);
	}
}

static void begin_key_block(struct key_update_join *w, size_t first_key)
{
	w->first = first_key;
	w->end = find_block_end(w->cfg.typed, first_key);
	w->updates = 0;
	w->open = true;
}

/* Ends and begins blocks up to `now_ns`. */
static void advance_blocks(struct key_update_join *w, int64_t now_ns)
{
	const struct key_log *t = w->cfg.typed;

	for (;;) {
		size_t next = w->end;

		/* Updates after the rest and before the next block belong to this block: they may be late answers. The last block ends with its
		 * rest. */
		if (w->open && next == t->n && has_rested(w, now_ns))
			end_block(w, w->now.last_ns + BLOCK_REST_NS);
		if (next == t->n || key_begin_ns(t, next) > now_ns)
			return;
		if (w->open)
			end_block(w, key_begin_ns(t, next));
		begin_key_block(w, next);
	}
}

/* Adds data of the current update to the block, also of one that had begun before the block. */
static void add_block_update(struct key_update_join *w, int64_t now_ns)
{
	if (w->updates && w->latest == w->now.n) {
		w->update[w->updates - 1].last_ns = now_ns;
		return;
	}
	w->latest = w->now.n;
	if (w->updates >= BLOCK_UPDATES_MAX) {
		w->too_many = true;
		return;
	}
	memory_more(w->update, w->updates);
	w->update[w->updates++] = (struct pair_update){ w->now.first_ns, now_ns, false };
}

void key_join_add_update(struct key_update_join *w, uint64_t update, int64_t time_ns, uint64_t bytes)
{
	const struct key_log *t = w->cfg.typed;
	int64_t now = t ? key_log_convert(t, time_ns) : time_ns;

	/* When a hole in a connection is given up, the data behind it comes late; pairing needs ascending times. */
	if (t && now < w->now.last_ns)
		now = w->now.last_ns;
	if (!w->tapped_ns)
		w->tapped_ns = now;
	/* With several connections, data may belong to an older update, already written: the current update gets it. */
	if (t && w->cfg.pairing == PAIRING_BLOCKS)
		advance_blocks(w, now);
	if (update > w->now.n) {
		write_update_row(w);
		w->now = (struct current_update){ .n = update, .first_ns = now, .block = w->open ? t->block[w->first] : 0 };
	}
	w->now.last_ns = now;
	w->now.packets++;
	w->now.bytes += bytes;
	if (w->open)
		add_block_update(w, now);
}

/* Counts blocks before which, while the display rested, input crossed just before the first key was sent: on one clock, it is not
 * that key's. */
static void note_early_input(struct key_update_join *w, int64_t now_ns)
{
	const struct key_log *t = w->cfg.typed;
	int64_t ahead = w->end < t->n ? key_begin_ns(t, w->end) - now_ns : 0;

	if (ahead < EARLY_LEAST_NS || ahead > EARLY_MOST_NS || w->early_first == w->end + 1 ||
	    (w->now.n && now_ns - w->now.last_ns < BLOCK_REST_NS / 2))
		return;
	w->early_first = w->end + 1;
	w->early++;
}

/* A key crosses with the first payload after it was sent, if that comes before the next key was sent. */
void key_join_add_input(struct key_update_join *w, int64_t time_ns)
{
	const struct key_log *t = w->cfg.typed;
	size_t next;
	int64_t now;

	if (!t)
		return;
	now = key_log_convert(t, time_ns);
	if (!w->tapped_ns)
		w->tapped_ns = now;
	if (w->cfg.pairing == PAIRING_BLOCKS)
		note_early_input(w, now);
	while ((next = find_sent_key(t, w->next_key)) < t->n && t->key[next].sent_ns <= now) {
		size_t after = find_sent_key(t, next + 1);

		if (after == t->n || t->key[after].sent_ns > now) {
			if (!w->seen_ns[next])
				w->seen_ns[next] = now;
			return;
		}
		if (w->cfg.pairing == PAIRING_NONE)
			for (size_t i = w->next_key; i < after; i++)
				write_key_row(w, i, false);
		w->next_key = after;
	}
}

void key_join_finish(struct key_update_join *w, int64_t time_ns)
{
	const struct key_log *t = w->cfg.typed;

	if (t && w->cfg.pairing == PAIRING_BLOCKS) {
		int64_t end = key_log_convert(t, time_ns);

		advance_blocks(w, end);
		write_update_row(w);
		if (w->open)
			end_block(w, end);
		while (w->end < t->n) { /* keys due after the capture's end */
			begin_key_block(w, w->end);
			end_block(w, end > t->key[w->end - 1].due_ns ? end : t->key[w->end - 1].due_ns);
		}
	} else {
		write_update_row(w);
		for (size_t i = w->next_key; t && i < t->n; i++)
			write_key_row(w, i, false);
	}
}
