/* SPDX-License-Identifier: GPL-3.0-or-later */
/* latency - key latency from a capture and the log of keys typed meanwhile: files, checks, and the report. */
#pragma once

#include "key_join.h"
#include "why.h"

#include <stddef.h>
#include <stdio.h>

/* A counter of type uint64_t in a struct, and its key in the report. */
struct report_counter {
	const char *key;
	size_t at;
};
#define COUNTER_FIELD(key, type, member) \
	{ \
		key, offsetof(type, member) \
	}
/* Reports counters of the struct at `from`. */
void report_counters(struct rec_report *r, const struct report_counter *counts, size_t n, const void *from);
#define REPORT_COUNTERS(r, counts, from) report_counters(r, counts, sizeof(counts) / sizeof(*(counts)), from)

/* Rate of screen updates that come without a key, from counts in windows without keys. */
struct idle_updates {
	int64_t updates, window_ns; /* sums over all windows; 0 ns: not measured */
};

/* Adds a window "UPDATES/TIME", such as 0/60s. 0; -EINVAL, or -EDOM: a time without a unit. */
int idle_add_update_count(struct idle_updates *n, const char *text);

/* Upper 95 % bound (one-sided, Garwood 1936) of a Poisson mean after `events`; 3.0 for none. */
double poisson_bound(int64_t events);

struct latency_cfg {
	const char *keys;    /* keyrepeat's log; NULL: only rows of updates */
	const char *rows;    /* file of rows, "-": standard output; NULL: no rows */
	int pairing, assume; /* enum key_pairing, enum key_assumption */
	struct idle_updates noise;
};

extern const char *const latency_pairings[], *const latency_assumes[];

struct key_latency {
	struct latency_cfg cfg;
	FILE *in; /* keyrepeat's log until it is read */
	struct row_file *rows;
	struct key_log typed;
	struct key_update_join wire;
	struct meter_observer tap; /* for the meter; context NULL: neither keys nor rows */
	int64_t step_ns;	   /* largest change of the wall clock's offset within a second */
};

/* Opens the files without reading, so that privileges can be dropped before. 0, or -1 with a line in `why`. */
int latency_open(struct key_latency *l, const struct latency_cfg *cfg, struct why *why);
/* Reads the keys and refuses those that cannot be paired. 0, or -1 with `why`. */
int latency_read_keys(struct key_latency *l, struct why *why);
/* Ends the capture at its last packet. 0, or -1 with `why`: no latency, or rows could not be written. */
int latency_finish(struct key_latency *l, int64_t last_ns, struct why *why);

/* Writes the object "keys". */
void latency_report(struct rec_report *r, struct key_latency *l);
void latency_free(struct key_latency *l);
