/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages - where the time of each key went on its way to the application and back (docs/method.md, "Stages"). Reads no file. */
#ifndef THINPROBE_SUMMARIZE_STAGES_H
#define THINPROBE_SUMMARIZE_STAGES_H

#include "sample.h"
#include "traces.h"

/* From one of these times of a key to the next, in the order in which a key meets them. */
enum stage {
	DUE_SENT,
	SENT_WIRE,	/* the first payload after it on the link */
	WIRE_APP,	/* the application has read it */
	APP_DRAWN,	/* what answers it has left the application, at the latest when it is on the link */
	DRAWN_WIRE,	/* the first packet of the update that carries it */
	WIRE_WIRE,	/* stands for the three before where the application keeps no log */
	WIRE_PIXELS,	/* the client shows it */
	LATENCY,	/* the sum of the others */
	STAGES
};
extern const char *const stage_names[STAGES];

struct stage_times {
	int64_t due, sent, wire, app, drawn, reply, pixels;	/* app, drawn: TRACE_NONE where there is no log */
};

/* Fills `ns` with the length of each stage, TRACE_NONE for those that are not known. */
void stages_split(const struct stage_times *t, int64_t ns[STAGES]);

struct stages {
	struct sample of[STAGES];	/* ns, one value a key that was split; never freed */
	size_t split;			/* keys */
	size_t keys;			/* that were not skipped, split or not */
};

/* Splits the keys whose answer is known exactly and whose times are known at every place. `base`: what the application had
 * counted before the first key, negative where it tells no numbers. */
struct stages stages_of(const struct keys *keys, const struct traces *t, int64_t base);

#endif
