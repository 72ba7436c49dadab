/* SPDX-License-Identifier: GPL-3.0-or-later */
/* records - what the programs of a train left in JSON becomes the train's and its cell's numbers. What a file does not say stays
 * unknown. */
#ifndef THINPROBE_SUMMARIZE_RECORDS_H
#define THINPROBE_SUMMARIZE_RECORDS_H

#include "json_in.h"
#include "run.h"

/* keyrepeat.json. *schedule_jitter_ms: standard deviation that the schedule gives the keys' distances; NAN: not known. */
void records_probe(const struct json *j, struct train *t, double *schedule_jitter_ms);

/* prototap.json; after the probe, whose stalls go before the capture's, and with the keys read. */
void records_capture(const struct json *j, struct train *t, struct cell *c);

/* cell.json: who else had the CPU, who competed as what. False: no memory. */
bool records_circumstances(const struct json *j, struct cell *c);

#endif
