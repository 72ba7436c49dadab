/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traffic - how much crossed when: packets and bytes of each direction in bins of equal length, one row each.
 *
 * Bins begin at whole multiples of their length, so that tables of several captures lie beside each other; a bin in which nothing
 * crossed is a row too. Pure but for the rows it writes. */
#ifndef PROTOTAP_TRAFFIC_H
#define PROTOTAP_TRAFFIC_H

#include "flow.h"
#include "rec.h"
#include "typed.h"

#include <stdint.h>

#define TRAFFIC_SKIP_MAX 1000000	/* empty bins in a row: beyond, a clock was set, and they are no rows */

struct traffic_bins {
	struct rows *rows;	/* NULL: not asked for */
	int64_t bin_ns, bin;	/* number of the open bin: it begins at bin * bin_ns */
	const struct typed *typed;	/* the table is on the clock of these keys; NULL: */
	int64_t ahead_ns;	/* packet times are so far ahead of the table's */
	bool begun;
	uint64_t packets[CHANNELS], wire_bytes[CHANNELS], payload_bytes[CHANNELS];
	uint64_t written, late, skipped;	/* rows; packets from before the open bin, which got them; empty bins that are no rows */
};

extern const char *const traffic_columns[];	/* schema traffic/1 */

/* From this time on, on the clock of the packets, there are rows. Without it they begin with the first packet. */
void traffic_bins_begin(struct traffic_bins *t, int64_t time_ns);
/* A packet of a connection that was asked for; and new data, when it counts: the sums of the rows are those of the channels. For
 * struct meter_tap. */
void traffic_bins_packet(void *traffic, int channel, const struct segment *s, int64_t time_ns);
void traffic_bins_data(void *traffic, int channel, int64_t time_ns, uint64_t bytes);
/* Writes all bins up to that of this time, and its own. */
void traffic_bins_finish(struct traffic_bins *t, int64_t time_ns);

#endif
