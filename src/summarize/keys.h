/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys - the samples of one train as keyrepeat wrote them (schema keys/1).
 *
 * Columns are found by name, so a file with more of them is read too. Times are CLOCK_MONOTONIC nanoseconds. */
#ifndef THINPROBE_SUMMARIZE_KEYS_H
#define THINPROBE_SUMMARIZE_KEYS_H

#include "run_folder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define KEY_NONE ROWS_IN_NONE	/* an empty cell */

struct key {
	int64_t due, sent;
	int64_t answer;		/* when the echo was there; with a range, its early end */
	int64_t answer_high;	/* the range's late end; KEY_NONE: exact */
	int64_t censored;	/* there was no echo by then */
	int64_t number;		/* from 1, skipped keys counted; KEY_NONE in a file that does not say */
};

struct keys {
	struct key *key;	/* owned; without those the train skipped (its warm-up) */
	size_t n, skipped;
	bool ranged;		/* some answer is a range: wire-only pairing */
};

/* samples.tsv of keyrepeat, or of ping: then a key is due at 0 and answered after the round trip, and of one that was lost nothing
 * is known. Rows add to a struct keys, which starts all zero. */
extern const struct rows_kind keys_rows;
void keys_free(struct keys *k);

bool key_exact(const struct key *k);	/* answered, and known exactly when */
/* Latency from the due time. False: nothing is known of this key. `later`: only that it is later than that. */
bool key_latency(const struct key *k, bool high, int64_t *ns, bool *later);

#endif
