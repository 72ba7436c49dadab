/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traces - what was seen of a train besides its keys: on the wire (prototap's rows, schema wire/1) and in the
 * application (refecho's log, schema echo/1). Times are CLOCK_MONOTONIC nanoseconds, as those of the keys; TRACE_NONE
 * where not known. */
#ifndef THINPROBE_SUMMARIZE_TRACES_H
#define THINPROBE_SUMMARIZE_TRACES_H

#include "rows_in.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* Both add to a struct traces, which starts all zero. 0, or as rows_in_read(). */
int traces_read_wire(FILE *in, void *traces, unsigned long *line);
int traces_read_echo(FILE *in, void *traces, unsigned long *line);
void traces_free(struct traces *t);

/* The last update that began by then: the one that carried what the client showed at that time. NULL: none. */
const struct trace_update *traces_update_at(const struct traces *t, int64_t ns);
const struct trace_key *traces_key(const struct traces *t, int64_t number);
const struct trace_echo *traces_echo(const struct traces *t, int64_t number);

#endif
