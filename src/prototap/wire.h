/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wire - updates and keys in the order of time: one row for each, and which update answers which key.
 *
 * Keys come in blocks, each drained before the next (docs/method.md, "Pairing"). That a block was drained is read from the
 * capture: a second without an update, the last key being followed by one. A block ends with that second, or where the next
 * begins. Updates stream through, only those of one block are held; keys are there whole. Pure but for the rows it writes. */
#ifndef PROTOTAP_WIRE_H
#define PROTOTAP_WIRE_H

#include "meter.h"
#include "rec.h"
#include "sample.h"
#include "typed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_REST_NS 1000000000LL	/* without an update: drained */
#define WIRE_UPDATES_MAX 1000000	/* of one block */

enum wire_pairing { WIRE_BLOCKS, WIRE_NONE };
enum wire_assume { ASSUME_NOTHING, ASSUME_COALESCING };

struct wire_cfg {
	struct typed *typed;	/* NULL: no keys; paired in place */
	int pairing, assume;	/* enum wire_pairing, enum wire_assume */
	double noise_per_s;	/* updates without a key; NAN: not known, taken as none */
	struct rows *rows;	/* NULL: none are wanted */
};

/* An update as it goes on. Time: CLOCK_MONOTONIC of the keys; without keys that of the packets. */
struct wire_update {
	uint64_t n;		/* 0: none yet */
	int64_t first_ns, last_ns;
	uint64_t packets, bytes;
	uint32_t block;		/* 0: in none */
};

struct wire {
	struct wire_cfg cfg;
	struct wire_update now;
	/* The block that runs. */
	size_t first, end;	/* its keys */
	bool open;		/* it has begun and is not over */
	int64_t *update_ns;	/* owned; its updates */
	size_t updates, next_key;
	int64_t *seen_ns;	/* owned; when each key's first packet crossed; 0: none did */
	int64_t tapped_ns;	/* the first packet of all; 0: none yet */
	/* Of all. */
	size_t keys, exact, ranged, unanswered, skipped, not_sent;	/* skipped ones are not in the others */
	/* unsent: no key of it could be; marked: one unsolicited update is likelier than
	 * PAIR_STRAY_LIKELY */
	size_t blocks, drained, marked, cut, missed, unsent;
	size_t missed_keys;	/* of blocks that the capture does not hold: in no figure */
	size_t paired_updates;
	struct sample low, high, sent_low, sent_high;	/* latency in ns */
	int err;		/* -ENOMEM, -E2BIG: too many updates in a block */
};

int wire_init(struct wire *w, const struct wire_cfg *cfg);	/* 0 or -ENOMEM */
void wire_free(struct wire *w);

/* New data of an update, or of input, at a packet's time. For struct meter_tap. */
void wire_display(void *wire, uint64_t update, int64_t time_ns, uint64_t bytes);
void wire_input(void *wire, int64_t time_ns);

/* The capture ended at `time_ns` (its last packet of any kind). 0 or the first error. */
int wire_finish(struct wire *w, int64_t time_ns);

extern const char *const wire_columns[];	/* schema wire/1 */

#endif
