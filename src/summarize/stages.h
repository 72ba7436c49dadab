/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages - splits the latency of each key into stages on its way to the application and back (docs/method.md, "Stages"). Reads no
 * file. */
#pragma once

#include "sample.h"
#include "traces.h"

/* Stages in the order in which a key passes them. A stage ends at the event of its second word: */
enum stage {
	DUE_SENT,
	SENT_WIRE,   /* first payload on the link after the key was sent */
	WIRE_APP,    /* the application has read the key */
	APP_DRAWN,   /* the application has sent its answer (at the latest when it is on the link) */
	DRAWN_WIRE,  /* first packet of the screen update with the answer */
	WIRE_WIRE,   /* replaces the three stages above if the application keeps no log */
	WIRE_PIXELS, /* the client shows the answer */
	LATENCY,     /* sum of all stages */
	STAGES
};
extern const char *const stage_names[STAGES];

struct stage_times {
	int64_t due, sent, wire, app, drawn, reply, pixels; /* times in ns; app, drawn: TRACE_NONE without a log */
};

/* Computes the length of each stage in `ns`; TRACE_NONE: not known. */
void stages_compute_lengths(const struct stage_times *t, int64_t ns[static STAGES]);

struct stage_samples {
	struct sample of[STAGES]; /* ns, one value for each key that was split; never freed */
	size_t split;		  /* keys that were split */
	size_t keys;		  /* all keys without skipped ones */
};

/* Splits the keys whose answer and whose times at all places are exactly known. `base`: keys that the application had counted
 * before the first key of the train; below 0: the application shows no numbers. */
struct stage_samples stages_split_train(const struct key_samples *keys, const struct train_traces *t, int64_t base);
