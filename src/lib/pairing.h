/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pairing - finds the screen update that answers each key.
 *
 * With a patch (patch.h) this is exact: number n answers all keys up to n. From updates alone, of pixels or on the network, it is a
 * range (docs/method.md, "Pairing"), exact only if a drained block has as many updates as keys. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One key. Times in ns, all of the same clock; 0: not known, or did not happen. */
struct times_of_paired_key {
	int64_t due_ns;
	int64_t sent_ns;
	int64_t answer_ns;	/* time of the answer, or the earliest possible one */
	int64_t high_ns;	/* the latest possible time of the answer */
	int64_t censored_ns;	/* answered later than this, if at all; with answer_ns set, only the latest time is unknown */
	int64_t earliest_ns;	/* earliest possible answer, had the key not had to wait for its turn; 0: it did not wait */
	bool skipped;		/* a warm-up key: paired, but left out of statistics */
	bool repeated;		/* hold mode: an autorepeat of the display at about due_ns; sent_ns is not known */
	bool exact;		/* answer_ns is the answer, not a bound */
	bool coalesced;		/* the same update answered a later key, too */
};

/* When the key was sent: sent_ns; due_ns for an autorepeat of the display; INT64_MAX if it was never sent. */
int64_t pair_key_sent_ns(const struct times_of_paired_key *key);

/* A number that the patch showed, and when. */
struct shown_patch_number {
	int64_t at_ns;
	uint32_t number;	/* modulo 2^24 */
};

/* Pairs the keys of a train, in the order of sending, with the numbers of the patch (ascending times). `base`: the number
 * shown before the first key. Keys unanswered at end_ns are censored there. Returns how often a number was higher than the
 * keys sent by then: another user types, or numbers from before the train were still arriving. */
size_t pair_keys_with_patch_numbers(struct times_of_paired_key *keys, size_t n, const struct shown_patch_number *shown, size_t m,
				    uint32_t base, int64_t end_ns);

enum pair_drain {
	PAIR_DRAINED,		/* no updates at the end of the block: every answer has arrived */
	PAIR_NOISY,		/* the display never stops updating: answers have most likely arrived */
	PAIR_CUT		/* the block ended while answers may still have been on the way */
};

/* Changes that belong together. Its time is that of its first change, but any later one may have been the answer to a key that was
 * sent meanwhile. */
struct pair_update {
	int64_t first_ns, last_ns;
};

/* Pairs one block of keys with updates (ascending). Updates that ended before the first key was sent are ignored. Of a key without
 * an exact pair, answer_ns is a true lower bound: the begin of the first update that went on after the key was sent, or the time of
 * sending if that update had begun before; high_ns is the last change of the latest possible update. */
void pair_keys_of_block_with_updates(struct times_of_paired_key *keys, size_t n, const struct pair_update *update, size_t m,
				     enum pair_drain drain, int64_t end_ns);

/* Probability of an update without a key (stray) up to which updates of a block are still paired one to one. */
#define PAIR_STRAY_LIKELY 0.05
/* Whether a stray update within `ns` is more probable than that, at a rate of noise_per_s. */
bool pair_is_stray_update_likely(double noise_per_s, int64_t ns);

/* For applications that answer several keys with one update (an assumption of the user): narrows the ranges of
 * pair_keys_of_block_with_updates() to those from the next update after the key to the next but two. To be called after
 * pair_keys_of_block_with_updates(), with the same updates; exact keys are not changed. */
#define PAIR_COALESCING_BEYOND 2
void pair_narrow_ranges_for_coalescing(struct times_of_paired_key *keys, size_t n, const struct pair_update *update, size_t m,
				       enum pair_drain drain, int64_t end_ns);

/* Merges changes of the screen into updates: changes less than gap_ns apart belong together, up to longest_ns. The time of
 * an update is that of its first change. Starts all zero. */
struct pair_update_merger {
	int64_t first_ns, last_ns;
};
/* Adds a change at at_ns. True: it begins a new update. */
bool pair_does_change_begin_update(struct pair_update_merger *m, int64_t at_ns, int64_t gap_ns, int64_t longest_ns);
