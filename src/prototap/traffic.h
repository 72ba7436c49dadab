/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traffic - packets and bytes of each direction over time: one row for each bin of equal length.
 *
 * Bins begin at whole multiples of their length, so that tables of several captures can be compared; a bin without a packet is a
 * row, too. Pure but for the rows it writes. */
#pragma once

#include "rec.h"
#include "wire/key_log.h"
#include "wire/meter.h"

#include <stdint.h>

#define TRAFFIC_SKIP_MAX 1000000 /* more empty bins in a row mean that a clock was set: they are not written */

struct traffic_bins {
	struct row_file *rows;	     /* NULL: no table was asked for */
	int64_t bin_ns, bin;	     /* length of a bin; number of the current bin, which begins at bin * bin_ns */
	const struct key_log *typed; /* bins are on the clock of these keys; NULL: see ahead_ns */
	int64_t ahead_ns;	     /* how far packet times are ahead of the bins' clock; 0: the same clock */
	bool begun;
	struct {
		uint64_t packets, wire_bytes, payload_bytes;
	} count[CHANNELS]; /* of the current bin */
	uint64_t written;  /* rows */
	uint64_t late;	   /* packets from before the current bin, counted in it */
	uint64_t skipped;  /* empty bins that were not written */
};

extern const char *const traffic_columns[]; /* schema traffic/1 */

/* Starts the table at this time on the packets' clock. Otherwise the first packet does. */
void traffic_begin(struct traffic_bins *t, int64_t time_ns);
/* A selected packet, and its new data: sums of the rows equal those of the channels. Functions of struct meter_observer. */
void traffic_add_packet(void *traffic, const struct flow *f, int channel, const struct meter_packet *seen);
void traffic_add_payload(void *traffic, const struct flow *f, int channel, int64_t time_ns, uint64_t bytes);
/* Writes all bins up to the one of this time. */
void traffic_finish(struct traffic_bins *t, int64_t time_ns);
