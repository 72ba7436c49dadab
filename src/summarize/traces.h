/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traces - what was seen of a train besides its keys: on the wire (prototap's rows, schema wire/1) and in the application
 * (refecho's log, schema echo/1). Times are CLOCK_MONOTONIC nanoseconds, as those of the keys; TRACE_NONE where not known. */
#ifndef THINPROBE_SUMMARIZE_TRACES_H
#define THINPROBE_SUMMARIZE_TRACES_H

#include "keys.h"

#define TRACE_NONE ROWS_IN_NONE

struct trace_update {
	int64_t first, last;		/* its packets */
};

struct trace_key {
	int64_t number;
	int64_t seen;			/* first payload after it was sent */
	int64_t low, high;		/* where its answer lies, from the wire alone; a known low without a high: open end */
	bool exact;
	bool captured;			/* the capture holds its block */
	int64_t block;
};

struct trace_echo {
	int64_t number;			/* how many keys the application had read by then */
	int64_t received, draw, flushed;
};

struct traces {
	struct trace_update *update;	/* owned; ascending */
	struct trace_key *key;		/* owned; ascending by number */
	struct trace_echo *echo;	/* owned; ascending by number */
	size_t updates, keys, echoes;
};

/* Rows of both add to a struct traces, which starts all zero. */
extern const struct rows_kind traces_wire, traces_echoes;
void traces_free(struct traces *t);

/* The last update that began by then: the one that carried what the client showed at that time. NULL: none. */
const struct trace_update *traces_update_at(const struct traces *t, int64_t ns);
const struct trace_key *traces_key(const struct traces *t, int64_t number);
const struct trace_echo *traces_echo(const struct traces *t, int64_t number);

/* Is what the wire alone tells of a key true? Held against the pixels of the same train, where these are exact. */
struct wire_check {
	size_t keys;		/* keys with an exact response time from the pixels that were searched for on the wire */
	size_t held;		/* of them: the update that the client then showed lies within the key's range */
	size_t exact;		/* of them: told as exact */
	size_t untested;	/* no exact answer in the pixels, or not in the capture */
};

/* The true update is the last one that began before the client's pixels showed the answer: decoding one takes the client less than
 * the 10 ms that updates are apart. */
struct wire_check wire_check_of(const struct keys *pixels, const struct traces *wire);

/* The same keys as the wire alone tells them: an answer's range, or "later than". The caller's. */
struct keys wire_check_keys(const struct keys *pixels, const struct traces *wire);

#endif
