/* SPDX-License-Identifier: GPL-3.0-or-later */
/* offsets - measurement error of a probe: the response time that it measured for a key minus the time that the answering
 * application took.
 *
 * The application (refecho) logs on the same clock when it received a key and when its answer was sent. The error is computed from
 * these times and not from the configured delay, because a late wake-up of the application is no error of the probe:
 *	offset = (answer - sent) - (flushed - received) = (received - sent) + (answer - flushed),
 * the time to the application and back: the probe's own error, and the path that cannot be told from it. Pure: reads no file. */
#pragma once

#include "sample.h"
#include "traces.h"

/* PROBE_PATCH: a number read from the pixels; PROBE_WIRE: packets of the display channel */
enum probe { PROBE_PATCH, PROBE_WIRE, PROBES };
extern const char *const probe_names[PROBES];

/* MAGNITUDE: the offset without its sign; THERE, BACK: to and from the application */
enum offset { OFFSET, MAGNITUDE, MEASURED, INJECTED, THERE, BACK, OFFSETS };

struct probe_offsets {
	struct sample of[OFFSETS]; /* ns; never freed */
	size_t lost;		   /* keys of the train without an answer or without a log entry of the application */
};

/* Adds the keys of one train, which the application numbered in the same way. PROBE_WIRE: a key is sent with its first packet, and
 * answered by the first update that does not begin before the application drew. */
void offsets_add_train(struct probe_offsets *o, enum probe probe, const struct key_samples *keys, const struct train_traces *t);

/* Returns the highest of the percentiles 99, 95, 90 with at least ten values beyond it, else 75; 0: no values. */
int offsets_tail_percentile(const struct sample *offset);
