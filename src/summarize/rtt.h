/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rtt - a run of the rtt experiment: RUN/cells/CELL/REPEAT/{cell.json,samples.tsv[,netload.json]} to a table.
 *
 *	summary.tsv	(rtt/1) a row for each cell of run.json's settings.cells, in that order: what the load really was, how late pings or keys
 *			were, and for orientation what a queue with frames of one length that come at random would do
 *	curve.tsv	(rtt-curve/1) the latter for all loads, a curve for each link
 *
 * Mean, standard deviation (n - 1) and variance are those of one train, and over repeats the mean of these, with its interval (Student's t; BCa
 * bootstrap from ten on; none from one). Percentiles are over the pings or keys of all complete repeats together. A ping that was lost is in no figure
 * but the count; a key without an echo is "later than" its wait, stays in, and makes what it reaches a lower bound (`later` > 0). */
#ifndef THINPROBE_SUMMARIZE_RTT_H
#define THINPROBE_SUMMARIZE_RTT_H

#include "inputs.h"
#include "rec.h"
#include "sample.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define RTT_REPEATS_MAX INPUTS_REPEATS_MAX
#define RTT_FRAME_BITS (1514 * 8)

enum rtt_figure {
	RTT_MEAN, RTT_SD, RTT_VARIANCE,	/* ms, ms, ms2, of one train */
	RTT_LOAD, RTT_RECEIVED,		/* percent of the link, in frame bits: what was sent, what arrived */
	RTT_PAYLOAD, RTT_LOAD_LOST,	/* Mbit/s; percent of the load's frames */
	RTT_BEHIND,			/* ms, of the load */
	RTT_SERVER_BUSY, RTT_CLIENT_BUSY, RTT_FOREIGN, RTT_STEAL,	/* percent */
	RTT_FIGURES
};

struct rtt_cell {
	char cell[128], link[32], queue[32], transport[16], probe[64];
	int64_t load;			/* percent that was asked for */
};

/* One cell: all its repeats. Zeroed is empty. */
struct rtt_pool {
	double of[RTT_FIGURES][RTT_REPEATS_MAX];	/* NAN: not known */
	struct sample all;		/* ns */
	size_t sent, lost;		/* pings or keys */
	size_t repeats, failed, marked, tried;
	double link_bit_s, queue_bytes, bucket_bytes;	/* of the link of its cells */
};

/* One train of samples: pings (ping/1) or keys (keys/1). Adds it to the pool's sample. 0 or -errno, -EPROTO with *line. */
struct rtt_train {
	struct sample own;
	size_t sent, lost;
};
int rtt_read_pings(FILE *in, void *train, unsigned long *line);
int rtt_read_keys(FILE *in, void *train, unsigned long *line);
/* -ENOMEM, or 0. */
int rtt_pool_add(struct rtt_pool *p, struct rtt_train *t);

extern const char *const rtt_columns[], *const rtt_curve_columns[];
void rtt_write_curve(struct rows *t, const char *link, const struct rtt_pool *p);
void rtt_write_cell(struct rows *t, const struct rtt_cell *c, struct rtt_pool *p, int64_t seed);

/* 0, or -errno with one line in `why`. */
int rtt_summarize(const char *folder, struct inputs_counts *out, char *why, size_t size);

#endif
