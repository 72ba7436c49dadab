/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stations - a server of known queues: who comes passes one station after the other, each of which
 * serves one at a time, first come, first served.
 *
 * With arrivals in order the departure is known at the arrival (Lindley 1952): a station begins
 * when the customer is there and the one before him has gone. Nobody overtakes, so departures are
 * in order too. Exponential service makes it the closed network of mean value analysis. Pure. */
#ifndef THINPROBE_VUSERS_STATIONS_H
#define THINPROBE_VUSERS_STATIONS_H

#include <stdbool.h>
#include <stdint.h>

#define STATIONS_MOST 16

struct stations {
	int n;
	double mean_ns[STATIONS_MOST];
	bool exponential;		/* else each service takes its mean */
	int64_t free_ns[STATIONS_MOST];	/* when its last customer leaves */
	double busy_ns[STATIONS_MOST];	/* service given */
	uint64_t random;
};

/* "50ms,40ms,30ms". 0 or -EINVAL. */
int stations_parse(const char *text, struct stations *out);
/* Who comes at now_ns leaves the last one at this time. Calls come with ascending times. */
int64_t stations_pass(struct stations *s, int64_t now_ns);

#endif
