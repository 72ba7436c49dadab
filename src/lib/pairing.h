/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pairing - finds the screen update that answers each key.
 *
 * With a patch (patch.h) this is exact: number n answers all keys up to n. From updates alone, of pixels or on the network, it is a
 * range (docs/method.md, "Pairing"), exact only if a drained block has as many updates as keys. Pure. */
#pragma once

#include "keys.h"

/* A number that the patch showed, and when. */
struct shown_number {
	int64_t at_ns;
	uint32_t number; /* modulo 2^24 */
};

/* The count that the patch stands for with this number, minus the number before the first key: the nearest to `near`. */
int64_t pair_unwrap_number(int64_t near, uint32_t number);
/* Pairs the keys of a train, in the order of sending, with the numbers of the patch (ascending times). `base`: the number
 * shown before the first key. Keys unanswered at end_ns are censored there. Returns how often a number was higher than the
 * keys sent by then: another user types, or numbers from before the train were still arriving. */
size_t pair_patch_numbers(struct key_times *keys, size_t n, const struct shown_number *shown, size_t m, uint32_t base,
			  int64_t end_ns);

enum pair_drain {
	PAIR_DRAINED, /* no updates at the end of the block: every answer has arrived */
	PAIR_NOISY,   /* the display never stops updating: answers have most likely arrived */
	PAIR_CUT      /* the block ended while answers may still have been on the way */
};

/* Changes that belong together. Its time is that of its first change, but any later one may have been the answer to a key that was
 * sent meanwhile. */
struct pair_update {
	int64_t first_ns, last_ns;
	bool stray; /* where echoes do not come */
};

/* Pairs one block of keys with updates (ascending). Updates that ended before the first key was sent are ignored. Of a key without
 * an exact pair, answer_ns is a true lower bound: the begin of the first update that went on after the key was sent, or the time of
 * sending if that update had begun before; high_ns is the last change of the latest possible update. */
void pair_block_updates(struct key_times *keys, size_t n, const struct pair_update *update, size_t m, enum pair_drain drain,
			int64_t end_ns);

/* Probability of an update without a key (stray) up to which updates of a block are still paired one to one. */
#define PAIR_STRAY_LIKELY 0.05
/* Whether a stray update within `ns` is more probable than that, at a rate of noise_per_s. */
bool pair_expects_stray(double noise_per_s, int64_t ns);

/* For applications that answer several keys with one update (an assumption of the user): narrows the ranges of
 * pair_block_updates() to those from the next update after the key to the next but two. To be called after
 * pair_block_updates(), with the same updates; exact keys are not changed. */
#define PAIR_COALESCING_BEYOND 2
void pair_narrow_ranges(struct key_times *keys, size_t n, const struct pair_update *update, size_t m, enum pair_drain drain,
			int64_t end_ns);

/* Merges changes of the screen into updates: changes less than gap_ns apart belong together, up to longest_ns. The time of
 * an update is that of its first change. Starts all zero. */
struct pair_merger {
	int64_t first_ns, last_ns;
};
/* Adds a change at at_ns. True: it begins a new update. */
bool pair_merge_change(struct pair_merger *m, int64_t at_ns, int64_t gap_ns, int64_t longest_ns);
