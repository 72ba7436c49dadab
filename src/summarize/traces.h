/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traces - events of a train seen outside the client: packets (prototap's rows, schema wire/1) and the log of the application
 * (refecho, schema echo/1). Times are CLOCK_MONOTONIC nanoseconds, as those of keys; TRACE_NONE: not known. */
#pragma once

#include "key_figures.h"

#define TRACE_NONE ROWS_IN_NONE

struct trace_screen_update {
	int64_t first, last; /* times of the update's first and last packet */
};

struct trace_wire_key {
	int64_t number;
	int64_t seen;	   /* first payload on the link after the key was sent */
	int64_t low, high; /* range in which its answer lies, from packets alone; low without high: no upper end */
	bool exact;
	bool captured; /* the capture contains the key's block */
	int64_t block;
};

struct trace_app_echo {
	int64_t number; /* how many keys the application had read */
	int64_t received, draw, flushed;
};

struct train_traces {
	struct trace_screen_update *update; /* screen updates; owned; ascending */
	struct trace_wire_key *key;	    /* keys; owned; ascending by number */
	struct trace_app_echo *echo;	    /* log of the application; owned; ascending by number */
	size_t updates, keys, echoes;
};

/* Row kinds that add to a struct train_traces, which starts all zero. */
extern const struct input_table traces_wire, traces_echoes;
void traces_free(struct train_traces *t);

/* Returns how many updates began at or before `ns`; the first ones. */
size_t traces_count_updates(const struct train_traces *t, int64_t ns);
/* Returns the last update that began at or before `ns`: the client showed its content at that time. NULL: none. */
const struct trace_screen_update *traces_last_update(const struct train_traces *t, int64_t ns);
const struct trace_wire_key *traces_find_key(const struct train_traces *t, int64_t number);
const struct trace_app_echo *traces_find_echo(const struct train_traces *t, int64_t number);

/* Check of latencies measured from packets alone: compared with the exact answers in the pixels of the same train. */
struct wire_check_counts {
	size_t keys;	 /* keys with an exact answer in the pixels that were searched for in the packets */
	size_t held;	 /* number of these keys whose true update lies within the range from packets */
	size_t exact;	 /* number of these keys whose range has length 0 */
	size_t untested; /* keys without an exact answer in the pixels, or not in the capture */
};

/* Compares the keys. The true update is the last one that began before the client's pixels showed the answer: decoding takes the
 * client less than the 10 ms between updates. */
struct wire_check_counts wire_check_compare(const struct key_samples *pixels, const struct train_traces *wire);

/* Returns the same keys as measured from packets alone: with the range of the answer, or its lower bound. The caller frees them. */
struct key_samples wire_check_make_keys(const struct key_samples *pixels, const struct train_traces *wire);
