/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keys - one typed key: its times from injection to summary, and what follows from them. Rows of schema keys/1 hold these times.
 * Pure. */
#pragma once

#include "sample.h"

/* Times in ns, all of the same clock; 0: not known, or did not happen. */
struct key_times {
	int64_t number; /* in its train, from 1, skipped keys counted */
	int64_t due_ns;
	int64_t sent_ns;
	int64_t answer_ns;   /* time of the answer, or the earliest possible one */
	int64_t high_ns;     /* the latest possible time of the answer */
	int64_t censored_ns; /* answered later than this, if at all; with answer_ns set, only the latest time is unknown */
	int64_t earliest_ns; /* earliest possible answer, had the key not had to wait for its turn; 0: it did not wait */
	bool skipped;	     /* a warm-up key: paired, but left out of statistics */
	bool repeated;	     /* hold mode: an autorepeat of the display at about due_ns; sent_ns is not known */
	bool exact;	     /* answer_ns is the answer, not a bound */
	bool coalesced;	     /* the same update answered a later key, too */
	int64_t handed_ns;   /* when the call that sends it to the display returned */
	int64_t frame_ms;    /* stamp of the frame that answered it: the server's time of day; 0: it has none */
};

/* When the key was sent: sent_ns; due_ns for an autorepeat of the display; INT64_MAX if it was never sent. */
int64_t key_sent_time(const struct key_times *k);

/* Which latency: counted from the due time, or from when the key was sent; until its earliest possible answer, or its latest. */
enum { KEY_FROM_DUE = 0, KEY_FROM_SENT = 1, KEY_EARLY = 0, KEY_LATE = 2 };
/* False: it is not known. *bound: *ns is only a lower bound. */
bool key_find_latency(const struct key_times *k, int which, int64_t *ns, bool *bound);
/* Adds the latency to the sample, where it is known. */
void key_add_latency(const struct key_times *k, int which, struct sample *s);
/* Whether the answer came later than limit_ns after the due time. By KEY_EARLY: certainly; by KEY_LATE: possibly. */
bool key_is_late(const struct key_times *k, int which, int64_t limit_ns);

/* Columns of a row of schema keys/1. */
enum key_column {
	KEY_DUE,
	KEY_SENT,
	KEY_SKIPPED,
	KEY_ANSWER,
	KEY_ANSWER_HIGH,
	KEY_CENSORED,
	KEY_NUMBER,
	KEY_EARLIEST,
	KEY_COLUMNS
};
/* Reads a key from the cells of its row; NULL: the file has no such column. An answer without another end is exact. False: a cell
 * is no time, there is no due time, or the times contradict each other. */
bool key_read_cells(char *const cell[static KEY_COLUMNS], struct key_times *out);
