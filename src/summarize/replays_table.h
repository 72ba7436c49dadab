/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replays_table - what was read of a run that replays a session, and its tables. */
#ifndef THINPROBE_SUMMARIZE_REPLAYS_TABLE_H
#define THINPROBE_SUMMARIZE_REPLAYS_TABLE_H

#include "replays.h"

/* Facts that a replay may have; their means stand in the summary. */
enum {
	REPLAYS_THROTTLED,	/* s that the session stood still for its quota */
	REPLAYS_LOAD,		/* reads a second of the load, as they were */
	REPLAYS_LOAD_MS,	/* and how long each took, median */
	REPLAYS_DELAY,		/* of the disk, ms */
	REPLAYS_READS, REPLAYS_WRITES,	/* of the disk, the load's too */
	REPLAYS_BUSY,		/* percent of the server's CPU */
	REPLAYS_FACTS
};

struct replays_setting {
	char name[64], says[128], reason[256];	/* reason: of the last failure */
	double value;				/* its place on the axis; NAN: it has none */
	size_t repeats, failed, marked, tried;
};

struct replays_run {	/* beside the run of the same number in the data */
	char log[128], caches[16];
	double fact[REPLAYS_FACTS];	/* NAN: not known */
	double inputs, inputs_of_trace, waited, updates, bytes;	/* waited: snapshots that were not there at once */
};

struct replays_response {
	double input, at_s;
	char kind[16];
};

struct replays_read {
	const char *folder;
	char *why;
	size_t size;
	struct inputs_counts *done;
	const struct json *run;
	int64_t repeats, seed;
	struct replays_setting setting[REPLAYS_SETTINGS_MAX];
	size_t n, base, room;
	struct replays data;
	struct replays_run *list;		/* owned; of each run */
	struct replays_response *response;	/* owned; of each response */
};

/* All tables, or none of them changed. 0, or -errno with one line in r->why. */
int replays_write(struct replays_read *r);

#endif
