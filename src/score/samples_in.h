/* SPDX-License-Identifier: GPL-3.0-or-later */
/* samples_in - reads latencies from a table, in the order of the file: a column of latencies, JMeter's `elapsed`, or due and answer
 * times of keys. */
#pragma once

#include "why.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct latency_sample {
	double early_ms, late_ms; /* the ends of what is known of it; equal unless it is a range */
	double users;		  /* active users at that time; NAN: not known */
	bool later;		  /* late_ms is a lower bound: there was no answer */
	bool failed;		  /* answered with an error (column `success` of a JTL) */
};

struct latency_samples {
	struct latency_sample *one; /* owned */
	size_t n;
	size_t passed;		      /* rows left out: without a latency, of a warm-up, or due outside from_ns..to_ns */
	size_t empty;		      /* those of them without a latency */
	unsigned long empty_line;     /* the first such row; 0: none */
	size_t later, failed, ranged; /* ranged: early and late end differ */
	size_t transactions;	      /* rows of JMeter's transactions */
	size_t unwatched;	      /* part of later: sent, and nothing else is known */
	bool disordered;	      /* a row ended before an earlier row of the table began */
	char name[64];		      /* name of the column, or of both */
	struct why why;		      /* a reason that names a column */
};

struct samples_cfg {
	/* column of latencies; NULL: the first that exists of answer_ns - due_ns (keyrepeat), elapsed (JTL), latency_ms, r_ms, ... */
	const char *column;
	double unit_ms;		/* unit of the column; 0: as its name ends (_ns, _us, _ms, _s; elapsed: ms) */
	int64_t from_ns, to_ns; /* only keys that were due in this range of times are read */
	const char *users;	/* column of active users; NULL: allThreads or users, if there is one */
};

/* Reads the samples. 0; -EPROTO with the reason in *why and the line in *line; -EIO. Call samples_free() either
 * way. */
int samples_read_table(FILE *in, const struct samples_cfg *cfg, struct latency_samples *out, unsigned long *line, const char **why);
void samples_free(struct latency_samples *s);
