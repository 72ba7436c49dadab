/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stages - where the time of each key went on its way to the application and back (docs/method.md, "Stages"). Reads no file. */
#ifndef THINPROBE_SUMMARIZE_STAGES_H
#define THINPROBE_SUMMARIZE_STAGES_H

#include "keys.h"
#include "sample.h"
#include "traces.h"

#include <stddef.h>
#include <stdint.h>

/* From one of these times of a key to the next. */
enum stage {
	DUE_SENT,
	SENT_WIRE,	/* the first payload after it on the link */
	WIRE_APP,	/* the application has read it */
	APP_DRAWN,	/* what answers it has left the application, at the latest when it is on the link */
	DRAWN_WIRE,	/* the first packet of the update that carries it */
	WIRE_PIXELS,	/* the client shows it */
	STAGES,
	/* Where the application keeps no log, these stand for the three in the middle. */
	WIRE_WIRE = STAGES,
	STAGES_ALL
};
extern const char *const stage_names[STAGES_ALL];

struct stage_times {
	int64_t due, sent, wire, app, drawn, reply, pixels;	/* app, drawn: TRACE_NONE where there is no log */
};

/* Fills `ns` with the length of each stage, TRACE_NONE for those that are not known; the others add up to pixels - due. */
void stages_split(const struct stage_times *t, int64_t ns[STAGES_ALL]);

struct stages {
	struct sample of[STAGES_ALL];	/* ns, one value a key that was split */
	struct sample latency;		/* of the same keys: the sum of the others */
	size_t split;			/* keys */
	size_t keys;			/* that were not skipped, split or not */
};

/* Splits the keys whose answer is known exactly and whose times are known at every place. `base`: what the application had
 * counted before the first key, negative where it tells no numbers. 0 or -ENOMEM. */
int stages_of(const struct keys *keys, const struct traces *t, int64_t base, struct stages *out);
void stages_free(struct stages *s);

#endif
