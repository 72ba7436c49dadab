/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key_join - joins updates and typed keys in the order of time: one row for each, and which update answers which key.
 *
 * Keys come in blocks, and the display comes to rest before the next block (docs/method.md, "Pairing"): an update after the last
 * key, then a second without any. A block ends with that second or where the next block begins. Updates are processed as they
 * come, and only those of one block are kept; all keys are in memory. Pure but for the rows it writes. */
#pragma once

#include "rec.h"
#include "sample.h"
#include "wire/key_log.h"
#include "wire/meter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_REST_NS 1000000000LL /* time without an update after which a display rests */
#define BLOCK_UPDATES_MAX 1000000  /* most updates of a block */

enum key_pairing { PAIRING_BLOCKS, PAIRING_NONE };
enum key_assumption { ASSUME_NOTHING, ASSUME_COALESCING };

struct key_join_cfg {
	struct key_log *typed; /* the keys, whose answers are filled in; NULL: no keys */
	int pairing, assume;   /* enum key_pairing, enum key_assumption */
	double noise_per_s;    /* rate of updates without a key; NAN: not known, taken as 0 */
	struct row_file *rows; /* NULL: no rows */
};

/* The current update. Times on the keys' clock (CLOCK_MONOTONIC); without keys on the packets' clock. */
struct current_update {
	uint64_t n; /* number of the update; 0: none yet */
	int64_t first_ns, last_ns;
	uint64_t packets, bytes;
	uint32_t block; /* 0: outside blocks */
};

struct key_update_join {
	struct key_join_cfg cfg;
	struct current_update now;
	/* The current block. */
	size_t first, end;	    /* its keys: from `first` to before `end` */
	bool open;		    /* it has begun and has not ended */
	struct pair_update *update; /* owned; its updates */
	size_t updates;
	uint64_t latest;   /* number of the last of them */
	size_t next_key;   /* first key that has not crossed the wire */
	int64_t *seen_ns;  /* owned; when each key's first packet was captured; 0: not captured */
	int64_t tapped_ns; /* time of the first packet; 0: none yet */
	/* Counts of keys; skipped keys (warm-up) are in no other count. */
	uint64_t keys, exact, ranged, unanswered, skipped, not_sent;
	uint64_t missed_keys; /* keys of missed blocks, and after the end of the capture; in no other count either */
	/* Counts of blocks: all, drained before the next, with an unsolicited update likelier than PAIR_STRAY_LIKELY, cut by the end of
	 * the capture, missed (not in the capture), without a key that could be sent. */
	uint64_t blocks, drained, marked, cut, missed, unsent;
	uint64_t paired_updates;
	uint64_t early;				      /* blocks with input in the rest just before their first key was sent */
	size_t early_first;			      /* the first key of the latest of them, plus 1 */
	struct sample low, high, sent_low, sent_high; /* bounds of latency in ns, from when keys were due and from when sent */
	bool too_many;				      /* over BLOCK_UPDATES_MAX updates in a block */
};

void key_join_init(struct key_update_join *w, const struct key_join_cfg *cfg);
void key_join_free(struct key_update_join *w);

/* New data of a screen update, or of input, at a packet's time. */
void key_join_add_update(struct key_update_join *w, uint64_t update, int64_t time_ns, uint64_t bytes);
void key_join_add_input(struct key_update_join *w, int64_t time_ns);

/* Ends the capture at `time_ns`, the time of its last packet. */
void key_join_finish(struct key_update_join *w, int64_t time_ns);

extern const char *const key_join_columns[]; /* schema wire/1 */
