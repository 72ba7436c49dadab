/* SPDX-License-Identifier: GPL-3.0-or-later */
/* offsets - how far a probe is off: what it measured of a key minus what the answering application says it took.
 *
 * The application (refecho) logs on the same clock when it received a key and when its answer was out. Held against these times
 * and not against the delay it was told: its own wake-up is no error of the probe. What is left is
 *	offset = (answer - sent) - (flushed - received) = (received - sent) + (answer - flushed),
 * the way there and the way back: the probe, and the path that cannot be told from it. Pure: reads no file. */
#ifndef THINPROBE_SUMMARIZE_OFFSETS_H
#define THINPROBE_SUMMARIZE_OFFSETS_H

#include "sample.h"
#include "traces.h"

enum probe { PROBE_PATCH, PROBE_WIRE, PROBES };	/* the number read from the pixels; packets of the display channel */
extern const char *const probe_names[PROBES];

enum offset { OFFSET, MAGNITUDE, MEASURED, INJECTED, THERE, BACK, OFFSETS };	/* magnitude: of the offset, without its sign */

struct offsets {
	struct sample of[OFFSETS];	/* ns; never freed */
	size_t lost;		/* keys of the train that have no answer, or of which the application says nothing */
};

/* Adds one train's keys, which the application numbered likewise. On the wire a key is there with its first packet, and answered by
 * the first update that is not before the application began to draw. */
void offsets_add(struct offsets *o, enum probe probe, const struct keys *keys, const struct traces *t);

/* The farthest of the percentiles 99, 95, 90, 75 beyond which at least ten values lie; 0: not even that. */
int offsets_tail_percent(const struct sample *offset);

#endif
