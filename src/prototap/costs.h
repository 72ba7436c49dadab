/* SPDX-License-Identifier: GPL-3.0-or-later */
/* costs - what a session's set-up, its idling, its keys and its acknowledgements cost, told to a report. */
#ifndef PROTOTAP_COSTS_H
#define PROTOTAP_COSTS_H

#include "meter.h"
#include "rec.h"

/* setup, idle, per_key and acks, into the object that is open. After meter_finish(). The capture
 * lasted from `from_ns` to `to_ns`. */
void costs_tell(struct rec *r, const struct meter *m, int64_t from_ns, int64_t to_ns);

#endif
