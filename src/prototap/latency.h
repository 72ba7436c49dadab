/* SPDX-License-Identifier: GPL-3.0-or-later */
/* latency - from a capture and the keys typed meanwhile: rows of updates and keys, and what the wire alone says of latency. */
#ifndef PROTOTAP_LATENCY_H
#define PROTOTAP_LATENCY_H

#include "noise.h"
#include "wire.h"

#include <stdio.h>

struct latency_cfg {
	const char *keys;	/* keyrepeat's log; NULL: rows of updates only */
	const char *rows;	/* where rows go, "-" for standard output; NULL: nowhere */
	int pairing, assume;	/* enum wire_pairing, enum wire_assume */
	struct noise noise;
};

extern const char *const latency_pairings[], *const latency_assumes[];

struct latency {
	struct latency_cfg cfg;
	FILE *in;
	struct rows *rows;
	struct typed typed;
	struct wire wire;
	struct meter_tap tap;		/* for the meter, unless there is nothing to do: then context is NULL */
	int64_t step_ns;		/* largest change of the wall clock's offset within a second */
};

#define LATENCY_WHY 512

/* Opens the files, reading nothing yet: privileges can go before. 0, or -1 with a line in `why`. */
int latency_open(struct latency *l, const struct latency_cfg *cfg, char *why);
/* Reads the keys and refuses what cannot be paired. 0, or -1 with `why`. */
int latency_begin(struct latency *l, char *why);
/* The capture ended: its first and last packet. 0, or -1 with `why`: no latency, or rows that could not be written. */
int latency_end(struct latency *l, int64_t last_ns, char *why);

/* The object "keys". */
void latency_tell(struct rec *r, struct latency *l);
void latency_free(struct latency *l);

#endif
